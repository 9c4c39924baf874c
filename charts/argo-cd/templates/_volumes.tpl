{{/*
argo-cd.volumes: {volumes, volumeMounts} as JSON of what the programs read from files.
Arguments: mounts, a map of volume to path:
  ssh-known-hosts (host keys of Git servers), tls-certs (their certificates), gpg-keys (public keys of committers),
  argocd-cmd-params-cm (profiling switches), argocd-<component>-tls (that component's TLS certificate, when the Secret of this name
  exists); params, the key of argocd-cmd-params-cm that switches profiling.
*/}}
{{- define "argo-cd.volumes" -}}
{{- $volumes := list -}}{{- $mounts := list -}}
{{- range $name, $path := .mounts -}}
{{- $volume := dict "name" $name -}}
{{- if regexMatch "^argocd-.*-tls$" $name -}}
{{- $items := list }}{{ range list "tls.crt" "tls.key" "ca.crt" }}{{ $items = append $items (dict "key" . "path" .) }}{{ end -}}
{{- $_ := set $volume "secret" (dict "secretName" $name "optional" true "items" $items) -}}
{{- else if eq $name "argocd-cmd-params-cm" -}}
{{- $_ := set $volume "configMap" (dict "name" $name "optional" true "items" (list (dict "key" $.params "path" "profiler.enabled"))) -}}
{{- else -}}
{{- $_ := set $volume "configMap" (dict "name" (printf "argocd-%s-cm" $name) "optional" true) -}}
{{- end -}}
{{- $volumes = append $volumes $volume -}}
{{- $mounts = append $mounts (dict "name" $name "mountPath" $path "readOnly" true) -}}
{{- end -}}
{{- dict "volumes" $volumes "volumeMounts" $mounts | toJson -}}
{{- end -}}
