{{/* managed-cluster.context: common.context of this chart. Arguments: the root. */}}
{{- define "managed-cluster.context" -}}
{{- include "common.context" (dict "chart" .Chart "release" .Release "values" .Values "partOf" "managed-cluster") -}}
{{- end -}}

{{/*
managed-cluster.deploys: the rules for kinds that Argo CD deploys, as a YAML list. Apply needs create and patch, replace needs update, prune
needs delete; Argo CD's cache lists and watches each kind. Arguments: kinds (of the values), why.
*/}}
{{- define "managed-cluster.deploys" -}}
{{- range .kinds }}
- why: {{ toJson $.why }}
  apiGroups: [{{ toJson .apiGroup }}]
  resources: {{ toJson .resources }}
  verbs: [get, list, watch, create, update, patch, delete]
{{- end }}
{{- end -}}

{{/* managed-cluster.whitelist: kinds as entries of an AppProject's whitelist, as a YAML list. Arguments: kinds (of the values). */}}
{{- define "managed-cluster.whitelist" -}}
{{- $entries := list -}}
{{- range $of := . }}{{ range .kinds }}{{ $entries = append $entries (dict "group" $of.apiGroup "kind" .) }}{{ end }}{{ end -}}
{{- toYaml $entries -}}
{{- end -}}
