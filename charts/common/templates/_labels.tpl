{{/* common.nameLabels: the name of a component and its release, as JSON. Arguments: context, name (of the component). */}}
{{- define "common.nameLabels" -}}
{{- dict
  "app.kubernetes.io/name" (ternary .context.name (printf "%s-%s" .context.name .name) (empty .name) | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/instance" .context.release
| toJson -}}
{{- end -}}

{{/*
common.selectorLabels: the labels that select a component's pods, as JSON: those of the context, or name and release. They never change
for a release. Arguments: context, name (of the component).
*/}}
{{- define "common.selectorLabels" -}}
{{- if .context.selector -}}
{{- toJson .context.selector -}}
{{- else -}}
{{- include "common.nameLabels" . -}}
{{- end -}}
{{- end -}}

{{/* common.labels: all labels of an object, as JSON. Arguments: context, name (of the component), extra. */}}
{{- define "common.labels" -}}
{{- $own := dict
  "helm.sh/chart" .context.chart
  "app.kubernetes.io/managed-by" .context.managedBy
  "app.kubernetes.io/part-of" .context.partOf
  "app.kubernetes.io/component" .name
  "app.kubernetes.io/version" (.context.version | replace "+" "_" | trunc 63)
-}}
{{- include "common.layered" (list
  (include "common.selectorLabels" . | fromJson)
  (include "common.compact" $own | fromJson)
  .extra
  .context.labels
  (include "common.nameLabels" . | fromJson)
) -}}
{{- end -}}

{{/*
common.metadata: the metadata of an object, as YAML.
Arguments: context, component (its name, may be empty), name (the object's), clusterScoped, labels, annotations.
*/}}
{{- define "common.metadata" -}}
{{- $labels := include "common.labels" (dict "context" .context "name" .component "extra" .labels) | fromJson -}}
{{- $metadata := dict
  "name" .name
  "namespace" (ternary "" .context.namespace (.clusterScoped | default false))
  "labels" $labels
  "annotations" .annotations
-}}
{{- include "common.compact" $metadata | fromJson | toYaml -}}
{{- end -}}
