{{/* argo-rollouts.context: common.context of this chart; singleNamespace is the chart's own wish or that of the runtime it is part of. Arguments: the root. */}}
{{- define "argo-rollouts.context" -}}
{{- $context := include "common.context" (dict "chart" .Chart "release" .Release "values" .Values "partOf" "argo-rollouts") | fromJson -}}
{{- set $context "singleNamespace" (or (not .Values.clusterInstall) $context.singleNamespace) | toJson -}}
{{- end -}}

{{/*
argo-rollouts.values: a component's values over those that all of the chart's components share, as JSON.
Arguments: values (the chart's), component (its own), shared (names of keys at the top of the values).
*/}}
{{- define "argo-rollouts.values" -}}
{{- $shared := dict -}}
{{- range $key := .shared }}{{ with get $.values $key }}{{ $_ := set $shared $key . }}{{ end }}{{ end -}}
{{- mergeOverwrite (deepCopy $shared) .component | toJson -}}
{{- end -}}
