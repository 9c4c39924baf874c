{{/*
common.metrics: a component's metrics Service, ServiceMonitor and PrometheusRule, as YAML documents; nothing unless values.metrics.enabled.
facts.metrics: {port: name of the container's port, servicePort: number, path, suffix: of the Service's name, "-metrics" if absent}.
Arguments: a component.
*/}}
{{- define "common.metrics" -}}
{{- $metrics := .values.metrics | default dict -}}{{- $f := .facts -}}
{{- if and $f.metrics $metrics.enabled }}
{{- $suffix := (include "common.firstSet" (list $f.metrics.suffix "-metrics") | fromJson).value }}
{{- $name := printf "%s%s" (include "common.componentName" .) $suffix }}
{{- $scraped := default .context.name $f.name }}
{{- $service := $metrics.service | default dict }}
{{- $port := (include "common.firstSet" (list $service.portName "http-metrics") | fromJson).value }}
{{- $number := (include "common.firstSet" (list $service.servicePort $f.metrics.servicePort) | fromJson).value | int }}
---
apiVersion: v1
kind: Service
metadata:
  {{- $labels := include "common.layered" (list (dict "app.kubernetes.io/metrics" $scraped) $service.labels) | fromJson }}
  {{- $annotations := $service.annotations }}
  {{- if .context.global.addPrometheusAnnotations }}
  {{- $scrape := dict
    "prometheus.io/scrape" "true"
    "prometheus.io/port" (toString $number)
    "prometheus.io/path" (default "/metrics" $f.metrics.path)
  }}
  {{- $annotations = include "common.layered" (list $annotations $scrape) | fromJson }}
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
    - name: {{ include "common.scalar" $port }}
      port: {{ $number }}
      targetPort: {{ include "common.scalar" $f.metrics.port }}
      protocol: TCP
  selector:
    {{- include "common.selectorLabels" (dict "context" .context "name" $f.name) | fromJson | toYaml | nindent 4 }}
{{- $monitor := $metrics.serviceMonitor | default dict }}
{{- if $monitor.enabled }}
---
apiVersion: {{ default "monitoring.coreos.com/v1" .context.apiVersions.monitoring | include "common.scalar" }}
kind: ServiceMonitor
metadata:
  {{- $labels := include "common.layered" (list $monitor.additionalLabels $monitor.selector) | fromJson }}
  {{- $scope := dict "context" (merge (dict "namespace" (default .context.namespace $monitor.namespace)) .context) }}
  {{- include "common.metadata" (merge $scope
    (dict
      "component" $f.name
      "name" (default (include "common.componentName" .) $monitor.name)
      "labels" $labels
      "annotations" (include "common.layered" (list $monitor.annotations $monitor.additionalAnnotations) | fromJson)
    )
  ) | nindent 2 }}
spec:
  endpoints:
    - {{ include "common.compact" (dict
      "port" $port
      "targetPort" (ternary nil $f.metrics.port (ne $port ""))
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
      - {{ include "common.scalar" .context.namespace }}
  selector:
    matchLabels:
      app.kubernetes.io/metrics: {{ include "common.scalar" $scraped }}
      app.kubernetes.io/instance: {{ .context.release }}
{{- end }}
{{- $rules := $metrics.rules | default dict }}
{{- if $rules.enabled }}
---
{{- $scope := merge (dict "namespace" (default .context.namespace $rules.namespace)) .context }}
{{- $labels := include "common.layered" (list $rules.additionalLabels $rules.selector) | fromJson }}
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
common.serviceMonitor: a ServiceMonitor for the component's Service, as YAML; nothing unless values.serviceMonitor.enabled.
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
