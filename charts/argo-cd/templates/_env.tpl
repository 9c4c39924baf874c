{{/*
argo-cd.env: the environment variables from argocd-cmd-params-cm (all programs) and argocd-cm, as a YAML list; for missing keys a program
uses its default. Arguments: params and cm (YAML maps of variable to key).
*/}}
{{- define "argo-cd.env" -}}
{{- range $configMap, $keys := dict "argocd-cm" (default "" .cm) "argocd-cmd-params-cm" .params -}}
{{- range $name, $key := fromYaml $keys }}
- {name: {{ $name }}, valueFrom: {configMapKeyRef: {name: {{ $configMap }}, key: {{ $key }}, optional: true}}}
{{- end }}
{{- end }}
{{- end -}}

{{/* argo-cd.redisEnv: the credentials of Redis, as a YAML list of environment variables. Arguments: context, values. */}}
{{- define "argo-cd.redisEnv" -}}
{{- $external := .values.externalRedis -}}
{{- $ha := index .values "redis-ha" -}}
{{- if $external.host -}}
{{- $secret := default "argocd-redis" $external.existingSecret }}
- {name: REDIS_PASSWORD, valueFrom: {secretKeyRef: {name: {{ toJson $secret }}, key: redis-password, optional: true}}}
- {name: REDIS_USERNAME, valueFrom: {secretKeyRef: {name: {{ toJson $secret }}, key: redis-username, optional: true}}}
{{- else if $ha.enabled }}
{{- with (include "argo-cd.redisHA" . | fromJson).secret }}
- {name: REDIS_PASSWORD, valueFrom: {secretKeyRef: {name: {{ toJson . }}, key: auth}}}
- {name: REDIS_USERNAME, valueFrom: {secretKeyRef: {name: {{ toJson . }}, key: redis-username, optional: true}}}
{{- if not $ha.haproxy.enabled }}
- {name: REDIS_SENTINEL_PASSWORD, valueFrom: {secretKeyRef: {name: {{ toJson . }}, key: auth}}}
{{- end }}
{{- end }}
{{- else }}
{{- $optional := not .values.redisSecretInit.enabled }}
- {name: REDIS_PASSWORD, valueFrom: {secretKeyRef: {name: argocd-redis, key: auth, optional: {{ $optional }}}}}
- {name: REDIS_USERNAME, valueFrom: {secretKeyRef: {name: argocd-redis, key: redis-username, optional: true}}}
{{- end }}
{{- end -}}

{{/*
argo-cd.redisArgs: {"args": [...]} as JSON: the addresses of the sentinels, if clients find the master through them instead of HAProxy.
Arguments: context, values.
*/}}
{{- define "argo-cd.redisArgs" -}}
{{- $ha := index .values "redis-ha" -}}
{{- $args := list -}}
{{- if and $ha.enabled (not $ha.haproxy.enabled) (not .values.externalRedis.host) -}}
{{- $names := include "argo-cd.redisHA" . | fromJson -}}
{{- range until (int $names.replicas) }}{{ $args = append $args (printf "--sentinel=%s-%d:26379" $names.announce .) }}{{ end -}}
{{- $args = append $args (printf "--sentinelmaster=%s" $ha.redis.masterGroupName) -}}
{{- end -}}
{{- dict "args" $args | toJson -}}
{{- end -}}

{{/* argo-cd.redisServer: host and port of the Redis in use. Arguments: context, values. */}}
{{- define "argo-cd.redisServer" -}}
{{- if .values.externalRedis.host -}}
{{- printf "%s:%v" .values.externalRedis.host .values.externalRedis.port -}}
{{- else if (index .values "redis-ha").enabled -}}
{{- printf "%s:6379" (include "argo-cd.redisHA" . | fromJson).haproxy -}}
{{- else -}}
{{- printf "%s:%v" (include "common.fullname" (dict "context" .context "name" .values.redis.name)) .values.redis.servicePort -}}
{{- end -}}
{{- end -}}
