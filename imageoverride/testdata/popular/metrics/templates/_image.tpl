{{- define "metrics.image" -}}
{{- $registry := .root.Values.global.imageRegistry | default .image.registry -}}
{{- $tag := .image.tag | default .root.Chart.AppVersion -}}
{{- if .image.sha -}}
{{ $registry }}/{{ .image.repository }}:{{ $tag }}@sha256:{{ .image.sha }}
{{- else -}}
{{ $registry }}/{{ .image.repository }}:{{ $tag }}
{{- end -}}
{{- end -}}
