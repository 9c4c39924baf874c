{{/*
argo-cd.ingress: an Ingress, as YAML; nothing unless ingress.enabled.
Arguments: context, component, name, ingress (values), host (default of ingress.hostname), service {name, port (number)}, secret (of the
TLS certificate), paths (before the user's), annotations (in addition to the user's), root (for the templates in values; only for tpl).
*/}}
{{- define "argo-cd.ingress" -}}
{{- $ingress := (include "common.evaluated" (dict "value" .ingress "root" .root) | fromJson).value -}}
{{- if $ingress.enabled -}}
{{- $host := default .host $ingress.hostname -}}
{{- $backend := dict "service" (dict "name" .service.name "port" (dict "number" (int .service.port))) -}}
{{- $own := dict "path" $ingress.path "pathType" $ingress.pathType "backend" $backend -}}
{{- $rules := list (dict
  "host" $host
  "http" (dict "paths" (concat (.paths | default list) ($ingress.extraPaths | default list) (list $own)))
) -}}
{{- $hosts := list $host -}}
{{- range $ingress.extraHosts -}}
{{- $hosts = append $hosts .name -}}
{{- $rules = append $rules (dict "host" .name "http" (dict "paths" (list (merge (dict "path" (default $ingress.path .path)) $own)))) -}}
{{- end -}}
{{- $tls := ternary (list (dict "hosts" $hosts "secretName" .secret)) list $ingress.tls -}}
{{- $spec := dict
  "ingressClassName" $ingress.ingressClassName
  "rules" (concat $rules ($ingress.extraRules | default list))
  "tls" (concat $tls ($ingress.extraTls | default list))
-}}
{{- include "common.object" (dict
  "context" .context
  "component" .component
  "apiVersion" (default "networking.k8s.io/v1" .context.apiVersions.ingress)
  "kind" "Ingress"
  "name" .name
  "labels" $ingress.labels
  "annotations" (include "common.layered" (list $ingress.annotations .annotations) | fromJson)
  "spec" $spec
) -}}
{{- end -}}
{{- end -}}

{{/*
argo-cd.listenerSet: a ListenerSet of the Gateway API, as YAML; nothing unless listenerset.enabled.
Arguments: context, component, name, listenerset (values).
*/}}
{{- define "argo-cd.listenerSet" -}}
{{- with .listenerset }}{{ if .enabled -}}
{{- include "common.object" (dict
  "context" $.context
  "component" $.component
  "apiVersion" "gateway.networking.k8s.io/v1"
  "kind" "ListenerSet"
  "name" $.name
  "labels" .labels
  "annotations" .annotations
  "spec" (pick . "parentRef" "listeners")
) -}}
{{- end }}{{ end -}}
{{- end -}}
