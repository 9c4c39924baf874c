{{/*
tunnel-client.context: common.context of this chart, with the labels and the selector of the published chart 0.30.0. Arguments: the root.
*/}}
{{- define "tunnel-client.context" -}}
{{- include "common.context" (dict
  "chart" .Chart "release" .Release "values" .Values "partOf" "codefresh-tunnel-client"
  "selector" (dict "app" "codefresh-tunnel-client" "release" .Release.Name)
) -}}
{{- end -}}
