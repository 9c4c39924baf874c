{{/*
argo-cd.redisHA: the settings that the parts of the replicated Redis share, as JSON: replicas, server (name of the StatefulSet), announce
(name prefix of the Services, one for each server), haproxy (address), config (name of the ConfigMap), secret (with the password; empty
without one). Arguments: context, values.
*/}}
{{- define "argo-cd.redisHA" -}}
{{- $v := index .values "redis-ha" -}}
{{- $name := include "common.fullname" (dict "context" .context "name" "redis-ha" "limit" 42) -}}
{{- dict
  "replicas" ($v.replicas | int)
  "server" (printf "%s-server" $name)
  "announce" (printf "%s-announce" $name)
  "haproxy" (printf "%s-haproxy" $name)
  "config" $name
  "secret" (ternary $v.existingSecret "" $v.auth)
| toJson -}}
{{- end -}}

{{/*
argo-cd.redisPassword: environment variables of the given names with the password, as a YAML list; empty without a secret.
Arguments: secret, names.
*/}}
{{- define "argo-cd.redisPassword" -}}
{{- if .secret -}}
{{- range .names }}
- {name: {{ . }}, valueFrom: {secretKeyRef: {name: {{ toJson $.secret }}, key: auth}}}
{{- end }}
{{- end }}
{{- end -}}

{{/*
argo-cd.redisHAAffinity: the affinity that keeps pods of a component on different nodes, as JSON. Arguments: context, component (name),
values (affinity as text or map, which replaces it, even if the map is empty; hardAntiAffinity, additionalAffinities).
*/}}
{{- define "argo-cd.redisHAAffinity" -}}
{{- $v := .values -}}
{{- if or $v.affinity (kindIs "map" $v.affinity) -}}
{{- if kindIs "string" $v.affinity }}{{ include "common.parsed" $v.affinity }}{{ else }}{{ toJson $v.affinity }}{{ end -}}
{{- else -}}
{{- $term := dict
  "topologyKey" "kubernetes.io/hostname"
  "labelSelector" (dict "matchLabels" (include "common.selectorLabels" (dict "context" .context "name" .component) | fromJson))
-}}
{{- $rule := ternary
  (dict "requiredDuringSchedulingIgnoredDuringExecution" (list $term))
  (dict "preferredDuringSchedulingIgnoredDuringExecution" (list (dict "weight" 100 "podAffinityTerm" $term)))
  $v.hardAntiAffinity
-}}
{{- merge (dict "podAntiAffinity" $rule) ($v.additionalAffinities | default dict) | toJson -}}
{{- end -}}
{{- end -}}
