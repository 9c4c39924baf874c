{{/*
argo-cd.volumes: the volumes of what a program reads from files, as a YAML list.
Arguments: files, a map of volume to path:
  ssh-known-hosts (host keys of Git servers), tls-certs (their certificates), gpg-keys (public keys of committers),
  argocd-cmd-params-cm (profiling switches), argocd-<component>-tls (that component's TLS certificate, when the Secret of this name
  exists);
params, the key of argocd-cmd-params-cm that switches profiling.
*/}}
{{- define "argo-cd.volumes" -}}
{{- range $name, $path := .files }}
- name: {{ $name }}
  {{- if regexMatch "^argocd-.*-tls$" $name }}
  secret:
    secretName: {{ $name }}
    optional: true
    items:
      - {key: tls.crt, path: tls.crt}
      - {key: tls.key, path: tls.key}
      - {key: ca.crt, path: ca.crt}
  {{- else if eq $name "argocd-cmd-params-cm" }}
  configMap: {name: {{ $name }}, optional: true, items: [{key: {{ toJson $.params }}, path: profiler.enabled}]}
  {{- else }}
  configMap: {name: argocd-{{ $name }}-cm, optional: true}
  {{- end }}
{{- end }}
{{- end -}}

{{/* argo-cd.volumeMounts: the mounts of these volumes, as a YAML list. Arguments: files. */}}
{{- define "argo-cd.volumeMounts" -}}
{{- range $name, $path := .files }}
- {name: {{ $name }}, mountPath: {{ $path }}, readOnly: true}
{{- end }}
{{- end -}}
