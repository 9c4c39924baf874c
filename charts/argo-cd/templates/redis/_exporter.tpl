{{/*
argo-cd.redisExporter: the sidecar that exports the metrics of Redis, as YAML.
Arguments: values, image, exporter (values: env, resources, probes, containerSecurityContext), secret (with the password), port, redis
(port of Redis).
*/}}
{{- define "argo-cd.redisExporter" -}}
{{- $images := list (dict "pullPolicy" .values.global.image.imagePullPolicy) .image -}}
{{- $env := list (include "argo-cd.redisExporterEnv" . | fromYamlArray) .exporter.env -}}
{{- $security := include "common.securityContext" . | fromJson -}}
name: metrics
image: {{ include "common.image" (dict "global" .values.global "images" $images) | toJson }}
imagePullPolicy: {{ include "common.imagePullPolicy" (dict "images" $images) | toJson }}
env: {{ (include "common.env" (dict "layers" $env) | fromJson).env | toJson }}
ports:
  - {name: metrics, containerPort: {{ int .port }}}
{{- range $name, $value := dict "livenessProbe" .exporter.livenessProbe "readinessProbe" .exporter.readinessProbe }}
{{- $probe := dict "httpGet" (dict "path" "/health" "port" "metrics") }}
{{- with include "common.probe" (dict "fact" $probe "value" $value) | fromJson }}
{{ $name }}: {{ toJson . }}
{{- end }}
{{- end }}
resources: {{ include "common.resources" (dict "values" .exporter.resources "cpu" "10m" "memory" "32Mi") }}
securityContext: {{ mergeOverwrite $security (.exporter.containerSecurityContext | default dict) | toJson }}
{{- end -}}

{{/* argo-cd.redisExporterEnv: the exporter's environment variables, as a YAML list. Arguments: those of argo-cd.redisExporter. */}}
{{- define "argo-cd.redisExporterEnv" -}}
- {name: REDIS_ADDR, value: "redis://localhost:{{ .redis }}"}
- {name: REDIS_EXPORTER_WEB_LISTEN_ADDRESS, value: "0.0.0.0:{{ .port }}"}
{{- include "common.redisPassword" (dict "secret" .secret "names" (list "REDIS_PASSWORD")) }}
{{- end -}}
