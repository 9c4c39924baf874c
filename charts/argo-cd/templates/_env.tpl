{{/*
argo-cd.env: {"env": [...]} as JSON: environment read from argocd-cmd-params-cm (every program) and argocd-cm; absent keys leave the
program's own default.
Arguments: params and cm (maps of variable to key).
*/}}
{{- define "argo-cd.env" -}}
{{- $env := list -}}
{{- range $configMap, $keys := dict "argocd-cmd-params-cm" .params "argocd-cm" .cm -}}
{{- range $name, $key := $keys -}}
{{- $env = append $env (dict "name" $name "valueFrom" (dict "configMapKeyRef" (dict "name" $configMap "key" $key "optional" true))) -}}
{{- end -}}
{{- end -}}
{{- dict "env" $env | toJson -}}
{{- end -}}

{{/* argo-cd.redisEnv: {"env": [...]} as JSON: the credentials of Redis. Arguments: context, values. */}}
{{- define "argo-cd.redisEnv" -}}
{{- $external := .values.externalRedis -}}
{{- $refs := dict -}}
{{- if $external.host -}}
{{- $secret := default "argocd-redis" $external.existingSecret -}}
{{- $refs = dict
  "REDIS_USERNAME" (dict "name" $secret "key" "redis-username" "optional" true)
  "REDIS_PASSWORD" (dict "name" $secret "key" "redis-password" "optional" true)
-}}
{{- else if (index .values "redis-ha").enabled -}}
{{- with (include "argo-cd.redisHA" . | fromJson).secret -}}
{{- $refs = dict "REDIS_PASSWORD" (dict "name" . "key" "auth") -}}
{{- if not (index $.values "redis-ha").haproxy.enabled }}{{ $_ := set $refs "REDIS_SENTINEL_PASSWORD" $refs.REDIS_PASSWORD }}{{ end -}}
{{- end -}}
{{- else -}}
{{- $refs = dict "REDIS_PASSWORD" (dict "name" "argocd-redis" "key" "auth" "optional" (not .values.redisSecretInit.enabled)) -}}
{{- end -}}
{{- $env := list -}}
{{- range $name, $ref := $refs }}{{ $env = append $env (dict "name" $name "valueFrom" (dict "secretKeyRef" $ref)) }}{{ end -}}
{{- dict "env" $env | toJson -}}
{{- end -}}

{{/*
argo-cd.redisArgs: {"args": [...]} as JSON: the sentinels, where clients find the master through them and not through HAProxy. Arguments:
context, values.
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
