{{/*
common.job: every object of a program that runs once, as YAML documents: service account, RBAC, Job, and a NetworkPolicy where the facts
have one. The Job has the annotations of the other objects, and workloadAnnotations over them. Arguments: those of common.component; the
fact job holds what is particular of the JobSpec.
*/}}
{{- define "common.job" -}}
{{- $facts := merge (dict "kind" "Job") (include "common.facts" . | fromJson) -}}
{{- $values := include "common.evaluatedValues" . | fromJson -}}
{{- $component := dict "context" .context "values" $values "facts" $facts -}}
{{- $policy := ternary (include "common.networkPolicy" $component) "" (hasKey $facts "networkPolicy") -}}
{{- include "common.documents" (list
  (include "common.serviceAccount" $component)
  (include "common.rbac" $component)
  $policy
  (include "common.jobObject" $component)
) -}}
{{- end -}}

{{/* common.jobObject: a Job, as YAML. Arguments: a component (context, facts, values). */}}
{{- define "common.jobObject" -}}
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "common.metadata" (dict
    "context" .context
    "component" .facts.name
    "name" (include "common.componentName" .)
    "annotations" (merge dict (.facts.workloadAnnotations | default dict) (.facts.annotations | default dict))
  ) | nindent 2 }}
spec:
  {{- merge (dict "template" (include "common.pod" . | fromJson)) (.facts.job | default dict) | toYaml | nindent 2 }}
{{- end -}}
