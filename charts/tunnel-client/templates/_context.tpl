{{/* tunnel-client.context: common.context of this chart. Arguments: the root. */}}
{{- define "tunnel-client.context" -}}
{{- include "common.context" (dict "chart" .Chart "release" .Release "values" .Values "partOf" "gitops-runtime") -}}
{{- end -}}
