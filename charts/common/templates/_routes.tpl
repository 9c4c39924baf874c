{{/*
common.ingress: an Ingress for one Service, as YAML; nothing unless ingress.enabled. Without hosts the rule matches all hosts. paths
defaults to / if it is null; if it is empty, there are only extraPaths.
Arguments: context, component (its name), name, ingress (values: annotations, labels, ingressClassName, hosts, paths, pathType, extraPaths,
tls), service {name, port (number)}, root (for the templates in values; only for tpl).
*/}}
{{- define "common.ingress" -}}
{{- $ingress := (include "common.evaluated" (dict "value" .ingress "root" .root) | fromJson).value -}}
{{- if $ingress.enabled -}}
{{- $backend := dict "service" (dict "name" .service.name "port" (dict "number" (int .service.port))) -}}
{{- $paths := $ingress.extraPaths | default list -}}
{{- range (include "common.firstSet" (list $ingress.paths (list "/")) | fromJson).value -}}
{{- $paths = append $paths (dict "path" . "pathType" (default "Prefix" $ingress.pathType) "backend" $backend) -}}
{{- end -}}
{{- $rules := list -}}
{{- range $ingress.hosts | default (list "") -}}
{{- $http := include "common.compact" (dict "paths" $paths) | fromJson -}}
{{- $rules = append $rules (include "common.compact" (dict "host" . "http" $http) | fromJson) -}}
{{- end -}}
{{- $spec := dict "ingressClassName" $ingress.ingressClassName "rules" $rules "tls" $ingress.tls -}}
{{- include "common.object" (dict
  "context" .context
  "component" .component
  "apiVersion" (default "networking.k8s.io/v1" .context.apiVersions.ingress)
  "kind" "Ingress"
  "name" .name
  "labels" $ingress.labels
  "annotations" $ingress.annotations
  "spec" $spec
) -}}
{{- end -}}
{{- end -}}

{{/*
common.httpRoute: a Gateway API route to one Service, as YAML; nothing unless route.enabled. Rules without backendRefs route to the
Service.
Arguments: context, component (its name), name, route (values: labels, annotations, parentRefs, hostnames, rules), service {name, port},
kind (default HTTPRoute; or GRPCRoute), root (for the templates in values; only for tpl).
*/}}
{{- define "common.httpRoute" -}}
{{- $route := (include "common.evaluated" (dict "value" .route "root" .root) | fromJson).value -}}
{{- if $route.enabled -}}
{{- $backend := dict "name" .service.name "port" (int .service.port) -}}
{{- $rules := list -}}
{{- $default := dict "backendRefs" (list $backend) -}}
{{- range $route.rules | default (list dict) -}}
{{- $rules = append $rules (include "common.layered" (list . $default) | fromJson) -}}
{{- end -}}
{{- $spec := dict "parentRefs" $route.parentRefs "hostnames" $route.hostnames "rules" $rules -}}
{{- include "common.object" (dict
  "context" .context
  "component" .component
  "apiVersion" "gateway.networking.k8s.io/v1"
  "kind" (default "HTTPRoute" .kind)
  "name" .name
  "labels" $route.labels
  "annotations" $route.annotations
  "spec" $spec
) -}}
{{- end -}}
{{- end -}}

{{/*
common.object: an object with metadata and a spec, as YAML. Empty fields of the spec are omitted.
Arguments: context, component (its name), apiVersion, kind, name, labels, annotations, spec.
*/}}
{{- define "common.object" -}}
apiVersion: {{ include "common.scalar" .apiVersion }}
kind: {{ .kind }}
metadata:
  {{- include "common.metadata" (pick . "context" "component" "name" "labels" "annotations") | nindent 2 }}
spec:
  {{- include "common.compact" .spec | fromJson | toYaml | nindent 2 }}
{{- end -}}
