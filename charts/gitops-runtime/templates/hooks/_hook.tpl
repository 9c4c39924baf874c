{{/*
gitops-runtime.hook: a Job that runs the installer image as a Helm hook, with its service account and exactly its rights, as YAML documents.
All of it but the Job goes whether the hook succeeds or fails. Arguments: root, hook (Helm's events), facts:
name, jobAnnotations (more of the Job's), deletePolicy (of the Job), args, env, volumes, volumeMounts, rules, clusterRules, outside (what it reaches, as common.policy has it), ttl (seconds the finished Job is kept).
*/}}
{{- define "gitops-runtime.hook" -}}
{{- $f := .facts -}}{{- $global := .root.Values.global -}}{{- $installer := .root.Values.installer -}}
{{- $context := include "gitops-runtime.context" (dict "root" .root "name" $f.name "values" dict) | fromJson -}}
{{- $annotations := dict "helm.sh/hook" .hook "helm.sh/hook-weight" "-20" "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded,hook-failed" -}}
{{- $component := dict "context" $context "values" dict "facts" (merge (dict "annotations" $annotations "fullname" $f.name) (omit $f "name")) -}}
{{- $_ := set $component.facts "networkPolicy" (dict "ingress" list "egress" (dict "outside" ($f.outside | default list))) -}}
{{- if $global.runtime.singleNamespace }}{{ $_ := set $component.facts "clusterRules" list }}{{ end -}}
{{- $env := list
  (dict "name" "POD_NAMESPACE" "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.namespace")))
  (dict "name" "RELEASE_NAME" "value" .root.Release.Name)
-}}
{{- $container := dict
  "name" $f.name
  "image" (include "common.image" (dict "global" $global "images" (list $installer.image) "tag" .root.Chart.AppVersion))
  "imagePullPolicy" (include "common.imagePullPolicy" (dict "images" (list $installer.image)))
  "args" $f.args
  "env" (include "common.env" (dict "layers" (list (include "common.proxyEnv" $global | fromJson) $env ($f.env | default list))) | fromJson).env
  "resources" $installer.resources
  "securityContext" (include "common.securityContext" . | fromJson)
  "terminationMessagePolicy" "FallbackToLogsOnError"
  "volumeMounts" $f.volumeMounts
-}}
{{- $pod := dict
  "serviceAccountName" (include "common.serviceAccountName" $component)
  "automountServiceAccountToken" true
  "restartPolicy" "Never"
  "securityContext" (dict "runAsNonRoot" true "runAsUser" 65532 "runAsGroup" 65532 "fsGroup" 65532 "seccompProfile" (dict "type" "RuntimeDefault"))
  "imagePullSecrets" (include "common.imagePullSecrets" (dict "lists" (list ($global.imagePullSecrets | default list) ($installer.imagePullSecrets | default list))) | fromJson).secrets
  "containers" (list (include "common.compact" $container | fromJson))
  "volumes" $f.volumes
  "nodeSelector" (coalesce $installer.nodeSelector $global.nodeSelector)
  "tolerations" (coalesce $installer.tolerations $global.tolerations)
  "affinity" $installer.affinity
}}
---
{{ include "common.serviceAccount" $component }}
{{- include "common.rbac" $component }}
---
{{ include "common.networkPolicy" $component }}
---
apiVersion: batch/v1
kind: Job
metadata:
  {{- $own := dict "helm.sh/hook-weight" "-10" "helm.sh/hook-delete-policy" $f.deletePolicy }}
  {{- include "common.metadata" (dict "context" $context "name" $f.name "annotations" (merge dict ($f.jobAnnotations | default dict) $own $annotations)) | nindent 2 }}
spec:
  backoffLimit: 0
  activeDeadlineSeconds: 120
  ttlSecondsAfterFinished: {{ $f.ttl }}
  template:
    metadata:
      labels:
        {{- include "common.selectorLabels" (dict "context" $context) | fromJson | toYaml | nindent 8 }}
    spec:
      {{- include "common.compact" $pod | fromJson | toYaml | nindent 6 }}
{{- end -}}
