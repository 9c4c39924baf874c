{{/*
argo-cd.context: common.context of this chart with noProxy, the short names of the Services through which its programs reach each other.
Arguments: the root.
*/}}
{{- define "argo-cd.context" -}}
{{- $v := .Values -}}
{{- $context := include "common.context" (dict
  "chart" .Chart
  "release" .Release
  "values" $v
  "partOf" "argocd"
  "singleNamespace" (($v.global).runtime).singleNamespace
) | fromJson -}}
{{- $services := list -}}
{{- $parts := list $v.server.name $v.repoServer.name $v.redis.name "redis-ha-haproxy" -}}
{{- range concat $parts (list $v.dex.name $v.commitServer.name $v.applicationSet.name) -}}
{{- $services = append $services (include "common.fullname" (dict "context" $context "name" .)) -}}
{{- end -}}
{{- set $context "noProxy" $services | toJson -}}
{{- end -}}

{{/*
argo-cd.user: the user of an image's containers and the group of their volumes, as JSON; {} on OpenShift, which assigns both.
Arguments: values, id, group.
*/}}
{{- define "argo-cd.user" -}}
{{- ternary "{}" (include "common.compact" (dict "runAsUser" .id "fsGroup" .group)) (.values.openshift.enabled | default false) -}}
{{- end -}}

{{/* argo-cd.clusterRoles: "true" if createClusterRoles is set and the runtime is not limited to its namespace. Arguments: the values. */}}
{{- define "argo-cd.clusterRoles" -}}
{{- if and .createClusterRoles (not ((.global.runtime).singleNamespace)) }}true{{ end -}}
{{- end -}}

{{/* argo-cd.peers: the labels that all pods of this release's Argo CD have, as JSON. Arguments: common.context. */}}
{{- define "argo-cd.peers" -}}
{{- dict "app.kubernetes.io/part-of" .partOf | toJson -}}
{{- end -}}

{{/*
argo-cd.clients: the clients of a port of this Argo CD, as a YAML list of peers: the given components, and other programs with the label
argocd-client, such as programs of the runtime that render manifests, in the release's namespace and in
global.networkPolicy.clientNamespaces.
Arguments: context, of (names of components).
*/}}
{{- define "argo-cd.clients" -}}
{{- range .of }}
- podSelector:
    matchLabels: {{ include "common.nameLabels" (dict "context" $.context "name" .) }}
{{- end }}
- podSelector:
    matchLabels: {argocd-client: "true"}
{{- range .context.global.networkPolicy.clientNamespaces }}
- namespaceSelector:
    matchLabels: {kubernetes.io/metadata.name: {{ toJson . }}}
  podSelector:
    matchLabels: {argocd-client: "true"}
{{- end }}
{{- end -}}

{{/*
argo-cd.peersOf: the egress rules to parts of this Argo CD, as a YAML list: redis (single, replicated or external), redisServer (the
servers of the replicated Redis), repoServer, commitServer, dex. Disabled parts are omitted.
Arguments: of {context, values}, to (their names).
*/}}
{{- define "argo-cd.peersOf" -}}
{{- $v := .of.values -}}{{- $context := .of.context -}}
{{- $parts := include "argo-cd.parts" $v | include "common.parsed" | fromJson -}}
{{- range .to -}}
{{- $part := get $parts . -}}
{{- if and (eq . "redis") $v.externalRedis.host }}
- why: the Redis outside this release, externalRedis.host
  ports: [{{ $v.externalRedis.port }}]
{{- else if $part }}
- ports: {{ toJson $part.ports }}
  to:
    - podSelector:
        matchLabels: {{ include "common.nameLabels" (dict "context" $context "name" $part.name) }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
argo-cd.usesDex: "true" if Dex runs: dex.enabled is true, or it is null and configs.cm has a dex.config. Arguments: values.
*/}}
{{- define "argo-cd.usesDex" -}}
{{- $settings := pick (.configs.cm | default dict) "dex" "dex.config" -}}
{{- $config := get (include "argo-cd.flat" (dict "settings" $settings) | fromJson).data "dex.config" -}}
{{- if ternary (not (empty $config)) .dex.enabled (kindIs "invalid" .dex.enabled) }}true{{ end -}}
{{- end -}}

{{/*
argo-cd.parts: the parts of this Argo CD that other programs use, as a YAML map of part to {name, ports}; disabled parts are omitted.
Arguments: values.
*/}}
{{- define "argo-cd.parts" -}}
{{- $ha := index . "redis-ha" -}}
{{- if $ha.enabled }}
redis: {name: {{ ternary "redis-ha-haproxy" "redis-ha-server" $ha.haproxy.enabled }}, ports: [6379, 26379]}
{{- else }}
redis: {name: {{ toJson .redis.name }}, ports: [{{ .redis.containerPorts.redis }}]}
{{- end }}
redisServer: {name: redis-ha-server, ports: [6379, 26379]}
repoServer: {name: {{ toJson .repoServer.name }}, ports: [{{ .repoServer.containerPorts.server }}]}
{{- if .commitServer.enabled }}
commitServer: {name: {{ toJson .commitServer.name }}, ports: [8086]}
{{- end }}
{{- if include "argo-cd.usesDex" . }}
dex: {name: {{ toJson .dex.name }}, ports: [{{ .dex.containerPorts.http }}, {{ .dex.containerPorts.grpc }}]}
{{- end }}
{{- end -}}

{{/*
argo-cd.flat: {"data": {...}} as JSON: settings as the data of a ConfigMap. The keys of nested maps are joined with dots, so that
`--set configs.cm.timeout.reconciliation=20s` sets the key timeout.reconciliation and overrides a default of that key. Nulls are omitted.
Arguments: settings, prefix.
*/}}
{{- define "argo-cd.flat" -}}
{{- $data := dict -}}{{- $nested := dict -}}
{{- range $key, $value := .settings -}}
{{- $name := printf "%s%s" (default "" $.prefix) $key -}}
{{- if kindIs "string" $value -}}
{{- $_ := set $data $name $value -}}
{{- else if kindIs "map" $value -}}
{{- $nested = merge $nested (include "argo-cd.flat" (dict "settings" $value "prefix" (printf "%s." $name)) | fromJson).data -}}
{{- else if kindIs "slice" $value -}}
{{- $_ := set $data $name (toYaml $value) -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $data $name (include "common.text" $value) -}}
{{- end -}}
{{- end -}}
{{- dict "data" (mergeOverwrite $data $nested) | toJson -}}
{{- end -}}
