{{/*
gitops-runtime.cache: the Redis that app-proxy keeps its cache in, {address, secret, key} as JSON: that of this chart where it is enabled, or Argo CD's;
{} without any. Arguments: the root.
*/}}
{{- define "gitops-runtime.cache" -}}
{{- $domain := printf "%s.svc.%s" .Release.Namespace (index .Values "internal-router").clusterDomain -}}
{{- $argoCD := include "gitops-runtime.argoCDAddresses" . | fromJson -}}
{{- if .Values.redis.enabled -}}
{{- dict "address" (printf "%s.%s:%d" .Values.redis.fullnameOverride $domain (int .Values.redis.service.ports.redis.port)) "secret" "gitops-runtime-redis" "key" "auth" | toJson -}}
{{- else if or (index .Values "argo-cd").enabled (include "gitops-runtime.usesOwnArgoCD" .) -}}
{{- dict "address" $argoCD.redis "secret" $argoCD.redisSecret "key" $argoCD.redisKey | toJson -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{/*
gitops-runtime.redisSecretInit: the init container that makes the Secret gitops-runtime-redis with a random password where there is none, its volume
and its rights, {initContainers, volumes, rules} as JSON. The password goes through a pipe: as an argument every process could see it.
Arguments: global, values (redis-secret-init).
*/}}
{{- define "gitops-runtime.redisSecretInit" -}}
{{- $script := "kubectl get secret gitops-runtime-redis >/dev/null 2>&1 ||\n  head -c 32 /dev/urandom | base64 | tr -d '\\n' | kubectl create secret generic gitops-runtime-redis --from-file=auth=/dev/stdin\n" -}}
{{- $container := dict
  "name" "secret-init"
  "image" (include "common.image" (dict "global" .global "images" (list .values.image)))
  "imagePullPolicy" (include "common.imagePullPolicy" (dict "images" (list .values.image)))
  "command" (list "sh" "-c" $script)
  "securityContext" (include "common.securityContext" . | fromJson)
  "volumeMounts" (list (dict "name" "api-token" "mountPath" "/var/run/secrets/kubernetes.io/serviceaccount" "readOnly" true))
-}}
{{- $sources := list
  (dict "serviceAccountToken" (dict "path" "token" "expirationSeconds" 3607))
  (dict "configMap" (dict "name" "kube-root-ca.crt" "items" (list (dict "key" "ca.crt" "path" "ca.crt"))))
  (dict "downwardAPI" (dict "items" (list (dict "path" "namespace" "fieldRef" (dict "fieldPath" "metadata.namespace")))))
-}}
{{- $rules := list
  (dict "why" "makes the password of Redis; a name cannot be asked of what is not made yet" "apiGroups" (list "") "resources" (list "secrets") "verbs" (list "create"))
  (dict "why" "whether there is a password already" "apiGroups" (list "") "resources" (list "secrets") "resourceNames" (list "gitops-runtime-redis") "verbs" (list "get"))
-}}
{{- dict "initContainers" (list $container) "volumes" (list (dict "name" "api-token" "projected" (dict "sources" $sources))) "rules" $rules | toJson -}}
{{- end -}}
