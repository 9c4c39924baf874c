{{/* day-two.address: fails if a URL has a user or a password, without showing it. Arguments: path (of the value), url, fix. */}}
{{- define "day-two.address" -}}
{{- if contains "@" .url -}}
{{- fail (printf "\nSCH309: %s contains a user or a password.\n  fix: %s" .path .fix) -}}
{{- end -}}
{{- end -}}

{{/*
day-two.cronJob: a CronJob that runs validate-values, with its service account and permissions, as YAML documents. A run that fails is not
repeated before the next one, and of each kind one Job remains. Arguments: root, name, values (of the component), facts (YAML text).
*/}}
{{- define "day-two.cronJob" -}}
{{- include "gitops-runtime.published" (dict "root" .root "image" .values.image "path" (trimPrefix "runtime-" .name)) -}}
{{- $context := include "gitops-runtime.context" (dict "root" .root "name" .name "values" dict) | fromJson -}}
{{- $own := include "common.facts" (dict "context" $context "facts" .facts) | fromJson -}}
{{- $facts := dict
  "kind" "CronJob"
  "fullname" .name
  "containerName" .name
  "images" (list .values.image)
  "terminationMessagePolicy" "FallbackToLogsOnError"
  "podSecurityContext" (dict "runAsUser" 65532 "runAsGroup" 65532 "fsGroup" 65532)
  "usesAPI" true
  "job" (merge (dict "backoffLimit" 0) $own.job)
  "cronJob" (merge
    (ternary (dict "timeZone" .values.timeZone) dict (not (empty .values.timeZone)))
    (dict "schedule" .values.schedule "concurrencyPolicy" "Forbid" "successfulJobsHistoryLimit" 1 "failedJobsHistoryLimit" 1)
  )
-}}
{{- include "common.job" (dict
  "root" .root
  "context" $context
  "values" .values
  "facts" (merge $facts $own | toYaml)
) -}}
{{- end -}}
