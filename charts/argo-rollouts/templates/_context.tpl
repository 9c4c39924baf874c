{{/*
argo-rollouts.context: common.context of this chart; singleNamespace is set by this chart's value or by the runtime that contains the
chart.
Arguments: the root.
*/}}
{{- define "argo-rollouts.context" -}}
{{- include "common.context" (dict
  "chart" .Chart
  "release" .Release
  "values" .Values
  "partOf" "argo-rollouts"
  "singleNamespace" (or (not .Values.clusterInstall) ((.Values.global).runtime).singleNamespace)
) -}}
{{- end -}}

{{/*
argo-rollouts.contextOf: common.context of a component. Its selector contains the chart's name and the component, as in the community
chart, so that releases of that chart can be upgraded in place. Arguments: root, component (its name).
*/}}
{{- define "argo-rollouts.contextOf" -}}
{{- $context := include "argo-rollouts.context" .root | fromJson -}}
{{- $selector := dict
  "app.kubernetes.io/name" $context.name
  "app.kubernetes.io/instance" $context.release
  "app.kubernetes.io/component" .component
-}}
{{- set $context "selector" $selector | toJson -}}
{{- end -}}

{{/*
argo-rollouts.values: a component's values merged over the values that all components of the chart share, as JSON.
Arguments: values (the chart's), component (its values), shared (names of top-level keys of the values).
*/}}
{{- define "argo-rollouts.values" -}}
{{- $shared := dict -}}
{{- range $key := .shared }}{{ with get $.values $key }}{{ $_ := set $shared $key . }}{{ end }}{{ end -}}
{{- mergeOverwrite (deepCopy $shared) .component | toJson -}}
{{- end -}}
