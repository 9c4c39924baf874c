{{/*
argo-cd.volumes: the volumes with the files that a program reads, as a YAML list.
Arguments: files, a map of volume to path:
  ssh-known-hosts (host keys of Git servers), tls-certs (their certificates), gpg-keys (public keys of committers),
  argocd-cmd-params-cm (profiling), argocd-<component>-tls (that component's TLS certificate, if the Secret of this name exists);
params, the key of argocd-cmd-params-cm that enables profiling.
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

{{/* argo-cd.volumeMounts: the mounts of the volumes of argo-cd.volumes, as a YAML list. Arguments: files. */}}
{{- define "argo-cd.volumeMounts" -}}
{{- range $name, $path := .files }}
- {name: {{ $name }}, mountPath: {{ $path }}, readOnly: true}
{{- end }}
{{- end -}}
