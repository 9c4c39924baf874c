{{- /*
sealed-secrets.ingress: the Ingress for the public certificate, and the Secrets with its certificates. Arguments: values, context, root.
*/}}
{{- define "sealed-secrets.ingress" -}}
{{- $ingress := .values.ingress }}
{{- if $ingress.enabled }}
{{- $backend := dict "service" (dict "name" .context.fullname "port" (dict "name" "http")) }}
{{- $rules := list }}
{{- with $ingress.hostname }}
{{- $path := dict "path" $ingress.path "pathType" $ingress.pathType "backend" $backend }}
{{- $rules = append $rules (dict "host" . "http" (dict "paths" (append ($ingress.extraPaths | default list) $path))) }}
{{- end }}
{{- range $ingress.extraHosts }}
{{- $path := dict "path" (default "/" .path) "pathType" (default "ImplementationSpecific" .pathType) "backend" $backend }}
{{- $rules = append $rules (dict "host" .name "http" (dict "paths" (list $path))) }}
{{- end }}
{{- $tls := list }}
{{- if and $ingress.tls $ingress.hostname }}
{{- $tls = append $tls (dict "hosts" (list $ingress.hostname) "secretName" (printf "%s-tls" $ingress.hostname)) }}
{{- end }}
---
{{ include "common.object" (dict
  "context" .context
  "apiVersion" (default "networking.k8s.io/v1" $ingress.apiVersion)
  "kind" "Ingress"
  "name" .context.fullname
  "annotations" (include "common.evaluated" (dict "value" $ingress.annotations "root" .root) | fromJson).value
  "spec" (dict "ingressClassName" $ingress.ingressClassName "rules" $rules "tls" (concat $tls ($ingress.extraTls | default list)))
) }}
{{- range $ingress.secrets }}
---
apiVersion: v1
kind: Secret
metadata:
  {{- include "common.metadata" (dict "context" $.context "name" .name) | nindent 2 }}
type: kubernetes.io/tls
data:
  tls.crt: {{ b64enc .certificate }}
  tls.key: {{ b64enc .key }}
{{- end }}
{{- end }}
{{- end }}

{{- /* sealed-secrets.monitor: the ServiceMonitor of the metrics Service. Arguments: values, context. */}}
{{- define "sealed-secrets.monitor" -}}
{{- with .values.metrics.serviceMonitor }}
{{- if .enabled }}
---
{{ include "common.object" (dict
  "context" (merge (dict "namespace" (default $.context.namespace .namespace)) $.context)
  "apiVersion" "monitoring.coreos.com/v1"
  "kind" "ServiceMonitor"
  "name" $.context.fullname
  "labels" .labels
  "annotations" .annotations
  "spec" (dict
    "endpoints" (list (include "common.compact"
      (merge (dict "port" "metrics") (pick . "interval" "scrapeTimeout" "honorLabels" "metricRelabelings" "relabelings"))
    | fromJson))
    "namespaceSelector" (dict "matchNames" (list $.context.namespace))
    "selector" (dict "matchLabels" (merge
      (dict "app.kubernetes.io/component" "metrics")
      (include "common.selectorLabels" (dict "context" $.context) | fromJson)
    ))
  )
) }}
{{- end }}
{{- end }}
{{- end }}
