{{/*
gitops-runtime.part: the labels by which programs and users find a part of the runtime, as in the published chart 0.30.0, as YAML: partOf,
selector (of its pods, immutable in a Deployment), labels. All other names have the labels of the runtime itself.
Arguments: root, name (of the part).
*/}}
{{- define "gitops-runtime.part" -}}
{{- if eq .name "app-proxy" -}}
partOf: app-proxy
selector: {app: cap-app-proxy}
labels: {codefresh.io/internal: "true"}
{{- else if eq .name "internal-router" -}}
partOf: internal-router
selector: {app: internal-router}
{{- else if eq .name "gitops-operator" -}}
partOf: gitops-operator
selector: {app: gitops-operator}
labels: {codefresh.io/internal: "true"}
{{- else if has .name (list "argo-gateway" "runtime-event-reporter" "cluster-event-reporter") -}}
partOf: {{ .name }}
selector:
  app.kubernetes.io/name: {{ .name }}
  {{- if eq .name "argo-gateway" }}
  app.kubernetes.io/instance: {{ .root.Release.Name }}
  {{- end }}
labels: {app.kubernetes.io/component: {{ .name }}, codefresh.io/internal: "true"}
{{- else if eq .name "workflow-reporter" -}}
partOf: workflow-reporter
labels: {codefresh.io/internal: "true"}
{{- else if eq .name "redis" -}}
partOf: runtime-redis
labels: {codefresh.io/internal: "true"}
{{- else if eq .name "sealed-secrets" -}}
partOf: sealed-secrets
{{- else -}}
partOf: codefresh-gitops-runtime
labels: {app: codefresh-gitops-runtime, codefresh.io/runtime-name: {{ include "runtime.name" (dict "global" .root.Values.global) }}}
{{- end -}}
{{- end -}}

{{/*
gitops-runtime.context: common.context of a part of the runtime. By default the part's objects have its fixed name, by which other programs
look them up.
Arguments: root, name (of the part), values (of the part).
*/}}
{{- define "gitops-runtime.context" -}}
{{- $values := dict
  "nameOverride" (default .name .values.nameOverride)
  "fullnameOverride" (default .name .values.fullnameOverride)
  "global" .root.Values.global
-}}
{{- $part := include "gitops-runtime.part" . | include "common.parsed" | fromJson -}}
{{- include "common.context" (merge
  (dict
    "chart" .root.Chart
    "release" .root.Release
    "values" $values
    "singleNamespace" .root.Values.global.runtime.singleNamespace
    "outside" (include "gitops-runtime.outside" .root.Values.global | fromYaml)
  )
  $part
) -}}
{{- end -}}

{{/* gitops-runtime.outside: external targets of the runtime's programs in addition to common.outside, as YAML. Arguments: global. */}}
{{- define "gitops-runtime.outside" -}}
platform:
  ports: [{{ include "common.urlPort" .codefresh.url }}]
  why: "the platform, global.codefresh.url: NetworkPolicies do not support host names"
{{- end -}}

{{/* gitops-runtime.podsOfPart: the label selector of the pods of a part of the runtime, as JSON. Arguments: root, name (of the part). */}}
{{- define "gitops-runtime.podsOfPart" -}}
{{- $context := include "gitops-runtime.context" (merge (dict "values" (index .root.Values .name | default dict)) .) | fromJson -}}
{{- dict "matchLabels" (include "common.selectorLabels" (dict "context" $context) | fromJson) | toJson -}}
{{- end -}}

{{/*
gitops-runtime.serviceSettings: the values of a component's Service except its ports, as YAML: labels, annotations, spec.
Arguments: the values `service`.
*/}}
{{- define "gitops-runtime.serviceSettings" -}}
{{- $fields := list "type" "clusterIP" "externalIPs" "externalTrafficPolicy" "internalTrafficPolicy" "loadBalancerClass" "loadBalancerIP"
  "loadBalancerSourceRanges" "allocateLoadBalancerNodePorts" "ipFamilies" "ipFamilyPolicy" "publishNotReadyAddresses" "sessionAffinity"
  "sessionAffinityConfig" "trafficDistribution" -}}
{{- $spec := dict -}}
{{- range $field, $value := . }}{{ if has $field $fields }}{{ $_ := set $spec $field $value }}{{ end }}{{ end -}}
labels: {{ toJson (.labels | default dict) }}
annotations: {{ toJson (.annotations | default dict) }}
spec: {{ toJson $spec }}
{{- end -}}

{{/*
gitops-runtime.telemetry: the names under which a program reports telemetry, as a YAML list of environment variables.
Arguments: root, name (of the service), tag (of its image).
*/}}
{{- define "gitops-runtime.telemetry" -}}
{{- $global := .root.Values.global -}}
{{- $attributes := list
  (printf "service.name=%s" .name)
  (printf "service.version=%s" .tag)
  "service.namespace=cf-gitops-runtime"
  (printf "cf.account.id=%s" $global.codefresh.accountId)
  (printf "cf.gitops.runtime.name=%s" (include "runtime.name" (dict "global" $global)))
  (printf "cf.gitops.runtime.version=%s" .root.Chart.AppVersion)
  (printf "cf.gitops.runtime.chart.version=%s" .root.Chart.Version)
-}}
- {name: CF_SERVICE_NAME, value: {{ .name }}}
- {name: CF_SERVICE_VERSION, value: {{ .tag | quote }}}
- {name: OTEL_SERVICE_NAME, value: {{ .name }}}
- {name: OTEL_RESOURCE_ATTRIBUTES, value: {{ join "," $attributes | quote }}}
{{- end -}}

{{/* gitops-runtime.url: the runtime's public URL. Arguments: the root. */}}
{{- define "gitops-runtime.url" -}}
{{- include "runtime.url" (dict "global" .Values.global "tunnelClient" (index .Values "tunnel-client")) -}}
{{- end -}}

{{/* gitops-runtime.platform: the platform's URL, without a trailing slash; an invalid one fails the render. Arguments: global. */}}
{{- define "gitops-runtime.platform" -}}
{{- if not (include "runtime.isURL" .codefresh.url) -}}
{{- fail (printf
  (print "\nACC102: global.codefresh.url is not a URL of a platform: %q." "\n  fix: --set global.codefresh.url=https://<host>")
  (include "runtime.shownURL" .codefresh.url)
) -}}
{{- end -}}
{{- if and (hasPrefix "http://" .codefresh.url) (not .codefresh.allowInsecureHTTP) -}}
{{- fail (printf
  (print
    "\nACC105: global.codefresh.url is %s: tokens would travel unencrypted."
    "\n  fix: use https://, or set global.codefresh.allowInsecureHTTP=true if the network is trusted"
  )
  .codefresh.url
) -}}
{{- end -}}
{{- trimSuffix "/" .codefresh.url -}}
{{- end -}}

{{/* gitops-runtime.accessMode: ingress, gateway, tunnel or mesh. Arguments: the root. */}}
{{- define "gitops-runtime.accessMode" -}}
{{- include "runtime.accessMode" (dict "global" .Values.global "tunnelEnabled" (index .Values "tunnel-client").enabled) -}}
{{- end -}}

{{/*
gitops-runtime.userToken: the Secret with the user's API key, {name, key} as JSON: the chart's Secret if the key is set in plain text, or
the one that values name. If neither is set, the render fails. Arguments: global.
*/}}
{{- define "gitops-runtime.userToken" -}}
{{- $token := .global.codefresh.userToken -}}
{{- if $token.token -}}
{{- dict "name" "codefresh-user-token" "key" "token" | toJson -}}
{{- else if values ($token.secretKeyRef | default dict) | compact -}}
{{- if not $token.secretKeyRef.name -}}
{{- fail (print
  "\nTOK103: The reference to the user token's Secret has no name."
  "\n  fix: set global.codefresh.userToken.secretKeyRef.name and .key"
) -}}
{{- end -}}
{{- if not $token.secretKeyRef.key -}}
{{- fail (print
  "\nTOK103: The reference to the user token's Secret has no key."
  "\n  fix: set global.codefresh.userToken.secretKeyRef.name and .key"
) -}}
{{- end -}}
{{- dict "name" $token.secretKeyRef.name "key" $token.secretKeyRef.key | toJson -}}
{{- else -}}
{{- fail (print
  "\nTOK101: No user token is set."
  "\n  fix: --set global.codefresh.userToken.token=<API key>, or name a Secret in "
  "global.codefresh.userToken.secretKeyRef{name,key}"
) -}}
{{- end -}}
{{- end -}}

{{/*
gitops-runtime.components: the components of this release, {components: a list of {name, version}} as JSON. If the platform shows the logs
of a component, its name is that of its label app.kubernetes.io/part-of. Arguments: the root.
*/}}
{{- define "gitops-runtime.components" -}}
{{- $v := .Values -}}
{{- $external := eq (include "gitops-runtime.usesExternalArgoCD" .) "true" -}}
{{- $argoCD := or (index $v "argo-cd").enabled $external -}}
{{- $gateway := include "argo-gateway.values" $v | fromJson -}}
{{- $reporter := include "event-reporter.values" $v.global | fromJson -}}
{{- $sealed := and (index $v "sealed-secrets").enabled (not $v.global.runtime.singleNamespace) -}}
{{- $tunnel := eq (include "gitops-runtime.accessMode" .) "tunnel" -}}
{{- $charts := dict -}}
{{- range $chart := list "argo-cd" "argo-events" "argo-rollouts" "argo-workflows" "tunnel-client" -}}
{{- $values := index $v $chart -}}
{{- $_ := set $charts $chart
  (coalesce ((($values.global).image).tag) (($values.image).tag) ((index $.Subcharts $chart | default dict).Chart).AppVersion | toString)
-}}
{{- end -}}
{{- $table := list
  (dict "name" "app-proxy" "on" true "version" (index $v "app-proxy").image.tag)
  (dict "name" "internal-router" "on" true "version" .Chart.AppVersion)
  (dict "name" "argo-gateway" "on" (and $gateway.enabled $argoCD) "version" $gateway.image.tag)
  (dict "name" "runtime-event-reporter" "on" $argoCD "version" $reporter.image.tag)
  (dict "name" "cluster-event-reporter" "on" $argoCD "version" $reporter.image.tag)
  (dict "name" "event-reporter" "on" $external "version" $reporter.image.tag)
  (dict "name" "argocd" "on" (index $v "argo-cd").enabled "version" (get $charts "argo-cd"))
  (dict "name" "argo-events" "on" (index $v "argo-events").enabled "version" (get $charts "argo-events"))
  (dict "name" "argo-rollouts" "on" (index $v "argo-rollouts").enabled "version" (get $charts "argo-rollouts"))
  (dict "name" "argo-workflows" "on" (index $v "argo-workflows").enabled "version" (get $charts "argo-workflows"))
  (dict "name" "workflow-reporter" "on" (index $v "argo-workflows").enabled "version" .Chart.AppVersion)
  (dict "name" "codefresh-tunnel-client" "on" $tunnel "version" (get $charts "tunnel-client"))
  (dict "name" "gitops-operator" "on" (index $v "gitops-operator").enabled "version" (index $v "gitops-operator").image.tag)
  (dict "name" "sealed-secrets" "on" $sealed "version" (index $v "sealed-secrets").image.tag)
  (dict "name" "runtime-redis" "on" $v.redis.enabled "version" $v.redis.image.tag)
-}}
{{- $components := list -}}
{{- range $table }}{{ if .on }}{{ $components = append $components (dict "name" .name "version" (toString .version)) }}{{ end }}{{ end -}}
{{- dict "components" $components | toJson -}}
{{- end -}}

{{/* gitops-runtime.prefix: the name prefix of the objects of a subchart. Arguments: root, chart. */}}
{{- define "gitops-runtime.prefix" -}}
{{- $values := pick (index .root.Values .chart) "nameOverride" "fullnameOverride" -}}
{{- (include "common.context" (dict
  "chart" (dict "Name" .chart "Version" "" "AppVersion" "")
  "release" .root.Release
  "values" $values
) | fromJson).fullname -}}
{{- end -}}

{{/* gitops-runtime.nameOf: the name of the objects of a subchart's component. Arguments: root, chart, component. */}}
{{- define "gitops-runtime.nameOf" -}}
{{- $context := dict "fullname" (include "gitops-runtime.prefix" .) -}}
{{- include "common.fullname" (dict "context" $context "name" .component) -}}
{{- end -}}

{{/* gitops-runtime.podsOf: the label selector of the pods of a subchart's component, as JSON. Arguments: root, chart, component. */}}
{{- define "gitops-runtime.podsOf" -}}
{{- $context := dict "name" (default .chart (index .root.Values .chart).nameOverride) "release" .root.Release.Name -}}
{{- dict "matchLabels" (include "common.selectorLabels" (dict "context" $context "name" .component) | fromJson) | toJson -}}
{{- end -}}

{{/*
gitops-runtime.publishesWorkflows: "true" if internal-router routes /workflows to an Argo Workflows server: a server is configured, and
global.runtime.publishWorkflows is not false. Arguments: the root.
*/}}
{{- define "gitops-runtime.publishesWorkflows" -}}
{{- $workflows := index .Values "argo-workflows" -}}
{{- $server := or (ne (toString ($workflows.server).enabled) "false") ((index .Values "app-proxy").config).argoWorkflowsUrl -}}
{{- if and .Values.global.runtime.publishWorkflows $workflows.enabled $server }}true{{ end -}}
{{- end -}}

{{/* gitops-runtime.argoServer: the URL of the Argo Workflows server. Arguments: the root. */}}
{{- define "gitops-runtime.argoServer" -}}
{{- $config := (index .Values "app-proxy").config | default dict -}}
{{- $server := (index .Values "argo-workflows").server | default dict -}}
{{- $scheme := ternary "https" "http" (eq (toString $server.secure) "true") -}}
{{- $name := include "gitops-runtime.nameOf" (dict "root" . "chart" "argo-workflows" "component" (default "server" $server.name)) -}}
{{- $domain := (index .Values "internal-router").clusterDomain -}}
{{- $own := printf "%s://%s.%s.svc.%s:%d" $scheme $name .Release.Namespace $domain (default 2746 $server.servicePort | int) -}}
{{- default $own $config.argoWorkflowsUrl -}}
{{- end -}}
