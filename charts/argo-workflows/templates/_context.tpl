{{/*
argo-workflows.context: common.context of this chart; singleNamespace is set by this chart's value or by the runtime that contains the
chart.
Arguments: the root.
*/}}
{{- define "argo-workflows.context" -}}
{{- include "common.context" (dict
  "chart" .Chart
  "release" .Release
  "values" .Values
  "partOf" "argo-workflows"
  "singleNamespace" (or .Values.singleNamespace ((.Values.global).runtime).singleNamespace)
) -}}
{{- end -}}

{{/* argo-workflows.configName: the name of the ConfigMap of controller and server. Arguments: context, controller (its values). */}}
{{- define "argo-workflows.configName" -}}
{{- default (include "common.fullname" (dict
  "context" .context
  "name" (printf "%s-configmap" .controller.name)
)) .controller.configMap.name -}}
{{- end -}}

{{/* argo-workflows.images: {"images": [...]} as JSON: images.* for all images, then the given image. Arguments: images, image. */}}
{{- define "argo-workflows.images" -}}
{{- dict "images" (list (dict "tag" .images.tag "pullPolicy" .images.pullPolicy) .image) | toJson -}}
{{- end -}}

{{/*
argo-workflows.namespaces: {"namespaces": [...]} as JSON: the namespaces in which workflows run, and in which the executor needs roles.
Arguments: context, values.
*/}}
{{- define "argo-workflows.namespaces" -}}
{{- $named := list (default .context.namespace .values.workflow.namespace) -}}
{{- if not .context.singleNamespace }}{{ $named = concat (.values.controller.workflowNamespaces | default list) $named }}{{ end -}}
{{- if .context.singleNamespace }}{{ $named = list .context.namespace }}{{ end -}}
{{- dict "namespaces" (uniq $named) | toJson -}}
{{- end -}}
