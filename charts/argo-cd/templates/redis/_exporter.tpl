{{/*
argo-cd.redisExporter: the sidecar that gives the metrics of Redis, as JSON.
Arguments: values, image, exporter (values: env, resources, probes, containerSecurityContext), secret (of the password), port, redis (port
of Redis).
*/}}
{{- define "argo-cd.redisExporter" -}}
{{- $images := list (dict "pullPolicy" .values.global.image.imagePullPolicy) .image -}}
{{- $own := list
  (dict "name" "REDIS_ADDR" "value" (printf "redis://localhost:%v" .redis))
  (dict "name" "REDIS_EXPORTER_WEB_LISTEN_ADDRESS" "value" (printf "0.0.0.0:%v" .port))
-}}
{{- $own = concat $own (include "argo-cd.redisPassword" (dict "secret" .secret "names" (list "REDIS_PASSWORD")) | fromJson).env -}}
{{- $probe := dict "httpGet" (dict "path" "/health" "port" "metrics") -}}
{{- $live := .exporter.livenessProbe | default dict -}}{{- $ready := .exporter.readinessProbe | default dict -}}
{{- $container := dict
  "name" "metrics"
  "image" (include "common.image" (dict "global" .values.global "images" $images))
  "imagePullPolicy" (include "common.imagePullPolicy" (dict "images" $images))
  "env" (include "common.env" (dict "layers" (list $own (.exporter.env | default list))) | fromJson).env
  "ports" (list (dict "name" "metrics" "containerPort" (int .port)))
  "livenessProbe" (include "common.probe" (dict "fact" (deepCopy $probe) "value" $live) | fromJson)
  "readinessProbe" (include "common.probe" (dict "fact" (deepCopy $probe) "value" $ready) | fromJson)
  "resources" .exporter.resources
  "securityContext" (mergeOverwrite (include "common.securityContext" . | fromJson) (.exporter.containerSecurityContext | default dict))
-}}
{{- include "common.compact" $container -}}
{{- end -}}
