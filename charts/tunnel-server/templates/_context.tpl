{{/* tunnel-server.context: common.context of this chart. Arguments: the root. */}}
{{- define "tunnel-server.context" -}}
{{- include "common.context" (dict "chart" .Chart "release" .Release "values" .Values) -}}
{{- end -}}

{{/* tunnel-server.check: fails the render if a required value is missing or invalid. Arguments: values. */}}
{{- define "tunnel-server.check" -}}
{{- $label := "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?" -}}
{{- if not (regexMatch (printf "^%s(\\.%s)*$" $label $label) (.subdomainHost | default "")) -}}
{{- fail (printf "\nsubdomainHost is not a host name: %q.\n  fix: --set subdomainHost=<domain of the tunnels>" .subdomainHost) -}}
{{- end -}}
{{- if not .tls.secretName -}}
{{- fail (print
  "\nThe tunnel server has no certificate: tls.secretName is empty."
  "\n  fix: --set tls.secretName=<Secret of the type kubernetes.io/tls>"
) -}}
{{- end -}}
{{- if not (regexMatch "^https?://[^/?#\\s\"]+/?$" (.plugin.url | default "")) -}}
{{- fail (printf
  (print "\nplugin.url is not an http or https URL without a path: %q." "\n  fix: --set plugin.url=https://<host of the platform>")
  (.plugin.url | default "")
) -}}
{{- end -}}
{{- if not (regexMatch "^/[^\\s\"]*$" (.plugin.path | default "")) -}}
{{- fail (printf "\nplugin.path is not a path: %q.\n  fix: --set plugin.path=/newProxy" (.plugin.path | default "")) -}}
{{- end -}}
{{- end -}}
