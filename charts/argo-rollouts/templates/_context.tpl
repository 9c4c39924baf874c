{{/*
argo-rollouts.context: common.context of this chart; singleNamespace is set by the chart's own value or by the runtime it is part of.
Arguments: the root.
*/}}
{{- define "argo-rollouts.context" -}}
{{- include "common.context" (dict
  "chart" .Chart
  "release" .Release
  "values" .Values
  "partOf" "argo-rollouts"
  "singleNamespace" (or (not .Values.clusterInstall) ((.Values.global).runtime).singleNamespace)
) -}}
{{- end -}}

{{/*
argo-rollouts.contextOf: common.context of a component, whose pods have the chart's name and are selected by their component, too, as in
the community chart, a release of which is upgraded in place. Arguments: root, component (its name).
*/}}
{{- define "argo-rollouts.contextOf" -}}
{{- $context := include "argo-rollouts.context" .root | fromJson -}}
{{- $selector := dict
  "app.kubernetes.io/name" $context.name
  "app.kubernetes.io/instance" $context.release
  "app.kubernetes.io/component" .component
-}}
{{- set $context "selector" $selector | toJson -}}
{{- end -}}

{{/*
argo-rollouts.values: a component's values merged over those that all of the chart's components share, as JSON.
Arguments: values (the chart's), component (its own), shared (names of keys at the top of the values).
*/}}
{{- define "argo-rollouts.values" -}}
{{- $shared := dict -}}
{{- range $key := .shared }}{{ with get $.values $key }}{{ $_ := set $shared $key . }}{{ end }}{{ end -}}
{{- mergeOverwrite (deepCopy $shared) .component | toJson -}}
{{- end -}}
