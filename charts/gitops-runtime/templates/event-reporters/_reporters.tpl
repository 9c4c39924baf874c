{{/*
gitops-runtime.reporters: the event reporters of this release, as a JSON list of {name, resources}: one per Argo project that is enabled, or there
already and named; for applications only where no program of its own reports them (cf-argocd-extras.eventReporter).
resources are what the reporter watches, {group, version, resource}. Arguments: the root.
*/}}
{{- define "gitops-runtime.reporters" -}}
{{- $reporters := list -}}
{{- if (index .Values "argo-events").enabled -}}
{{- $argoCD := or (index .Values "argo-cd").enabled (include "gitops-runtime.usesOwnArgoCD" .) -}}
{{- if and $argoCD (not (index .Values "cf-argocd-extras").eventReporter.enabled) -}}
{{- $reporters = append $reporters (dict "name" "events" "resources" (list
  (dict "group" "argoproj.io" "version" "v1alpha1" "resource" "applications"))) -}}
{{- end -}}
{{- if or (index .Values "argo-rollouts").enabled (index .Values.global "external-argo-rollouts" "rollout-reporter").enabled -}}
{{- $reporters = append $reporters (dict "name" "rollout" "resources" (list
  (dict "group" "argoproj.io" "version" "v1alpha1" "resource" "rollouts")
  (dict "group" "apps" "version" "v1" "resource" "replicasets")
  (dict "group" "argoproj.io" "version" "v1alpha1" "resource" "analysisruns"))) -}}
{{- end -}}
{{- if (index .Values "argo-workflows").enabled -}}
{{- $reporters = append $reporters (dict "name" "workflow" "releaseNamespace" true "resources" (list
  (dict "group" "argoproj.io" "version" "v1alpha1" "resource" "workflows"))) -}}
{{- end -}}
{{- end -}}
{{- toJson $reporters -}}
{{- end -}}

{{/* gitops-runtime.eventBusName: the EventBus of the reporters. Arguments: global. */}}
{{- define "gitops-runtime.eventBusName" -}}
{{- default "codefresh-eventbus" .runtime.eventBus.name -}}
{{- end -}}

{{/*
reporters.pod: the pod template that EventSource and Sensor have in common, as YAML.
Arguments: context, values (resources, env, nodeSelector, tolerations, affinity), serviceAccountName, annotations.
*/}}
{{- define "reporters.pod" -}}
{{- $g := .context.global -}}
{{- $env := (include "common.env" (dict "layers" (list (include "common.proxyEnv" (dict "global" $g) | fromJson) (.values.env | default dict))) | fromJson).env -}}
{{- $container := dict "resources" .values.resources "env" $env "securityContext" (include "common.securityContext" . | fromJson) "imagePullPolicy" "IfNotPresent" -}}
{{- $pod := dict
  "serviceAccountName" .serviceAccountName
  "metadata" (include "common.compact" (dict "labels" (include "common.labels" .context.labelsOf | fromJson) "annotations" .annotations) | fromJson)
  "securityContext" (dict "runAsNonRoot" true "runAsUser" 9731 "seccompProfile" (dict "type" "RuntimeDefault"))
  "container" (include "common.compact" $container | fromJson)
  "imagePullSecrets" (include "common.imagePullSecrets" (dict "lists" (list ($g.imagePullSecrets | default list))) | fromJson).secrets
  "nodeSelector" (coalesce .values.nodeSelector $g.nodeSelector)
  "tolerations" (coalesce .values.tolerations $g.tolerations)
  "affinity" .values.affinity
-}}
{{- include "common.compact" $pod | fromJson | toYaml -}}
{{- end -}}
