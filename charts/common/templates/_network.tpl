{{/*
common.networkPolicy: a component's NetworkPolicy, as YAML; nothing if common.policyTypes is empty.
facts.networkPolicy.ingress: a list of {ports: [name or number], from: [peers]}; without it the programs of the release's namespace can
reach every declared port (common.neighbors). All namespaces can reach the port of metrics, for Prometheus, of disabled metrics only without
global.networkPolicy.neighbors: pods can be scraped without a Service, by their annotations or a PodMonitor.
facts.networkPolicy.egress: {outside, peers} as for common.policy. Components with rules can reach the API server.
Arguments: a component.
*/}}
{{- define "common.networkPolicy" -}}
{{- $f := .facts -}}{{- $policy := $f.networkPolicy | default dict -}}
{{- $ingress := $policy.ingress -}}
{{- if kindIs "invalid" $ingress -}}
{{- $ports := list }}{{ range $f.ports }}{{ $ports = append $ports .name }}{{ end -}}
{{- $ingress = ternary (list (dict "ports" $ports "from" (include "common.neighbors" . | fromJsonArray))) list (not (empty $ports)) -}}
{{- end -}}
{{- if and $f.metrics (or (.values.metrics).enabled (not (.context.global.networkPolicy).neighbors)) -}}
{{- $ingress = append $ingress (dict "ports" (list $f.metrics.port) "from" (list (dict "namespaceSelector" dict))) -}}
{{- end -}}
{{- if and $f.serviceMonitor (.values.serviceMonitor).enabled -}}
{{- $ingress = append $ingress (dict "ports" (list $f.serviceMonitor.port) "from" (list (dict "namespaceSelector" dict))) -}}
{{- end -}}
{{- include "common.policy" (dict
  "context" .context "values" .values "component" $f.name "name" (include "common.componentName" .) "annotations" $f.annotations
  "selector" (include "common.selectorLabels" (dict "context" .context "name" $f.name) | fromJson)
  "ingress" $ingress
  "egress" (merge (dict "api" (not (empty (or $f.usesAPI $f.rules $f.clusterRules)))) ($policy.egress | default dict))
) -}}
{{- end -}}

{{/*
common.neighbors: the pods of the release's namespace that programs are open to, as a JSON list of peers: those that match
global.networkPolicy.neighbors, all without it. Arguments: context.
*/}}
{{- define "common.neighbors" -}}
{{- $expressions := (.context.global.networkPolicy).neighbors -}}
{{- list (dict "podSelector" (ternary (dict "matchExpressions" $expressions) dict (not (empty $expressions)))) | toJson -}}
{{- end -}}

{{/*
common.policyTypes: the directions that NetworkPolicies restrict, as a JSON list: Ingress by global.networkPolicy.create or the component's
networkPolicy.create, Egress by global.networkPolicy.restrictEgress. Arguments: global, values (of the component).
*/}}
{{- define "common.policyTypes" -}}
{{- $global := .global.networkPolicy | default dict -}}
{{- $types := list -}}
{{- if or $global.create (.values.networkPolicy).create }}{{ $types = append $types "Ingress" }}{{ end -}}
{{- if $global.restrictEgress }}{{ $types = append $types "Egress" }}{{ end -}}
{{- toJson $types -}}
{{- end -}}

{{/*
common.policy: a NetworkPolicy, as YAML; nothing if common.policyTypes is empty. Arguments: context, values (of the component), component
(its name), name, annotations, selector (labels of the pods), ingress (a list of {ports, from}), egress {api: whether the API server is
allowed, outside: names of common.outside or rules of the form {ports, why}, peers: a list of {ports, to, why}}. DNS is always allowed, and
the proxy is allowed to pods with external targets.
*/}}
{{- define "common.policy" -}}
{{- $types := include "common.policyTypes" (dict "global" .context.global "values" (.values | default dict)) | fromJsonArray -}}
{{- if $types -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "common.metadata" (dict "context" .context "component" .component "name" .name "annotations" .annotations) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- toYaml .selector | nindent 6 }}
  policyTypes: [{{ join ", " $types }}]
  {{- if has "Ingress" $types }}
  ingress:
    {{- include "common.policyRules" .ingress | nindent 4 }}
  {{- end }}
  {{- if has "Egress" $types }}
  egress:
    {{- include "common.policyRules" (include "common.policyEgress" . | fromJsonArray) | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* common.policyEgress: the egress rules of a NetworkPolicy, as a JSON list. Arguments: those of common.policy. */}}
{{- define "common.policyEgress" -}}
{{- $known := include "common.outside" (dict "global" .context.global "outside" .context.outside) | fromJson -}}
{{- $names := list "dns" -}}
{{- if .egress.api }}{{ $names = append $names "apiServer" }}{{ end -}}
{{- $names = concat $names (.egress.outside | default list) -}}
{{- if and .egress.outside $known.proxy.ports }}{{ $names = append $names "proxy" }}{{ end -}}
{{- $egress := list -}}
{{- range uniq $names -}}
{{- $rule := ternary (get $known (toString .)) . (kindIs "string" .) -}}
{{- if not (has (toString .) (list "dns" "apiServer")) -}}
{{- $rule = merge dict $rule (dict "to" (include "common.anywhere" nil | fromJsonArray)) -}}
{{- end -}}
{{- $egress = append $egress $rule -}}
{{- end -}}
{{- concat $egress (.egress.peers | default list) ((.context.global.networkPolicy).extraEgress | default list) | toJson -}}
{{- end -}}

{{/*
common.anywhere: every address but those at which clouds tell a node's pods the node's credentials, as a JSON list of peers. Names are
resolved at such an address, too, by a cache on the node, so the rule for DNS has no peers; nor has that for the API server, which some
network plugins do not count among addresses.
*/}}
{{- define "common.anywhere" -}}
{{- list
  (dict "namespaceSelector" dict)
  (dict "ipBlock" (dict "cidr" "0.0.0.0/0" "except" (list "169.254.0.0/16")))
  (dict "ipBlock" (dict "cidr" "::/0" "except" (list "fe80::/10" "fd00:ec2::254/128")))
| toJson -}}
{{- end -}}

{{/* common.policyRules: rules of a NetworkPolicy, as a YAML list, with each port as {port, protocol}. Arguments: the rules. */}}
{{- define "common.policyRules" -}}
{{- $rules := list -}}
{{- range . -}}
{{- $ports := list -}}
{{- range $port := .ports -}}
{{- if kindIs "map" $port -}}
{{- $ports = append $ports $port -}}
{{- else -}}
{{- $ports = append $ports (dict "port" $port "protocol" "TCP") -}}
{{- end -}}
{{- end -}}
{{- $rules = append $rules (include "common.compact" (merge (dict "ports" $ports) .) | fromJson) -}}
{{- end -}}
{{- include "common.reasoned" $rules -}}
{{- end -}}

{{/*
common.reasoned: a list of maps as YAML, with the "why" of each map as a comment above it. Arguments: the list.
*/}}
{{- define "common.reasoned" -}}
{{- if not . }}[]{{ end -}}
{{- range $i, $item := . -}}
{{- if $i }}{{ "\n" }}{{ end -}}
{{- with $item.why }}# {{ . }}{{ "\n" }}{{ end -}}
- {{ omit $item "why" | toYaml | nindent 2 | trim }}
{{- end -}}
{{- end -}}

{{/*
common.outside: external targets of programs, as a JSON map of name to {ports, why}, where why is the reason that a policy can restrict
only the ports. global.networkPolicy.ports replaces the ports of a name. Arguments: global, outside (added by the chart).
*/}}
{{- define "common.outside" -}}
{{- $table := include "common.outsideTable" .global | include "common.parsed" | fromJson -}}
{{- range $name, $ports := ((.global.networkPolicy).ports | default dict) -}}
{{- if not (hasKey $table $name) -}}
{{- fail (printf
  (print
    "\nglobal.networkPolicy.ports.%s names nothing that policies know."
    "\n  fix: use one of apiServer, git, https, mail, directory, metrics, storage, database"
  )
  $name
) -}}
{{- end -}}
{{- $_ := set (get $table $name) "ports" $ports -}}
{{- end -}}
{{- merge dict (.outside | default dict) $table | toJson -}}
{{- end -}}

{{/* common.outsideTable: the table of common.outside with its default ports, as YAML. Arguments: global. */}}
{{- define "common.outsideTable" -}}
{{- $proxies := list -}}
{{- range compact (list .httpProxy .httpsProxy) }}{{ $proxies = append $proxies (include "common.urlPort" . | int) }}{{ end -}}
dns:
  why: >-
    names are resolved by pods of kube-system, by a cache on the node or by another service: clusters differ in that (5353: OpenShift)
  ports:
    - {port: 53, protocol: UDP}
    - {port: 53, protocol: TCP}
    - {port: 5353, protocol: UDP}
    - {port: 5353, protocol: TCP}
apiServer:
  why: the API server is outside the pod network, where no selector matches it
  ports: [443, 6443]
git:
  why: Git servers of the user, over SSH and HTTPS; their addresses are known only at run time
  ports: [22, 443]
https:
  why: "services that settings name by URL: registries, identity providers, chart repositories, webhooks"
  ports: [443]
mail:
  why: mail servers that notifications are sent through
  ports: [25, 465, 587]
directory:
  why: LDAP directories that users log in with
  ports: [389, 636]
metrics:
  why: metric providers and webhooks of analyses, whose addresses are in templates
  ports: [80, 443, 8080, 9090]
storage:
  why: object storage for logs and artifacts of workflows
  ports: [443, 9000]
database:
  why: the database that keeps finished workflows
  ports: [3306, 5432]
proxy:
  why: the proxies of global.httpProxy and global.httpsProxy
  ports: {{ uniq $proxies | toJson }}
{{- end -}}

{{/* common.urlPort: the port of a URL, or the default port of its scheme; 443 for an empty URL. Arguments: the URL. */}}
{{- define "common.urlPort" -}}
{{- $host := regexReplaceAll "^([A-Za-z][A-Za-z0-9+.-]*://)?([^/?#]*@)?([^/?#]*).*$" (default "" .) "${3}" -}}
{{- $named := regexFind ":[0-9]+$" $host -}}
{{- default (ternary "80" "443" (hasPrefix "http://" (default "" .))) (trimPrefix ":" $named) -}}
{{- end -}}
