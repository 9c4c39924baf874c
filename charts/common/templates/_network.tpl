{{/*
common.networkPolicy: a component's NetworkPolicy, as YAML; nothing unless global.networkPolicy.create or values.networkPolicy.create.
facts.networkPolicy.ingress: a list of {ports: [name or number], from: [peers]}; without it every declared port is open to the release's namespace.
Arguments: a component.
*/}}
{{- define "common.networkPolicy" -}}
{{- if or (.context.global.networkPolicy).create (.values.networkPolicy).create -}}
{{- $ingress := (.facts.networkPolicy).ingress -}}
{{- if kindIs "invalid" $ingress -}}
{{- $ports := list }}{{ range .facts.ports }}{{ $ports = append $ports .name }}{{ end -}}
{{- $ingress = ternary (list (dict "ports" $ports "from" (list (dict "podSelector" dict)))) list (not (empty $ports)) -}}
{{- end -}}
{{- $rules := list -}}
{{- range $rule := $ingress -}}
{{- $ports := list }}{{ range $rule.ports }}{{ $ports = append $ports (dict "port" .) }}{{ end -}}
{{- $rules = append $rules (include "common.compact" (dict "ports" $ports "from" $rule.from) | fromJson) -}}
{{- end -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "common.metadata" (dict "context" .context "component" .facts.name "name" (include "common.componentName" .)) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "common.selectorLabels" (dict "context" .context "name" .facts.name) | fromJson | toYaml | nindent 6 }}
  policyTypes:
    - Ingress
  ingress:
    {{- toYaml $rules | nindent 4 }}
{{- end -}}
{{- end -}}
