{{/*
argo-cd.params: {"data": {...}} as JSON: the data of argocd-cmd-params-cm: the addresses of the programs, logging, and the user's settings.
Arguments: context, values.
*/}}
{{- define "argo-cd.params" -}}
{{- $v := .values -}}{{- $log := $v.global.logging -}}
{{- $data := dict
  "redis.server" (include "argo-cd.redisServer" .)
  "repo.server" (printf "%s:%v" (include "common.fullname" (dict "context" .context "name" $v.repoServer.name)) $v.repoServer.service.port)
-}}
{{- if $v.repoServer.certificateSecret.enabled }}{{ $_ := set $data "server.repo.server.strict.tls" "true" }}{{ end -}}
{{- if include "argo-cd.usesDex" $v -}}
{{- if $v.dex.certificateSecret.enabled }}{{ $_ := set $data "server.dex.server.strict.tls" "true" }}{{ end -}}
{{- $tls := pick ($v.configs.params | default dict) "dexserver" "dexserver.disable.tls" -}}
{{- $given := (include "argo-cd.flat" (dict "settings" $tls) | fromJson).data -}}
{{- $_ := set $data "server.dex.server"
  (printf "%s://%s:%v"
    (ternary "http" "https" (eq (get $given "dexserver.disable.tls") "true"))
    (include "common.fullname" (dict "context" .context "name" $v.dex.name))
    $v.dex.servicePortHttp
  )
-}}
{{- end -}}
{{- if $v.commitServer.enabled -}}
{{- $_ := set $data "commit.server"
  (printf "%s:%v" (include "common.fullname" (dict "context" .context "name" $v.commitServer.name)) $v.commitServer.service.port)
-}}
{{- $_ := set $data "hydrator.enabled" "true" -}}
{{- end -}}
{{- range list "controller" "server" "reposerver" "applicationsetcontroller" "notificationscontroller" "dexserver" "commitserver" -}}
{{- $_ := set $data (printf "%s.log.format" .) $log.format -}}
{{- $_ := set $data (printf "%s.log.level" .) $log.level -}}
{{- end -}}
{{- $all := mergeOverwrite $data
  (include "argo-cd.flat" (dict "settings" (omit ($v.configs.params | default dict) "create" "annotations")) | fromJson).data
-}}
{{- /* If applications in other namespaces are enabled, programs watch the whole cluster; without that permission they wait forever. */}}
{{- if .context.singleNamespace }}{{ $all = omit $all "application.namespaces" "applicationsetcontroller.namespaces" }}{{ end -}}
{{- dict "data" $all | toJson -}}
{{- end -}}

{{/* argo-cd.cm: {"data": {...}} as JSON: the data of argocd-cm. Arguments: context, values. */}}
{{- define "argo-cd.cm" -}}
{{- $data := dict -}}
{{- $settings := omit (.values.configs.cm | default dict) "create" "annotations" -}}
{{- $given := (include "argo-cd.flat" (dict "settings" $settings) | fromJson).data -}}
{{- with .values.global.domain -}}
{{- $_ := set $data "url" (printf "https://%s" .) -}}
{{- if eq (get $given "statusbadge.enabled") "true" }}{{ $_ := set $data "statusbadge.url" (printf "https://%s/" .) }}{{ end -}}
{{- end -}}
{{- if .values.configs.styles }}{{ $_ := set $data "ui.cssurl" "./custom/custom.styles.css" }}{{ end -}}
{{- dict "data" (mergeOverwrite $data $given) | toJson -}}
{{- end -}}

{{/* argo-cd.checksum: a hash of the settings that programs read only at startup. Arguments: context, values. */}}
{{- define "argo-cd.checksum" -}}
{{- printf "%s%s" (include "argo-cd.params" .) (include "argo-cd.cm" .) | sha256sum -}}
{{- end -}}
