{{/* argo-cd.context: common.context of this chart. Arguments: the root. */}}
{{- define "argo-cd.context" -}}
{{- include "common.context" (dict "chart" .Chart "release" .Release "values" .Values "partOf" "argocd") -}}
{{- end -}}

{{/* argo-cd.user: the user, and group of volumes, that an image runs as, as JSON; {} on OpenShift, which chooses them. Arguments: values, id, group. */}}
{{- define "argo-cd.user" -}}
{{- ternary "{}" (include "common.compact" (dict "runAsUser" .id "fsGroup" .group)) .values.openshift.enabled -}}
{{- end -}}

{{/* argo-cd.peers: labels that all pods of this release's Argo CD have, as JSON. Arguments: common.context. */}}
{{- define "argo-cd.peers" -}}
{{- dict "app.kubernetes.io/part-of" .partOf | toJson -}}
{{- end -}}

{{/*
argo-cd.flat: {"data": {...}} as JSON: settings as the text of a ConfigMap. A nested map becomes keys joined by dots, so that
`--set configs.cm.timeout.reconciliation=20s` means the key timeout.reconciliation, and wins over a default under that key. Nulls are left out.
Arguments: settings, prefix.
*/}}
{{- define "argo-cd.flat" -}}
{{- $data := dict -}}{{- $nested := dict -}}
{{- range $key, $value := .settings -}}
{{- $name := printf "%s%s" (default "" $.prefix) $key -}}
{{- if kindIs "map" $value -}}
{{- $nested = merge $nested (include "argo-cd.flat" (dict "settings" $value "prefix" (printf "%s." $name)) | fromJson).data -}}
{{- else if kindIs "slice" $value -}}
{{- $_ := set $data $name (toYaml $value) -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $data $name (include "common.text" $value) -}}
{{- end -}}
{{- end -}}
{{- dict "data" (mergeOverwrite $data $nested) | toJson -}}
{{- end -}}
