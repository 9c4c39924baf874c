{{/*
common.job: all objects of a program that runs to its end, as YAML documents: service account, RBAC, Services, a NetworkPolicy if the facts
have one, and the Job, or a CronJob or Pod if that is the fact kind. It has the annotations of the account, the roles and the policy;
workloadAnnotations take precedence. Arguments: those of common.component; the fact job contains fields of the JobSpec or the PodSpec, the
fact cronJob those of the CronJobSpec.
*/}}
{{- define "common.job" -}}
{{- $facts := merge (include "common.facts" . | fromJson) (dict "kind" "Job") -}}
{{- $values := include "common.evaluatedValues" . | fromJson -}}
{{- $component := dict "context" .context "values" $values "facts" $facts -}}
{{- $policy := ternary (include "common.networkPolicy" $component) "" (hasKey $facts "networkPolicy") -}}
{{- include "common.documents" (list
  (include "common.serviceAccount" $component)
  (include "common.rbac" $component)
  (include "common.services" $component)
  $policy
  (include (ternary "common.podObject" "common.jobObject" (eq $facts.kind "Pod")) $component)
) -}}
{{- end -}}

{{/* common.podObject: a Pod that runs once, as YAML. Arguments: a component (context, facts, values). */}}
{{- define "common.podObject" -}}
{{- $pod := include "common.pod" . | fromJson -}}
{{- $metadata := include "common.metadata" (dict
  "context" .context
  "component" .facts.name
  "name" (include "common.componentName" .)
  "annotations" (merge dict (.facts.workloadAnnotations | default dict) (.facts.annotations | default dict))
) | fromYaml -}}
apiVersion: v1
kind: Pod
metadata:
  {{- mergeOverwrite $pod.metadata $metadata | toYaml | nindent 2 }}
spec:
  {{- merge $pod.spec (.facts.job | default dict) | toYaml | nindent 2 }}
{{- end -}}

{{/* common.jobObject: a Job or a CronJob, as YAML. Arguments: a component (context, facts, values). */}}
{{- define "common.jobObject" -}}
{{- $spec := merge (dict "template" (include "common.pod" . | fromJson)) (.facts.job | default dict) -}}
{{- if eq .facts.kind "CronJob" }}{{ $spec = merge (dict "jobTemplate" (dict "spec" $spec)) (.facts.cronJob | default dict) }}{{ end -}}
apiVersion: batch/v1
kind: {{ .facts.kind }}
metadata:
  {{- include "common.metadata" (dict
    "context" .context
    "component" .facts.name
    "name" (include "common.componentName" .)
    "annotations" (merge dict (.facts.workloadAnnotations | default dict) (.facts.annotations | default dict))
  ) | nindent 2 }}
spec:
  {{- toYaml $spec | nindent 2 }}
{{- end -}}
