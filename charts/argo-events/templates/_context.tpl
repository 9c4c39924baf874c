{{/*
argo-events.context: common.context of this chart; singleNamespace is set by this chart's value or by the runtime that contains the chart.
Arguments: the root.
*/}}
{{- define "argo-events.context" -}}
{{- include "common.context" (dict
  "chart" .Chart
  "release" .Release
  "values" .Values
  "partOf" "argo-events"
  "singleNamespace" (or .Values.controller.rbac.namespaced ((.Values.global).runtime).singleNamespace)
) -}}
{{- end -}}

{{/* argo-events.user: the user of the pods, as JSON; OpenShift assigns one from the range of the namespace. Arguments: values. */}}
{{- define "argo-events.user" -}}
{{- ternary dict (dict "runAsUser" 9731) (.openshift | default false) | toJson -}}
{{- end -}}
