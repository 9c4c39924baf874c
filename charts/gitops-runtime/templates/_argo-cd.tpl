{{/*
gitops-runtime.ownArgoCD: what the user says of an Argo CD that is there already, {server, repoServer, redis} as JSON: global.integrations.argo-cd,
with what its older name global.external-argo-cd says over it. Arguments: global.
*/}}
{{- define "gitops-runtime.ownArgoCD" -}}
{{- $now := index .integrations "argo-cd" -}}
{{- $older := index . "external-argo-cd" | default dict -}}
{{- $server := mergeOverwrite (dict "auth" (.auth | default dict)) $now.server ($older.server | default dict) -}}
{{- $_ := set $server "auth" (mergeOverwrite dict $now.server.auth ($older.auth | default dict)) -}}
{{- dict "server" $server "repoServer" (mergeOverwrite dict $now.repoServer ($older.repoServer | default dict)) "redis" (mergeOverwrite dict $now.redis ($older.redis | default dict)) | toJson -}}
{{- end -}}

{{/* gitops-runtime.usesOwnArgoCD: "true" where an Argo CD that is there already is the runtime's. Arguments: the root. */}}
{{- define "gitops-runtime.usesOwnArgoCD" -}}
{{- if and (not (index .Values "argo-cd").enabled) (include "gitops-runtime.ownArgoCD" .Values.global | fromJson).server.svc }}true{{ end -}}
{{- end -}}

{{/*
gitops-runtime.serviceHost: the address of a Service that values name: <name>, <name>.<namespace>, or a host as it is. Arguments: root, service.
*/}}
{{- define "gitops-runtime.serviceHost" -}}
{{- $parts := splitList "." .service -}}
{{- $domain := printf "svc.%s" (index .root.Values "internal-router").clusterDomain -}}
{{- if eq (len $parts) 1 -}}
{{- printf "%s.%s.%s" .service .root.Release.Namespace $domain -}}
{{- else if eq (len $parts) 2 -}}
{{- printf "%s.%s" .service $domain -}}
{{- else -}}
{{- .service -}}
{{- end -}}
{{- end -}}

{{/*
gitops-runtime.argoCDAddresses: where the programs of the runtime's Argo CD are, {server, url, repoServer, redis, redisSecret, redisKey} as JSON:
host:port each, url with scheme and root path; of this release, or the user's own. Arguments: the root.
*/}}
{{- define "gitops-runtime.argoCDAddresses" -}}
{{- $domain := printf "%s.svc.%s" .Release.Namespace (index .Values "internal-router").clusterDomain -}}
{{- $addresses := dict "redisSecret" "argocd-redis" "redisKey" "auth" -}}
{{- if eq (include "gitops-runtime.usesOwnArgoCD" .) "true" -}}
{{- $own := include "gitops-runtime.ownArgoCD" .Values.global | fromJson -}}
{{- $elsewhere := splitList "." $own.server.svc | rest | join "." -}}
{{- range $key, $name := dict "repoServer" "argocd-repo-server" "redis" "argocd-redis" -}}
{{- $service := default (ternary $name (printf "%s.%s" $name $elsewhere) (empty $elsewhere)) (get $own $key).svc -}}
{{- $_ := set $addresses $key (printf "%s:%d" (include "gitops-runtime.serviceHost" (dict "root" $ "service" $service)) (int (get $own $key).port)) -}}
{{- end -}}
{{- $host := include "gitops-runtime.serviceHost" (dict "root" . "service" $own.server.svc) -}}
{{- $_ := set $addresses "server" (printf "%s:%d" $host (int $own.server.port)) -}}
{{- $scheme := ternary "https" "http" (eq (int $own.server.port) 443) -}}
{{- $path := trimAll "/" (default "" $own.server.rootpath) -}}
{{- $_ := set $addresses "url" (printf "%s://%s%s" $scheme $addresses.server (ternary "" (printf "/%s" $path) (empty $path))) -}}
{{- else -}}
{{- $prefix := include "gitops-runtime.prefix" (dict "root" . "chart" "argo-cd") -}}
{{- $argo := index .Values "argo-cd" -}}
{{- $redis := ternary (printf "%s-redis-ha-haproxy" $prefix) (printf "%s-redis" $prefix) ((index $argo "redis-ha" | default dict).enabled | default false) -}}
{{- $_ := set $addresses "server" (printf "%s-server.%s:80" $prefix $domain) -}}
{{- $_ := set $addresses "url" (printf "http://%s-server.%s" $prefix $domain) -}}
{{- $_ := set $addresses "repoServer" (printf "%s-repo-server.%s:8081" $prefix $domain) -}}
{{- $_ := set $addresses "redis" (printf "%s.%s:6379" $redis $domain) -}}
{{- with $argo.externalRedis }}{{ if .host -}}
{{- $addresses = merge (dict "redis" (printf "%s:%d" .host (int .port)) "redisSecret" (default "argocd-redis" .existingSecret) "redisKey" "redis-password") $addresses -}}
{{- end }}{{ end -}}
{{- end -}}
{{- toJson $addresses -}}
{{- end -}}

{{/* gitops-runtime.argoCD: the URL of the Argo CD server. Arguments: the root. */}}
{{- define "gitops-runtime.argoCD" -}}
{{- default (include "gitops-runtime.argoCDAddresses" . | fromJson).url (index .Values "app-proxy").config.argoCdUrl -}}
{{- end -}}

{{/*
gitops-runtime.argoCDLogin: how the runtime's programs sign in to Argo CD, as a YAML list of environment: a user and the password of a Secret, or
the token of one. Of this release's Argo CD the password is that of its administrator, which it makes up at its first start: a pod that read
nothing before that would be refused until it is replaced, so the kubelet holds it until the Secret is there. Arguments: the root.
*/}}
{{- define "gitops-runtime.argoCDLogin" -}}
{{- if ne (include "gitops-runtime.usesOwnArgoCD" .) "true" -}}
- name: ARGO_CD_PASSWORD
  valueFrom: {secretKeyRef: {name: argocd-initial-admin-secret, key: password, optional: {{ not (include "gitops-runtime.makesAdminPassword" .) }}}}
{{- else -}}
{{- $auth := (include "gitops-runtime.ownArgoCD" .Values.global | fromJson).server.auth -}}
{{- if eq $auth.type "token" -}}
- name: ARGO_CD_TOKEN
  valueFrom: {secretKeyRef: {{ ternary (dict "name" "codefresh-argo-cd" "key" "token") $auth.tokenSecretKeyRef (not (empty $auth.token)) | toJson }}}
{{- else -}}
- name: ARGO_CD_PASSWORD
  valueFrom: {secretKeyRef: {{ ternary (dict "name" "codefresh-argo-cd" "key" "password") $auth.passwordSecretKeyRef (not (empty $auth.password)) | toJson }}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
gitops-runtime.makesAdminPassword: "true" where this release's Argo CD is sure to make argocd-initial-admin-secret: it has an administrator, and
nobody else gives the password. Arguments: the root.
*/}}
{{- define "gitops-runtime.makesAdminPassword" -}}
{{- $argo := index .Values "argo-cd" -}}
{{- if $argo.enabled -}}
{{- $extra := (include "argo-cd.flat" (dict "settings" ($argo.configs.secret.extra | default dict)) | fromJson).data -}}
{{- $given := or (not $argo.configs.secret.createSecret) $argo.configs.secret.argocdServerAdminPassword (hasKey $extra "admin.password") -}}
{{- $settings := (include "argo-cd.flat" (dict "settings" $argo.configs.cm) | fromJson).data -}}
{{- if not (or $given (not $argo.configs.cm.create) (eq (default "true" (get $settings "admin.enabled")) "false")) }}true{{ end -}}
{{- end -}}
{{- end -}}

{{/* gitops-runtime.argoCDUser: the user whose password app-proxy has; empty with a token. Arguments: the root. */}}
{{- define "gitops-runtime.argoCDUser" -}}
{{- if ne (include "gitops-runtime.usesOwnArgoCD" .) "true" -}}
{{- (index .Values "app-proxy").config.argoCdUsername -}}
{{- else -}}
{{- $auth := (include "gitops-runtime.ownArgoCD" .Values.global | fromJson).server.auth -}}
{{- if eq $auth.type "password" }}{{ $auth.username }}{{ end -}}
{{- end -}}
{{- end -}}
