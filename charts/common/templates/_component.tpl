{{/*
common.component: every object of one workload, as YAML documents: service account, RBAC, Deployment or StatefulSet, Services,
disruption budget, autoscaler, network policy, metrics.
Arguments: context (common.context), facts (what is particular to the component; charts/common/README.md lists the keys),
values (what the user says of it: the same names on every component).
*/}}
{{- define "common.component" -}}
{{- include "common.checkFacts" . -}}
{{- $documents := list
  (include "common.serviceAccount" .)
  (include "common.rbac" .)
  (include "common.workload" .)
  (include "common.services" .)
  (include "common.pdb" .)
  (include "common.hpa" .)
  (include "common.vpa" .)
  (include "common.networkPolicy" .)
  (include "common.metrics" .)
  (include "common.serviceMonitor" .)
-}}
{{- range $documents }}{{ $document := trim . }}{{ if $document }}
---
{{ trimPrefix "---" $document | trim }}
{{- end }}{{ end }}
{{- end -}}

{{/*
common.checkFacts: fails the render where the facts of a component do not parse (fromYaml reports that under the key Error), or hold a key
that no template reads. Arguments: a component.
*/}}
{{- define "common.checkFacts" -}}
{{- $component := printf "chart %s, component %q" .context.chart (default .context.fullname .facts.name) -}}
{{- with .facts.Error -}}
{{- fail (printf "\n%s: its facts do not parse: %s.\n  fix: render with --debug; a value that needs quotes is the usual reason" $component .) -}}
{{- end -}}
{{- $known := list
  "affinity" "annotations" "args" "automountServiceAccountToken" "checksum" "clusterRules" "command" "containerName" "env" "envFrom" "fullname"
  "imagePullSecrets" "images" "initContainers" "kind" "lifecycle" "livenessProbe" "managedNamespace" "metrics" "name" "namespaced" "networkPolicy"
  "podAnnotations" "podLabels" "podManagementPolicy" "podSecurityContext" "ports" "publishedClusterRules" "publishedRules" "readinessProbe"
  "replicas" "resources" "rules" "scratch" "securityContext" "serviceAccountName" "serviceMonitor" "serviceName" "services" "sidecars"
  "startupProbe" "strategy" "terminationGracePeriodSeconds" "usesAPI" "volumeClaimTemplates" "volumeMounts" "volumes" "workloadAnnotations"
  "writableRoot"
-}}
{{- range $key, $_ := .facts -}}
{{- if not (has $key $known) -}}
{{- fail (printf "\n%s: %q is not a fact of a component.\n  fix: use one of those in charts/common/README.md, or add it to common.checkFacts" $component $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
common.crds: the CustomResourceDefinitions of files, as YAML documents. Text is inserted, not parsed: the definitions are large; a file is
named after its resource. A definition that is on the cluster and belongs to somebody else stays as it is: Helm would refuse to adopt it,
and another Argo CD could not be installed beside one.
Arguments: context, group (of the API), crds (values: keep, annotations, additionalLabels), files (path -> bytes).
*/}}
{{- define "common.crds" -}}
{{- $annotations := merge dict (.crds.annotations | default dict) -}}
{{- if .crds.keep }}{{ $_ := set $annotations "helm.sh/resource-policy" "keep" }}{{ end -}}
{{- $common := dict "app.kubernetes.io/part-of" .context.partOf "app.kubernetes.io/managed-by" .context.managedBy -}}
{{- range $path, $bytes := .files }}
{{- $name := printf "%s.%s" (base $path | trimSuffix ".yaml") $.group }}
{{- if include "common.ownsCRD" (dict "context" $.context "name" $name) }}
{{- $labels := merge dict $common (dict "app.kubernetes.io/name" $name) ($.crds.additionalLabels | default dict) }}
{{- $metadata := include "common.compact" (dict "labels" $labels "annotations" $annotations) | fromJson | toYaml | indent 2 }}
---
{{ toString $bytes | replace "\nmetadata:\n" (printf "\nmetadata:\n%s\n" $metadata) | trim }}
{{- end }}
{{- end }}
{{- end -}}

{{/* common.ownsCRD: "true" where a definition is this release's, or not on the cluster yet. Arguments: context, name. */}}
{{- define "common.ownsCRD" -}}
{{- $there := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" .name -}}
{{- $owner := (($there | default dict).metadata).annotations | default dict -}}
{{- if or
  (empty $there)
  (and
    (eq (get $owner "meta.helm.sh/release-name") .context.release)
    (eq (get $owner "meta.helm.sh/release-namespace") .context.releaseNamespace)
  )
}}true{{ end -}}
{{- end -}}

{{/* common.extraObjects: the user's own manifests, templates allowed. Arguments: objects, root (only tpl sees it). */}}
{{- define "common.extraObjects" -}}
{{- range .objects }}
---
{{ tpl (ternary . (toYaml .) (kindIs "string" .)) $.root }}
{{- end }}
{{- end -}}
