{{/*
common.services: a component's Services, as YAML documents.
facts.services: a list of {suffix, name, ports: [{name, port, targetPort, protocol, nodePort, appProtocol}], headless, labels, annotations,
selector (instead of the component's), spec (other fields of the ServiceSpec)}. Arguments: a component.
*/}}
{{- define "common.services" -}}
{{- $selector := include "common.selectorLabels" (dict "context" .context "name" .facts.name) | fromJson -}}
{{- $component := include "common.componentName" . -}}
{{- range .facts.services }}
{{- $spec := include "common.layered" (list
  (dict "selector" (default $selector .selector) "ports" .ports)
  .spec
  (pick ($.context.global.dualStack | default dict) "ipFamilyPolicy" "ipFamilies")
) | fromJson }}
{{- if .headless }}{{ $_ := set $spec "clusterIP" "None" }}{{ end }}
---
apiVersion: v1
kind: Service
metadata:
  {{- $name := default (ternary $component (printf "%s-%s" $component .suffix) (empty .suffix)) .name }}
  {{- include "common.metadata" (dict
    "context" $.context
    "component" $.facts.name
    "name" $name
    "labels" .labels
    "annotations" .annotations
  ) | nindent 2 }}
spec:
  {{- include "common.compact" $spec | fromJson | toYaml | nindent 2 }}
{{- end -}}
{{- end -}}
