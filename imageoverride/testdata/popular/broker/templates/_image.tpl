{{- define "broker.image" -}}
{{- printf "%s/%s/%s:%s%s" (default .root.Values.defaultImageRegistry .image.registry) (default .root.Values.defaultImageRepository .image.repository) .image.name (default .root.Values.defaultImageTag (coalesce .image.tag .image.tagPrefix)) (default "" .suffix) -}}
{{- end -}}
