{{/*
common.image: an image reference.
Arguments: global, images (a list of {registry, repository, tag, digest}; later ones take precedence, field by field), tag (default).
global.imageRegistry takes precedence over registry, but is never put in front of a repository that names a registry itself, as in the
published chart 0.30.0; registry replaces the one in repository. A digest takes precedence over a tag.
*/}}
{{- define "common.image" -}}
{{- $image := dict -}}
{{- range .images -}}
{{- range $field, $value := . -}}
{{- if or (kindIs "float64" $value) $value }}{{ $_ := set $image $field $value }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $repository := required "an image needs a repository: set image.repository" $image.repository -}}
{{- $all := (.global).imageRegistry -}}
{{- if not (include "common.registry" $repository) -}}
{{- with coalesce $all $image.registry }}{{ $repository = printf "%s/%s" (trimSuffix "/" .) $repository }}{{ end -}}
{{- else if and $image.registry (not $all) -}}
{{- $path := splitList "/" $repository | rest | join "/" -}}
{{- $repository = printf "%s/%s" (trimSuffix "/" $image.registry) $path -}}
{{- end -}}
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

{{/* common.registry: the registry that an image repository names, such as quay.io or localhost:5000; empty without one. */}}
{{- define "common.registry" -}}
{{- $first := splitList "/" . | first -}}
{{- if and (contains "/" .) (or (contains "." $first) (contains ":" $first) (eq $first "localhost")) }}{{ $first }}{{ end -}}
{{- end -}}

{{/*
common.imageReference: a complete image reference, with global.imageRegistry in front if it names no registry. It is for images that are
passed as text: in lists of versions, arguments, environment variables.
Arguments: global, reference.
*/}}
{{- define "common.imageReference" -}}
{{- if and (.global).imageRegistry (not (include "common.registry" .reference)) -}}
{{- printf "%s/%s" (trimSuffix "/" .global.imageRegistry) .reference -}}
{{- else -}}
{{- .reference -}}
{{- end -}}
{{- end -}}
