{{- define "policy.image" -}}
{{- $tag := default .chart.AppVersion .image.tag -}}
{{- $registry := default .default .image.registry -}}
{{- if not (typeIs "string" $tag) }}{{ fail "Image tags must be strings." }}{{ end -}}
{{- if $registry -}}
{{ $registry }}/{{ required "An image repository is required" .image.repository }}:{{ $tag }}
{{- else -}}
{{ required "An image repository is required" .image.repository }}:{{ $tag }}
{{- end -}}
{{- end -}}
