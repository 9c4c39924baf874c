{{/*
common.component: all objects of one workload, as YAML documents: service account, RBAC, Deployment or StatefulSet, Services, disruption
budget, autoscalers, network policy, metrics.
Arguments: context (common.context), facts (of the component, as YAML text; charts/common/README.md lists the keys),
values (of the user: the same keys for every component), root (for the templates in values; only for tpl).
*/}}
{{- define "common.component" -}}
{{- $values := include "common.evaluatedValues" . | fromJson -}}
{{- $component := dict "context" .context "values" $values "facts" (include "common.facts" . | fromJson) -}}
{{- $documents := list
  (include "common.serviceAccount" $component)
  (include "common.rbac" $component)
  (include "common.workload" $component)
  (include "common.services" $component)
  (include "common.pdb" $component)
  (include "common.hpa" $component)
  (include "common.vpa" $component)
  (include "common.networkPolicy" $component)
  (include "common.metrics" $component)
  (include "common.serviceMonitor" $component)
-}}
{{- include "common.documents" $documents -}}
{{- end -}}

{{/*
common.evaluatedValues: the values of a component, as JSON, with the templates in additional containers evaluated. Arguments: values, root.
*/}}
{{- define "common.evaluatedValues" -}}
{{- $keys := pick .values "extraContainers" "initContainers" "extraInitContainers" -}}
{{- $evaluated := (include "common.evaluated" (dict "value" $keys "root" .root) | fromJson).value -}}
{{- merge dict $evaluated (omit .values "extraContainers" "initContainers" "extraInitContainers") | toJson -}}
{{- end -}}

{{/*
common.account: the service account of pods that other programs create, with its RBAC, as YAML documents.
Arguments: those of common.component.
*/}}
{{- define "common.account" -}}
{{- $component := dict "context" .context "values" .values "facts" (include "common.facts" . | fromJson) -}}
{{- include "common.documents" (list (include "common.serviceAccount" $component) (include "common.rbac" $component)) -}}
{{- end -}}

{{/* common.documents: texts as YAML documents, each with its separator; empty ones are omitted. Arguments: a list of texts. */}}
{{- define "common.documents" -}}
{{- range . }}{{ $document := trim . }}{{ if $document }}
---
{{ trimPrefix "---" $document | trim }}
{{- end }}{{ end }}
{{- end -}}

{{/*
common.crds: the CustomResourceDefinitions in files, as YAML documents. Metadata is inserted into the text without parsing it, because the
definitions are large; each file is named after its resource. An existing definition with another owner is omitted: Helm would refuse to
adopt it, which would prevent a second installation of the program on a cluster.
Arguments: context, group (of the API), crds (values: keep, annotations, additionalLabels), files (path -> bytes).
*/}}
{{- define "common.crds" -}}
{{- $annotations := include "common.layered" (list .crds.annotations) | fromJson -}}
{{- if .crds.keep }}{{ $_ := set $annotations "helm.sh/resource-policy" "keep" }}{{ end -}}
{{- $common := dict "app.kubernetes.io/part-of" .context.partOf "app.kubernetes.io/managed-by" .context.managedBy -}}
{{- range $path, $bytes := .files }}
{{- $name := printf "%s.%s" (base $path | trimSuffix ".yaml") $.group }}
{{- $definition := dict "apiVersion" "apiextensions.k8s.io/v1" "kind" "CustomResourceDefinition" "name" $name }}
{{- if include "common.owns" (merge (dict "context" $.context) $definition) }}
{{- $labels := include "common.layered" (list $common (dict "app.kubernetes.io/name" $name) $.crds.additionalLabels) | fromJson }}
{{- $metadata := include "common.compact" (dict "labels" $labels "annotations" $annotations) | fromJson | toYaml | indent 2 }}
---
{{ toString $bytes | replace "\nmetadata:\n" (printf "\nmetadata:\n%s\n" $metadata) | trim }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
common.owns: "true" if an object belongs to this release or does not exist in the cluster yet; Helm refuses to install over another one.
Arguments: context, apiVersion, kind, name, and namespace of objects that have one.
*/}}
{{- define "common.owns" -}}
{{- $there := lookup .apiVersion .kind (.namespace | default "") .name -}}
{{- $owner := (($there | default dict).metadata).annotations | default dict -}}
{{- if or
  (empty $there)
  (and
    (eq (get $owner "meta.helm.sh/release-name") .context.release)
    (eq (get $owner "meta.helm.sh/release-namespace") .context.releaseNamespace)
  )
}}true{{ end -}}
{{- end -}}

{{/* common.extraObjects: the user's additional manifests, with their templates evaluated. Arguments: objects, root (only for tpl). */}}
{{- define "common.extraObjects" -}}
{{- range .objects }}
---
{{ tpl (ternary . (toYaml .) (kindIs "string" .)) $.root }}
{{- end }}
{{- end -}}
