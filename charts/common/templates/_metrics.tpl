{{/*
common.metrics: a component's metrics Service, ServiceMonitor and PrometheusRule, as YAML documents; nothing unless values.metrics.enabled.
facts.metrics: {port: name of the container's port, servicePort: number, path}. Arguments: a component.
*/}}
{{- define "common.metrics" -}}
{{- $metrics := .values.metrics | default dict -}}{{- $f := .facts -}}
{{- if and $f.metrics $metrics.enabled }}
{{- $name := printf "%s-metrics" (include "common.componentName" .) }}
{{- $scraped := default .context.name $f.name }}
{{- $service := $metrics.service | default dict }}
{{- $port := coalesce $service.portName "http-metrics" }}
---
apiVersion: v1
kind: Service
metadata:
  {{- $labels := merge (dict "app.kubernetes.io/metrics" $scraped) ($service.labels | default dict) }}
  {{- $annotations := merge dict ($service.annotations | default dict) }}
  {{- if .context.global.addPrometheusAnnotations }}
  {{- $annotations = merge $annotations
    (dict
      "prometheus.io/scrape" "true"
      "prometheus.io/port" (toString (coalesce $service.servicePort $f.metrics.servicePort))
      "prometheus.io/path" (default "/metrics" $f.metrics.path)
    )
  }}
  {{- end }}
  {{- include "common.metadata" (dict
    "context" .context
    "component" $f.name
    "name" $name
    "labels" $labels
    "annotations" $annotations
  ) | nindent 2 }}
spec:
  {{- if ne (default "ClusterIP" $service.type) "ClusterIP" }}{{ $service = omit $service "clusterIP" }}{{ end }}
  {{- $spec := merge
    (dict "type" (default "ClusterIP" $service.type))
    (pick $service "clusterIP" "loadBalancerClass" "loadBalancerSourceRanges")
    (pick (.context.global.dualStack | default dict) "ipFamilyPolicy" "ipFamilies")
  }}
  {{- include "common.compact" $spec | fromJson | toYaml | nindent 2 }}
  ports:
    - name: {{ $port }}
      port: {{ coalesce $service.servicePort $f.metrics.servicePort }}
      targetPort: {{ $f.metrics.port }}
      protocol: TCP
  selector:
    {{- include "common.selectorLabels" (dict "context" .context "name" $f.name) | fromJson | toYaml | nindent 4 }}
{{- $monitor := $metrics.serviceMonitor | default dict }}
{{- if $monitor.enabled }}
---
apiVersion: {{ default "monitoring.coreos.com/v1" .context.apiVersions.monitoring }}
kind: ServiceMonitor
metadata:
  {{- $labels := merge dict ($monitor.additionalLabels | default dict) ($monitor.selector | default dict) }}
  {{- $scope := dict "context" (merge (dict "namespace" (default .context.namespace $monitor.namespace)) .context) }}
  {{- include "common.metadata" (merge $scope
    (dict
      "component" $f.name
      "name" (default (include "common.componentName" .) $monitor.name)
      "labels" $labels
      "annotations" (merge dict ($monitor.annotations | default dict) ($monitor.additionalAnnotations | default dict))
    )
  ) | nindent 2 }}
spec:
  endpoints:
    - {{ include "common.compact" (dict
      "port" $port
      "path" (default "/metrics" $f.metrics.path)
      "interval" $monitor.interval
      "scrapeTimeout" (coalesce $monitor.scrapeTimeout $metrics.scrapeTimeout)
      "honorLabels" $monitor.honorLabels
      "relabelings" $monitor.relabelings
      "metricRelabelings" $monitor.metricRelabelings
      "scheme" $monitor.scheme
      "tlsConfig" $monitor.tlsConfig
    ) | fromJson | toYaml | nindent 6 | trim }}
  {{- with $monitor.targetLabels }}
  targetLabels:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  namespaceSelector:
    matchNames:
      - {{ .context.namespace }}
  selector:
    matchLabels:
      app.kubernetes.io/metrics: {{ $scraped }}
      app.kubernetes.io/instance: {{ .context.release }}
{{- end }}
{{- $rules := $metrics.rules | default dict }}
{{- if $rules.enabled }}
---
{{- $scope := merge (dict "namespace" (default .context.namespace $rules.namespace)) .context }}
{{- $labels := merge dict ($rules.additionalLabels | default dict) ($rules.selector | default dict) }}
{{ include "common.object" (dict
  "context" $scope
  "component" $f.name
  "apiVersion" (default "monitoring.coreos.com/v1" .context.apiVersions.monitoring)
  "kind" "PrometheusRule"
  "name" (include "common.componentName" .)
  "labels" $labels
  "annotations" $rules.annotations
  "spec" (dict "groups" (list (dict "name" $scraped "rules" $rules.spec)))
) }}
{{- end }}
{{- end -}}
{{- end -}}

{{/*
common.serviceMonitor: a ServiceMonitor of the component's own Service, as YAML; nothing unless values.serviceMonitor.enabled.
facts.serviceMonitor: {port: name of the Service's port, path}. Arguments: a component.
*/}}
{{- define "common.serviceMonitor" -}}
{{- $monitor := .values.serviceMonitor | default dict -}}
{{- if and .facts.serviceMonitor $monitor.enabled -}}
{{- $endpoint := merge (include "common.compact" (pick $monitor "interval" "scrapeTimeout") | fromJson) .facts.serviceMonitor -}}
{{- $selector := dict "matchLabels" (include "common.selectorLabels" (dict "context" .context "name" .facts.name) | fromJson) -}}
{{- include "common.object" (dict
  "context" .context "component" .facts.name "apiVersion" "monitoring.coreos.com/v1" "kind" "ServiceMonitor"
  "name" (default (include "common.componentName" .) $monitor.name) "labels" $monitor.labels
  "spec" (dict "endpoints" (list $endpoint) "selector" $selector)) -}}
{{- end -}}
{{- end -}}
