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
partOf: {{ .root.Values.redis.fullnameOverride }}
labels: {codefresh.io/internal: "true"}
{{- else if hasPrefix "redis-ha-" .name -}}
{{- $values := index .root.Values "redis-ha" -}}
partOf: {{ $values.fullnameOverride }}
selector:
  app: {{ ternary $values.nameOverride (printf "%s-haproxy" $values.nameOverride) (eq .name "redis-ha-server") }}
  release: {{ .root.Release.Name }}
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
{{- $contract := include "gitops-runtime.contract" . | fromYaml -}}
{{- $tag := include "gitops-runtime.tag" .tag -}}
{{- $attributes := list
  (printf "service.name=%s" .name)
  (printf "service.version=%s" $tag)
  "service.namespace=cf-gitops-runtime"
  (printf "cf.account.id=%s" $global.codefresh.accountId)
  (printf "cf.gitops.runtime.name=%s" (include "runtime.name" (dict "global" $global)))
  (printf "cf.gitops.runtime.version=%s" $contract.runtime)
  (printf "cf.gitops.runtime.chart.version=%s" $contract.chart)
-}}
- {name: CF_SERVICE_NAME, value: {{ .name }}}
- {name: CF_SERVICE_VERSION, value: {{ $tag | quote }}}
- {name: OTEL_SERVICE_NAME, value: {{ .name }}}
- {name: OTEL_RESOURCE_ATTRIBUTES, value: {{ join "," $attributes | quote }}}
{{- end -}}

{{/*
gitops-runtime.contract: the versions of the published chart whose contract this chart implements, {chart, runtime, parts} as YAML. The
platform and the closed programs are told these, wherever they are told a version of the chart, of the runtime or of one of its subcharts;
labels and images have the versions that run. Arguments: none.
*/}}
{{- define "gitops-runtime.contract" -}}
chart: 0.30.0
runtime: 0.1.72
parts: {argo-cd: v3.4.6, argo-workflows: v3.6.7-cap-CF-2129, tunnel-client: d922170}
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
gitops-runtime.userToken: the Secret with the user's API key, {name, key, optional} as JSON: the chart's Secret if the key is set in plain
text, or the one that values name. If neither is set, the render fails. Arguments: global.
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
{{- if eq $token.secretKeyRef.name (include "runtime.token" . | fromJson).name -}}
{{- fail (printf
  (print
    "\nTOK108: The user token cannot be in the Secret %s: app-proxy writes the runtime's own token there."
    "\n  fix: name another Secret in global.codefresh.userToken.secretKeyRef"
  )
  $token.secretKeyRef.name
) -}}
{{- end -}}
{{- pick $token.secretKeyRef "name" "key" "optional" | toJson -}}
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
{{- $reporters := dict -}}
{{- range $name := list "runtime-event-reporter" "cluster-event-reporter" -}}
{{- $_ := set $reporters $name (include "event-reporter.values" (dict "values" $v "name" $name) | fromJson).image.tag -}}
{{- end -}}
{{- $sealed := (index $v "sealed-secrets").enabled -}}
{{- $tunnel := eq (include "gitops-runtime.accessMode" .) "tunnel" -}}
{{- $contract := include "gitops-runtime.contract" . | fromYaml -}}
{{- $runtime := $contract.runtime -}}
{{- $ha := index $v "redis-ha" -}}
{{- $rollouts := include "gitops-runtime.installs" (dict "root" . "chart" "argo-rollouts") -}}
{{- $events := include "gitops-runtime.installs" (dict "root" . "chart" "argo-events") -}}
{{- $charts := dict -}}
{{- range $chart := list "argo-cd" "argo-events" "argo-rollouts" "argo-workflows" "tunnel-client" -}}
{{- $values := index $v $chart -}}
{{- $own := ((index $.Subcharts $chart | default dict).Chart).AppVersion -}}
{{- $told := coalesce (get $contract.parts $chart) ((($values.global).image).tag) (($values.image).tag) $own -}}
{{- $_ := set $charts $chart (toString $told) -}}
{{- end -}}
{{- $table := list
  (dict "name" "app-proxy" "on" true "version" (index $v "app-proxy").image.tag)
  (dict "name" "internal-router" "on" true "version" $runtime)
  (dict "name" "argo-gateway" "on" (and $gateway.enabled $argoCD) "version" $gateway.image.tag)
  (dict "name" "runtime-event-reporter" "on" $argoCD "version" (get $reporters "runtime-event-reporter"))
  (dict "name" "cluster-event-reporter" "on" $argoCD "version" (get $reporters "cluster-event-reporter"))
  (dict "name" "event-reporter" "on" $external "version" (index $v.global "event-reporters").image.tag)
  (dict "name" "argocd" "on" (index $v "argo-cd").enabled "version" (get $charts "argo-cd"))
  (dict "name" "argo-events" "on" $events "version" (get $charts "argo-events"))
  (dict "name" "argo-rollouts" "on" $rollouts "version" (get $charts "argo-rollouts"))
  (dict "name" "argo-workflows" "on" (index $v "argo-workflows").enabled "version" (get $charts "argo-workflows"))
  (dict "name" "workflow-reporter" "on" (index $v "argo-workflows").enabled "version" $runtime)
  (dict "name" "codefresh-tunnel-client" "on" $tunnel "version" (get $charts "tunnel-client"))
  (dict "name" "gitops-operator" "on" (index $v "gitops-operator").enabled "version" (index $v "gitops-operator").image.tag)
  (dict "name" "sealed-secrets" "on" $sealed "version" (index $v "sealed-secrets").image.tag)
  (dict "name" $ha.fullnameOverride "on" $ha.enabled "version" $ha.image.tag)
  (dict "name" $v.redis.fullnameOverride "on" (and $v.redis.enabled (not $ha.enabled)) "version" $v.redis.image.tag)
-}}
{{- $components := list -}}
{{- range $table -}}
{{- $version := include "gitops-runtime.tag" .version -}}
{{- if .on }}{{ $components = append $components (dict "name" .name "version" $version) }}{{ end -}}
{{- end -}}
{{- dict "components" $components | toJson -}}
{{- end -}}

{{/* gitops-runtime.tag: a tag without the digest that published charts have behind it. Arguments: the tag. */}}
{{- define "gitops-runtime.tag" }}{{ splitList "@" (toString .) | first }}{{ end -}}

{{/*
gitops-runtime.installs: "true" if a subchart is installed, also if its value enabled is not set, as Helm decides by the conditions of
Chart.yaml. Arguments: root, chart.
*/}}
{{- define "gitops-runtime.installs" -}}
{{- if ne (toString (index .root.Values .chart).enabled) "false" }}true{{ end -}}
{{- end -}}

{{/*
gitops-runtime.controllers: the controllers of this release that releases of the published chart lack, separated by commas. validate-values
reads them from the annotation of app-proxy's Deployment. Arguments: the root.
*/}}
{{- define "gitops-runtime.controllers" -}}
{{- $found := list -}}
{{- range $chart := list "argo-rollouts" "argo-events" -}}
{{- if include "gitops-runtime.installs" (dict "root" $ "chart" $chart) }}{{ $found = append $found $chart }}{{ end -}}
{{- end -}}
{{- $argoCD := index .Values "argo-cd" -}}
{{- if and $argoCD.enabled (ne (toString ($argoCD.notifications).enabled) "false") -}}
{{- $found = append $found "argocd-notifications" -}}
{{- end -}}
{{- join "," $found -}}
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
neither global.runtime.publishWorkflows nor internal-router.routing.workflows forbids it. Arguments: the root.
*/}}
{{- define "gitops-runtime.publishesWorkflows" -}}
{{- $workflows := index .Values "argo-workflows" -}}
{{- $server := or (ne (toString ($workflows.server).enabled) "false") ((index .Values "app-proxy").config).argoWorkflowsUrl -}}
{{- $routing := ((index .Values "internal-router").routing).workflows | default (dict "enabled" true) -}}
{{- if and .Values.global.runtime.publishWorkflows $workflows.enabled $server $routing.enabled }}true{{ end -}}
{{- end -}}

{{/* gitops-runtime.argoServer: the URL of the Argo Workflows server that app-proxy and internal-router use. Arguments: the root. */}}
{{- define "gitops-runtime.argoServer" -}}
{{- default (include "gitops-runtime.ownArgoServer" .) ((index .Values "app-proxy").config).argoWorkflowsUrl -}}
{{- end -}}

{{/* gitops-runtime.ownArgoServer: the URL of the Argo Workflows server of this release. Arguments: the root. */}}
{{- define "gitops-runtime.ownArgoServer" -}}
{{- $server := (index .Values "argo-workflows").server | default dict -}}
{{- $scheme := ternary "https" "http" (eq (toString $server.secure) "true") -}}
{{- $name := include "gitops-runtime.nameOf" (dict "root" . "chart" "argo-workflows" "component" (default "server" $server.name)) -}}
{{- $domain := (index .Values "internal-router").clusterDomain -}}
{{- printf "%s://%s.%s.svc.%s:%d" $scheme $name .Release.Namespace $domain (default 2746 $server.servicePort | int) -}}
{{- end -}}
