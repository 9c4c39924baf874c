{{/*
gitops-runtime.context: common.context of a part of the runtime. The part's objects carry its fixed name, where other programs look it up.
Arguments: root, name (of the part), values (of the part).
*/}}
{{- define "gitops-runtime.context" -}}
{{- $values := dict "nameOverride" (default .name .values.nameOverride) "fullnameOverride" (default .name .values.fullnameOverride) "global" .root.Values.global -}}
{{- include "common.context" (dict "chart" .root.Chart "release" .root.Release "values" $values "partOf" "gitops-runtime") -}}
{{- end -}}

{{/* gitops-runtime.url: the runtime's public URL. Arguments: the root. */}}
{{- define "gitops-runtime.url" -}}
{{- include "runtime.url" (dict "global" .Values.global "tunnelClient" (index .Values "tunnel-client")) -}}
{{- end -}}

{{/* gitops-runtime.platform: the platform's URL, without a slash at its end; what is none fails the render. Arguments: global. */}}
{{- define "gitops-runtime.platform" -}}
{{- if not (include "runtime.isURL" .codefresh.url) -}}
{{- fail (printf "\nACC102: global.codefresh.url is not a URL of a platform: %q.\n  fix: --set global.codefresh.url=https://<host>" (toString .codefresh.url)) -}}
{{- end -}}
{{- trimSuffix "/" .codefresh.url -}}
{{- end -}}

{{/* gitops-runtime.accessMode: ingress, gateway, tunnel or mesh. Arguments: the root. */}}
{{- define "gitops-runtime.accessMode" -}}
{{- include "runtime.accessMode" (dict "global" .Values.global "tunnelEnabled" (index .Values "tunnel-client").enabled) -}}
{{- end -}}

{{/*
gitops-runtime.userToken: where the user's API key is found, {name, key} as JSON; the chart's own Secret where it is given in plain text.
Neither given fails the render. Arguments: global.
*/}}
{{- define "gitops-runtime.userToken" -}}
{{- $token := .global.codefresh.userToken -}}
{{- if $token.token -}}
{{- dict "name" "codefresh-user-token" "key" "token" | toJson -}}
{{- else if values ($token.secretKeyRef | default dict) | compact -}}
{{- if not $token.secretKeyRef.name }}{{ fail "\nTOK103: The reference to the user token's Secret has no name.\n  fix: set global.codefresh.userToken.secretKeyRef.name and .key" }}{{ end -}}
{{- if not $token.secretKeyRef.key }}{{ fail "\nTOK103: The reference to the user token's Secret has no key.\n  fix: set global.codefresh.userToken.secretKeyRef.name and .key" }}{{ end -}}
{{- dict "name" $token.secretKeyRef.name "key" $token.secretKeyRef.key | toJson -}}
{{- else -}}
{{- fail "\nTOK101: There is no user token.\n  fix: --set global.codefresh.userToken.token=<API key>, or name a Secret in global.codefresh.userToken.secretKeyRef{name,key}" -}}
{{- end -}}
{{- end -}}

{{/* gitops-runtime.components: the components that this release installs, name to version, as JSON. Arguments: the root. */}}
{{- define "gitops-runtime.components" -}}
{{- $v := .Values -}}
{{- $gateway := include "argo-gateway.values" $v | fromJson -}}
{{- $argoCD := or (index $v "argo-cd").enabled (eq (include "gitops-runtime.usesOwnArgoCD" .) "true") -}}
{{- $own := dict
  "app-proxy" (dict "enabled" true "image" (index $v "app-proxy").image)
  "internal-router" (dict "enabled" true "image" (index $v "internal-router").image)
  "gitops-operator" (index $v "gitops-operator")
  "argo-gateway" (dict "enabled" (and $gateway.enabled $argoCD) "image" $gateway.image)
  "event-reporter" (dict "enabled" (and (index $v "cf-argocd-extras").eventReporter.enabled $argoCD) "image" (index $v "cf-argocd-extras").eventReporter.container.image)
  "sealed-secrets" (index $v "sealed-secrets")
  "redis" $v.redis
-}}
{{- $components := dict -}}
{{- range $name, $of := $own }}{{ if $of.enabled }}{{ $_ := set $components $name (toString $of.image.tag) }}{{ end }}{{ end -}}
{{- range $chart := list "argo-cd" "argo-events" "argo-rollouts" "argo-workflows" "tunnel-client" -}}
{{- $values := index $v $chart -}}
{{- $on := ternary (eq (include "gitops-runtime.accessMode" $) "tunnel") $values.enabled (eq $chart "tunnel-client") -}}
{{- $version := coalesce ((($values.global).image).tag) (($values.image).tag) ((index $.Subcharts $chart | default dict).Chart).AppVersion -}}
{{- if $on }}{{ $_ := set $components $chart (toString $version) }}{{ end -}}
{{- end -}}
{{- range include "gitops-runtime.reporters" . | fromJsonArray }}{{ $_ := set $components (printf "%s-reporter" .name) (get $components "argo-events") }}{{ end -}}
{{- toJson $components -}}
{{- end -}}

{{/* gitops-runtime.prefix: the prefix of the objects of a chart that this one depends on. Arguments: root, chart. */}}
{{- define "gitops-runtime.prefix" -}}
{{- $values := pick (index .root.Values .chart) "nameOverride" "fullnameOverride" -}}
{{- (include "common.context" (dict "chart" (dict "Name" .chart "Version" "" "AppVersion" "") "release" .root.Release "values" $values) | fromJson).fullname -}}
{{- end -}}

{{/*
gitops-runtime.podsOf: what selects the pods of a component of a chart that this one depends on, as JSON. Arguments: root, chart, component.
*/}}
{{- define "gitops-runtime.podsOf" -}}
{{- $context := dict "name" (default .chart (index .root.Values .chart).nameOverride) "release" .root.Release.Name -}}
{{- dict "matchLabels" (include "common.selectorLabels" (dict "context" $context "name" .component) | fromJson) | toJson -}}
{{- end -}}

{{/*
gitops-runtime.publishesWorkflows: "true" where internal-router routes /workflows to an Argo Workflows server: there is one, and
global.runtime.publishWorkflows does not refuse it. Arguments: the root.
*/}}
{{- define "gitops-runtime.publishesWorkflows" -}}
{{- $workflows := index .Values "argo-workflows" -}}
{{- $server := or (ne (toString ($workflows.server).enabled) "false") (index .Values "app-proxy").config.argoWorkflowsUrl -}}
{{- if and .Values.global.runtime.publishWorkflows $workflows.enabled $server }}true{{ end -}}
{{- end -}}

{{/* gitops-runtime.argoServer: the URL of the Argo Workflows server. Arguments: the root. */}}
{{- define "gitops-runtime.argoServer" -}}
{{- $config := (index .Values "app-proxy").config -}}
{{- default (printf "http://%s-server.%s.svc.%s:2746" (include "gitops-runtime.prefix" (dict "root" . "chart" "argo-workflows")) .Release.Namespace (index .Values "internal-router").clusterDomain) $config.argoWorkflowsUrl -}}
{{- end -}}
