{{/* common.nameLabels: the labels with the names of a component and its release, as JSON. Arguments: context, name (of the component). */}}
{{- define "common.nameLabels" -}}
{{- dict
  "app.kubernetes.io/name" (ternary .context.name (printf "%s-%s" .context.name .name) (empty .name) | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/instance" .context.release
| toJson -}}
{{- end -}}

{{/*
common.selectorLabels: the labels that select a component's pods, as JSON: those of the context, or name and release. They do not change
during the lifetime of a release. Arguments: context, name (of the component).
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
{{- $names := include "common.nameLabels" . | fromJson -}}
{{- $own := dict
  "helm.sh/chart" .context.chart
  "app.kubernetes.io/managed-by" .context.managedBy
  "app.kubernetes.io/part-of" .context.partOf
-}}
{{- with .name }}{{ $_ := set $own "app.kubernetes.io/component" . }}{{ end -}}
{{- with .context.version }}{{ $_ := set $own "app.kubernetes.io/version" (replace "+" "_" . | trunc 63) }}{{ end -}}
{{- include "common.layered" (list (default $names .context.selector) $own .extra .context.labels $names) -}}
{{- end -}}

{{/*
common.metadata: the metadata of an object, as YAML; with the annotations of the context, if it has some.
Arguments: context, component (its name, may be empty), name (the object's), clusterScoped, labels, annotations.
*/}}
{{- define "common.metadata" -}}
{{- $labels := include "common.labels" (dict "context" .context "name" .component "extra" .labels) | fromJson -}}
{{- $metadata := dict "labels" $labels -}}
{{- with .name }}{{ $_ := set $metadata "name" . }}{{ end -}}
{{- if not .clusterScoped }}{{ $_ := set $metadata "namespace" .context.namespace }}{{ end -}}
{{- with include "common.layered" (list .annotations .context.annotations) | fromJson }}{{ $_ := set $metadata "annotations" . }}{{ end -}}
{{- toYaml $metadata -}}
{{- end -}}
