{{/*
argo-cd.redisSecretInit: {initContainers, volumes, rules} as YAML: creates the Secret argocd-redis with a random password, if it does not
exist, before Redis starts. It is not a hook, so that it works with Helm and with Argo CD. Only this container mounts the API token.
Arguments: context, values.
*/}}
{{- define "argo-cd.redisSecretInit" -}}
{{- $v := .values.redisSecretInit -}}
{{- $ha := index .values "redis-ha" -}}
{{- $needed := and $v.enabled (or (not $ha.enabled) (and $ha.auth (eq $ha.existingSecret "argocd-redis"))) -}}
{{- $images := list .values.global.image $v.image -}}
initContainers:
  {{- if $needed }}
  - name: {{ toJson $v.name }}
    image: {{ include "common.image" (dict "global" .values.global "images" $images "tag" .context.version) | toJson }}
    imagePullPolicy: {{ include "common.imagePullPolicy" (dict "images" $images) | toJson }}
    command: [argocd, admin, redis-initial-password]
    args: {{ toJson $v.extraArgs }}
    securityContext: {{ mergeOverwrite
      (include "common.securityContext" . | fromJson)
      ($v.securityContext | default dict)
      ($v.containerSecurityContext | default dict)
    | toJson }}
    resources: {{ include "common.resources" (dict "values" $v.resources "cpu" "10m" "memory" "32Mi") }}
    volumeMounts:
      - {name: api-token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
  {{- end }}
volumes:
  {{- if $needed }}
  - name: api-token
    projected:
      sources:
        - serviceAccountToken: {path: token, expirationSeconds: 3607}
        - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
        - downwardAPI: {items: [{path: namespace, fieldRef: {fieldPath: metadata.namespace}}]}
  {{- end }}
rules:
  {{- if $needed }}
  - why: creates the password of Redis; create cannot be restricted by name
    apiGroups: [""]
    resources: [secrets]
    verbs: [create]
  - why: whether a password exists already
    apiGroups: [""]
    resources: [secrets]
    resourceNames: [argocd-redis]
    verbs: [get]
  {{- end }}
{{- end -}}
