{{/*
gitops-runtime.cache: the Redis that the runtime's programs use, {host, port, secret, key} as JSON: the replicated or the single one of this
chart, or the replicated Redis of its Argo CD; {} if none is enabled. Arguments: the root.
*/}}
{{- define "gitops-runtime.cache" -}}
{{- $domain := printf "%s.svc.%s" .Release.Namespace (index .Values "internal-router").clusterDomain -}}
{{- $redis := .Values.redis -}}
{{- $ha := index .Values "redis-ha" -}}
{{- if and $ha.enabled $ha.haproxy.enabled -}}
{{- $names := include "common.redisHA" (dict "name" $ha.fullnameOverride "values" $ha) | fromJson -}}
{{- $host := printf "%s.%s" $names.haproxy $domain -}}
{{- dict "host" $host "port" 6379 "secret" (default "gitops-runtime-redis" $names.secret) "key" "auth" | toJson -}}
{{- else if $redis.enabled -}}
{{- $host := printf "%s.%s" $redis.fullnameOverride $domain -}}
{{- dict "host" $host "port" (int $redis.service.ports.redis.port) "secret" "gitops-runtime-redis" "key" "auth" | toJson -}}
{{- else if include "gitops-runtime.sharesRedis" . -}}
{{- $context := dict "fullname" (include "gitops-runtime.prefix" (dict "root" . "chart" "argo-cd")) -}}
{{- $ha := include "argo-cd.redisHA" (dict "context" $context "values" (index .Values "argo-cd")) | fromJson -}}
{{- $host := printf "%s.%s" $ha.haproxy $domain -}}
{{- dict "host" $host "port" 6379 "secret" (default "argocd-redis" $ha.secret) "key" "auth" | toJson -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{/*
gitops-runtime.sharesRedis: "true" if the runtime's programs use the replicated Redis of Argo CD: several app-proxies need a cache, and the
runtime has none of its own. The published chart refuses these values. Arguments: the root.
*/}}
{{- define "gitops-runtime.sharesRedis" -}}
{{- $argo := index .Values "argo-cd" -}}
{{- $own := or .Values.redis.enabled (index .Values "redis-ha").enabled -}}
{{- $several := gt (int (index .Values "app-proxy").replicaCount) 1 -}}
{{- if and $several (not $own) $argo.enabled (index $argo "redis-ha" | default dict).enabled }}true{{ end -}}
{{- end -}}

{{/* gitops-runtime.cachePeers: the egress rules to the Redis of gitops-runtime.cache, as a JSON list. Arguments: the root. */}}
{{- define "gitops-runtime.cachePeers" -}}
{{- $peers := list -}}
{{- $ha := index .Values "redis-ha" -}}
{{- if and $ha.enabled $ha.haproxy.enabled -}}
{{- $context := include "gitops-runtime.context" (dict "root" . "name" "redis-ha-haproxy" "values" $ha) | fromJson -}}
{{- $pods := dict "podSelector" (dict "matchLabels" $context.selector) -}}
{{- $peers = append $peers (dict "ports" (list 6379) "to" (list $pods)) -}}
{{- else if .Values.redis.enabled -}}
{{- $pods := dict "podSelector" (include "gitops-runtime.podsOfPart" (dict "root" . "name" "redis") | fromJson) -}}
{{- $peers = append $peers (dict "ports" (list (int .Values.redis.service.ports.redis.targetPort)) "to" (list $pods)) -}}
{{- else if include "gitops-runtime.sharesRedis" . -}}
{{- $pods := dict "podSelector" (dict "matchLabels" (dict "app.kubernetes.io/instance" .Release.Name)) -}}
{{- $peers = append $peers (dict "ports" (list 6379) "to" (list $pods) "why" "the replicated Redis of Argo CD") -}}
{{- end -}}
{{- toJson $peers -}}
{{- end -}}

{{/* gitops-runtime.cacheClients: the pods that use the Redis of this chart, as a JSON list of peers. Arguments: the root. */}}
{{- define "gitops-runtime.cacheClients" -}}
{{- $clients := list -}}
{{- range list "app-proxy" "argo-gateway" "runtime-event-reporter" "cluster-event-reporter" -}}
{{- $clients = append $clients (dict "podSelector" (include "gitops-runtime.podsOfPart" (dict "root" $ "name" .) | fromJson)) -}}
{{- end -}}
{{- toJson $clients -}}
{{- end -}}

{{/*
gitops-runtime.redisSecretInit: the init container that creates the Secret gitops-runtime-redis with a random password if it does not
exist, its volume and its permissions, {initContainers, volumes, rules} as YAML. The password is passed through a pipe, because every
process can see arguments.
Arguments: global, values (redis-secret-init).
*/}}
{{- define "gitops-runtime.redisSecretInit" -}}
{{- $images := list .values.image -}}
initContainers:
  - name: secret-init
    image: {{ include "common.image" (dict "global" .global "images" $images) | toJson }}
    imagePullPolicy: {{ include "common.imagePullPolicy" (dict "images" $images) | toJson }}
    command:
      - sh
      - -c
      - |
        kubectl get secret gitops-runtime-redis >/dev/null 2>&1 ||
          head -c 32 /dev/urandom | base64 | tr -d '\n' | kubectl create secret generic gitops-runtime-redis --from-file=auth=/dev/stdin
    resources: {requests: {cpu: 10m, memory: 32Mi}}
    securityContext: {{ include "common.securityContext" . }}
    volumeMounts:
      - {name: api-token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
volumes:
  - name: api-token
    projected:
      sources:
        - serviceAccountToken: {path: token, expirationSeconds: 3607}
        - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
        - downwardAPI: {items: [{path: namespace, fieldRef: {fieldPath: metadata.namespace}}]}
rules:
  - why: creates the password of Redis; create cannot be restricted by name
    apiGroups: [""]
    resources: [secrets]
    verbs: [create]
  - why: whether a password exists already
    apiGroups: [""]
    resources: [secrets]
    resourceNames: [gitops-runtime-redis]
    verbs: [get]
{{- end -}}
