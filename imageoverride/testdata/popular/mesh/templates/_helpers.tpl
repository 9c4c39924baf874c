{{- define "mesh.image" -}}
{{- $image := index .root.Values.images .name -}}
{{- printf "%s:%s" $image.name (coalesce $image.tag .root.Values.imageTag .root.Chart.AppVersion) -}}
{{- end -}}
