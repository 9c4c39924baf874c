{{/* argo-cd.redisHA: common.redisHA of the replicated Redis. Arguments: context, values. */}}
{{- define "argo-cd.redisHA" -}}
{{- $name := include "common.fullname" (dict "context" .context "name" "redis-ha" "limit" 42) -}}
{{- include "common.redisHA" (dict "name" $name "values" (index .values "redis-ha")) -}}
{{- end -}}

{{/* argo-cd.redisHAArguments: the arguments that all templates of the replicated Redis take, as JSON. Arguments: context, values. */}}
{{- define "argo-cd.redisHAArguments" -}}
{{- $clients := list .values.server.name .values.repoServer.name .values.controller.name -}}
{{- dict
  "context" .context
  "values" (index .values "redis-ha")
  "names" (include "argo-cd.redisHA" . | fromJson)
  "clients" (include "argo-cd.clients" (dict "context" .context "of" $clients) | fromYamlArray)
  "servers" (include "argo-cd.peersOf" (dict "of" . "to" (list "redisServer")) | fromYamlArray)
| toJson -}}
{{- end -}}
