{{/*
gitops-runtime.externalArgoCD: the values of an external Argo CD, {server, repoServer} as JSON: global.integrations.argo-cd, merged with its
older name global.external-argo-cd, which takes precedence. Arguments: global.
*/}}
{{- define "gitops-runtime.externalArgoCD" -}}
{{- $now := index .integrations "argo-cd" -}}
{{- $older := index . "external-argo-cd" | default dict -}}
{{- $server := mergeOverwrite (dict "auth" (.auth | default dict)) $now.server ($older.server | default dict) -}}
{{- $_ := set $server "auth" (mergeOverwrite dict $now.server.auth ($older.auth | default dict)) -}}
{{- dict "server" $server "repoServer" (mergeOverwrite dict $now.repoServer ($older.repoServer | default dict)) | toJson -}}
{{- end -}}

{{/* gitops-runtime.usesExternalArgoCD: "true" if the runtime uses an external Argo CD. Arguments: the root. */}}
{{- define "gitops-runtime.usesExternalArgoCD" -}}
{{- if and
  (not (index .Values "argo-cd").enabled)
  (include "gitops-runtime.externalArgoCD" .Values.global | fromJson).server.svc
}}true{{ end -}}
{{- end -}}

{{/*
gitops-runtime.serviceHost: the host name of a Service that values contain as <name>, <name>.<namespace> or a complete host name.
Arguments: root, service.
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
gitops-runtime.argoCDAddresses: the addresses of the runtime's Argo CD, of this release or external, {server, url, repoServer,
rootpath} as JSON. server is host:port with the root path; url also has the scheme; rootpath is what global.integrations says, of which
the clients are told separately, whether Argo CD is external or not, as in the published chart 0.30.0. Arguments: the root.
*/}}
{{- define "gitops-runtime.argoCDAddresses" -}}
{{- $repoServer := "" -}}{{- $server := "" -}}{{- $path := "" -}}{{- $tls := false -}}
{{- if eq (include "gitops-runtime.usesExternalArgoCD" .) "true" -}}
{{- $own := include "gitops-runtime.externalArgoCD" .Values.global | fromJson -}}
{{- $elsewhere := splitList "." $own.server.svc | rest | join "." -}}
{{- $service := default (ternary "argocd-repo-server"
  (printf "argocd-repo-server.%s" $elsewhere)
  (empty $elsewhere)
) $own.repoServer.svc -}}
{{- $repoServer = printf "%s:%d" (include "gitops-runtime.serviceHost" (dict "root" . "service" $service)) (int $own.repoServer.port) -}}
{{- $server = printf "%s:%d" (include "gitops-runtime.serviceHost" (dict "root" . "service" $own.server.svc)) (int $own.server.port) -}}
{{- $tls = eq (int $own.server.port) 443 -}}
{{- $path = $own.server.rootpath -}}
{{- else -}}
{{- $argo := index .Values "argo-cd" -}}
{{- $domain := printf "%s.svc.%s" .Release.Namespace (index .Values "internal-router").clusterDomain -}}
{{- $params := dict "server.insecure" true -}}
{{- if $argo.enabled -}}
{{- $params = (include "argo-cd.flat" (dict "settings" ($argo.configs.params | default dict)) | fromJson).data -}}
{{- end -}}
{{- $tls = ne (toString (get $params "server.insecure")) "true" -}}
{{- $path = get $params "server.rootpath" -}}
{{- $service := ($argo.server).service | default dict -}}
{{- $port := ternary (default 443 $service.servicePortHttps) (default 80 $service.servicePortHttp) $tls | int -}}
{{- $repoPort := (($argo.repoServer).service).port | default 8081 | int -}}
{{- $name := dict "root" . "chart" "argo-cd" -}}
{{- $serverName := include "gitops-runtime.nameOf" (merge (dict "component" (($argo.server).name | default "server")) $name) -}}
{{- $repoName := include "gitops-runtime.nameOf" (merge (dict "component" (($argo.repoServer).name | default "repo-server")) $name) -}}
{{- $repoServer = printf "%s.%s:%d" $repoName $domain $repoPort -}}
{{- $server = printf "%s.%s:%d" $serverName $domain $port -}}
{{- end -}}
{{- with trimAll "/" (default "" $path) }}{{ $server = printf "%s/%s" $server . }}{{ end -}}
{{- $named := index .Values.global.integrations "argo-cd" -}}
{{- $external := include "gitops-runtime.usesExternalArgoCD" . -}}
{{- dict
  "server" $server
  "url" (printf "%s://%s" (ternary "https" "http" $tls) $server)
  "repoServer" $repoServer
  "rootpath" (ternary (trimSuffix "/" (default "" $path)) ($named.server.rootpath | default "") (eq $external "true"))
| toJson -}}
{{- end -}}

{{/* gitops-runtime.argoCD: the URL of the Argo CD server. Arguments: the root. */}}
{{- define "gitops-runtime.argoCD" -}}
{{- default (include "gitops-runtime.argoCDAddresses" . | fromJson).url ((index .Values "app-proxy").config).argoCdUrl -}}
{{- end -}}

{{/*
gitops-runtime.argoCDLogin: the credentials of app-proxy for Argo CD, of this release or external, as a YAML list of environment variables:
a user and a password, or a token, from a Secret. This release's Argo CD generates its administrator's password at its first start: a pod
that started before that would be rejected until it is replaced, so the kubelet delays it until the Secret exists. Arguments: the root.
*/}}
{{- define "gitops-runtime.argoCDLogin" -}}
{{- $auth := (include "gitops-runtime.externalArgoCD" .Values.global | fromJson).server.auth -}}
{{- if eq $auth.type "token" -}}
- {name: ARGO_CD_TOKEN, valueFrom: {secretKeyRef: {{ include "gitops-runtime.argoCDToken" . }}}}
{{- else -}}
{{- $password := pick $auth.passwordSecretKeyRef "name" "key" -}}
{{- $generated := and (index .Values "argo-cd").enabled (eq (toString $password.name) "argocd-initial-admin-secret") -}}
{{- if $auth.password -}}
{{- $password = dict "name" "gitops-runtime-argo-cd-password" "key" "token" -}}
{{- else if and $generated (not (include "gitops-runtime.createsAdminPassword" .)) -}}
{{- $_ := set $password "optional" true -}}
{{- end -}}
- {name: ARGO_CD_USERNAME, valueFrom: {configMapKeyRef: {name: cap-app-proxy-cm, key: argoCdUsername}}}
- {name: ARGO_CD_PASSWORD, valueFrom: {secretKeyRef: {{ toJson $password }}}}
{{- end -}}
{{- end -}}

{{/*
gitops-runtime.argoCDToken: the Secret with the token of Argo CD that gitops-operator, argo-gateway and the event reporters read through
the API, {name, key} as JSON; app-proxy creates it if it signs in with a password. Arguments: the root.
*/}}
{{- define "gitops-runtime.argoCDToken" -}}
{{- $auth := (include "gitops-runtime.externalArgoCD" .Values.global | fromJson).server.auth -}}
{{- if ne $auth.type "token" -}}
{{- dict "name" "argocd-token" "key" "token" | toJson -}}
{{- else if $auth.token -}}
{{- dict "name" "gitops-runtime-argo-cd-token" "key" "token" | toJson -}}
{{- else -}}
{{- pick $auth.tokenSecretKeyRef "name" "key" | toJson -}}
{{- end -}}
{{- end -}}

{{/*
gitops-runtime.argoCDTokenEnv: the name and key of the Secret with Argo CD's token, as a YAML list of environment variables.
Arguments: the root.
*/}}
{{- define "gitops-runtime.argoCDTokenEnv" -}}
{{- $token := include "gitops-runtime.argoCDToken" . | fromJson -}}
- {name: ARGO_CD_TOKEN_SECRET_NAME, value: {{ $token.name | quote }}}
- {name: ARGO_CD_TOKEN_SECRET_KEY, value: {{ $token.key | quote }}}
{{- end -}}

{{/*
gitops-runtime.createsAdminPassword: "true" if this release's Argo CD always creates argocd-initial-admin-secret: it has an administrator,
and its password is not set elsewhere. Arguments: the root.
*/}}
{{- define "gitops-runtime.createsAdminPassword" -}}
{{- $argo := index .Values "argo-cd" -}}
{{- if $argo.enabled -}}
{{- $extra := (include "argo-cd.flat" (dict "settings" ($argo.configs.secret.extra | default dict)) | fromJson).data -}}
{{- $given := or
  (not $argo.configs.secret.createSecret)
  $argo.configs.secret.argocdServerAdminPassword
  (hasKey $extra "admin.password")
-}}
{{- $settings := (include "argo-cd.flat" (dict "settings" $argo.configs.cm) | fromJson).data -}}
{{- if not (or $given (not $argo.configs.cm.create) (eq (default "true" (get $settings "admin.enabled")) "false")) }}true{{ end -}}
{{- end -}}
{{- end -}}

{{/*
gitops-runtime.argoCDUser: the user whose password app-proxy uses; empty if app-proxy uses a token. The older
app-proxy.config.argoCdUsername takes precedence, as in the published chart 0.30.0. Arguments: the root.
*/}}
{{- define "gitops-runtime.argoCDUser" -}}
{{- $auth := (include "gitops-runtime.externalArgoCD" .Values.global | fromJson).server.auth -}}
{{- if eq $auth.type "password" }}{{ coalesce ((index .Values "app-proxy").config).argoCdUsername $auth.username }}{{ end -}}
{{- end -}}
