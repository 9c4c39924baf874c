{{/*
common.image: an image reference.
Arguments: global, images (a list of {registry, repository, tag, digest}; later ones take precedence, field by field), tag (default).
global.imageRegistry takes precedence over registry, and both over a registry at the start of repository. A digest takes precedence over a
tag.
*/}}
{{- define "common.image" -}}
{{- $image := dict -}}
{{- range .images -}}
{{- range $field, $value := . -}}
{{- if or (kindIs "float64" $value) $value }}{{ $_ := set $image $field $value }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $repository := required "an image needs a repository: set image.repository" $image.repository -}}
{{- $first := splitList "/" $repository | first -}}
{{- $hosted := and (contains "/" $repository) (or (contains "." $first) (contains ":" $first) (eq $first "localhost")) -}}
{{- $registry := (.global).imageRegistry -}}
{{- if and (not $registry) $image.registry }}{{ $registry = $image.registry }}{{ end -}}
{{- if and $hosted $registry }}{{ $repository = trimPrefix (printf "%s/" $first) $repository }}{{ end -}}
{{- if $registry }}{{ $repository = printf "%s/%s" (trimSuffix "/" $registry) $repository }}{{ end -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .tag $image.tag | toString) -}}
{{- end -}}
{{- end -}}

{{/* common.imagePullPolicy: the pull policy of the last image of the list that has one. Arguments: images. */}}
{{- define "common.imagePullPolicy" -}}
{{- $policy := "IfNotPresent" -}}
{{- range .images }}{{ $policy = coalesce .pullPolicy .imagePullPolicy $policy }}{{ end -}}
{{- $policy -}}
{{- end -}}

{{/* common.imagePullSecrets: {"secrets": [{name}]} as JSON; names and objects may be mixed. Arguments: lists (a list of lists). */}}
{{- define "common.imagePullSecrets" -}}
{{- $secrets := list -}}
{{- range .lists }}{{ range . -}}
{{- $secrets = append $secrets (ternary (dict "name" .) . (kindIs "string" .)) -}}
{{- end }}{{ end -}}
{{- dict "secrets" (uniq $secrets) | toJson -}}
{{- end -}}

{{/*
common.imageReference: a complete image reference with its registry replaced by global.imageRegistry; unchanged if that is not set. It is
for images that are passed as text: in lists of versions, arguments, environment variables.
Arguments: global, reference.
*/}}
{{- define "common.imageReference" -}}
{{- if (.global).imageRegistry -}}
{{- $first := splitList "/" .reference | first -}}
{{- $hosted := and (contains "/" .reference) (or (contains "." $first) (contains ":" $first) (eq $first "localhost")) -}}
{{- printf "%s/%s" (trimSuffix "/" .global.imageRegistry) (ternary (trimPrefix (printf "%s/" $first) .reference) .reference $hosted) -}}
{{- else -}}
{{- .reference -}}
{{- end -}}
{{- end -}}
