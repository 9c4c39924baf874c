{{- define "styles.image" -}}
{{- $registry := .global.imageRegistry | default .image.registry -}}
{{- $separator := ternary "@" ":" (not (empty .image.digest)) -}}
{{- printf "%s/%s%s%s" $registry .image.repository $separator (.image.digest | default .image.tag) -}}
{{- end -}}
