{{/* kit.image: a reference from a registry, a repository, a tag and a digest; a registry of global wins. */}}
{{- define "kit.image" -}}
{{- $registry := .imageRoot.registry -}}
{{- $repository := .imageRoot.repository -}}
{{- $separator := ":" -}}
{{- $termination := .imageRoot.tag | toString -}}
{{- with .global }}{{ if .imageRegistry }}{{ $registry = .imageRegistry }}{{ end }}{{ end -}}
{{- if not .imageRoot.tag }}{{ with .chart }}{{ $termination = .AppVersion | toString }}{{ end }}{{ end -}}
{{- if .imageRoot.digest }}{{ $separator = "@" }}{{ $termination = .imageRoot.digest | toString }}{{ end -}}
{{- if $registry -}}
{{- printf "%s/%s%s%s" $registry $repository $separator $termination -}}
{{- else -}}
{{- printf "%s%s%s" $repository $separator $termination -}}
{{- end -}}
{{- end -}}

{{/* kit.pullSecrets: pull secrets of global and of all images, each once. */}}
{{- define "kit.pullSecrets" -}}
{{- $names := list -}}
{{- range (.global).imagePullSecrets }}{{ $names = append $names . }}{{ end -}}
{{- range .images }}{{ range .pullSecrets }}{{ $names = append $names . }}{{ end }}{{ end -}}
{{- if $names }}
imagePullSecrets:
{{- range $names | uniq }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end -}}
