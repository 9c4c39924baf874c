{{/* common.pdb: a component's PodDisruptionBudget, as YAML; nothing unless values.pdb.enabled. Arguments: a component. */}}
{{- define "common.pdb" -}}
{{- $pdb := .values.pdb | default dict -}}
{{- if $pdb.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "common.metadata" (dict
    "context" .context
    "component" .facts.name
    "name" (include "common.componentName" .)
    "labels" $pdb.labels
    "annotations" $pdb.annotations
  ) | nindent 2 }}
spec:
  {{- if not (or (kindIs "invalid" $pdb.maxUnavailable) (eq (toString $pdb.maxUnavailable) "")) }}
  maxUnavailable: {{ toJson $pdb.maxUnavailable }}
  {{- else }}
  minAvailable: {{ ternary 0 $pdb.minAvailable (or (kindIs "invalid" $pdb.minAvailable) (eq (toString $pdb.minAvailable) "")) | toJson }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "common.selectorLabels" (dict "context" .context "name" .facts.name) | fromJson | toYaml | nindent 6 }}
{{- end -}}
{{- end -}}

{{/* common.hpa: a component's HorizontalPodAutoscaler, as YAML; nothing unless values.autoscaling.enabled. Arguments: a component. */}}
{{- define "common.hpa" -}}
{{- $hpa := .values.autoscaling | default dict -}}
{{- if $hpa.enabled -}}
{{- $metrics := $hpa.metrics | default list -}}
{{- $targets := dict "memory" $hpa.targetMemoryUtilizationPercentage "cpu" $hpa.targetCPUUtilizationPercentage -}}
{{- range $resource := list "memory" "cpu" -}}
{{- with $target := get $targets $resource -}}
{{- $metrics = append $metrics
  (dict "type" "Resource" "resource" (dict "name" $resource "target" (dict "type" "Utilization" "averageUtilization" (int $target))))
-}}
{{- end -}}
{{- end -}}
apiVersion: {{ default "autoscaling/v2" .context.apiVersions.autoscaling | include "common.scalar" }}
kind: HorizontalPodAutoscaler
metadata:
  {{- include "common.metadata" (dict "context" .context "component" .facts.name "name" (include "common.componentName" .)) | nindent 2 }}
spec:
  minReplicas: {{ (include "common.firstSet" (list $hpa.minReplicas 1) | fromJson).value }}
  maxReplicas: {{ (include "common.firstSet" (list $hpa.maxReplicas 5) | fromJson).value }}
  scaleTargetRef:
    apiVersion: apps/v1
    kind: {{ default "Deployment" .facts.kind }}
    name: {{ include "common.componentName" . }}
  metrics:
    {{- toYaml $metrics | nindent 4 }}
  {{- with $hpa.behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* common.vpa: a component's VerticalPodAutoscaler, as YAML; nothing unless values.vpa.enabled. Arguments: a component. */}}
{{- define "common.vpa" -}}
{{- $vpa := .values.vpa | default dict -}}
{{- if $vpa.enabled -}}
{{- $target := dict "apiVersion" "apps/v1" "kind" (default "Deployment" .facts.kind) "name" (include "common.componentName" .) -}}
{{- $policy := merge (dict "containerName" (default .facts.name .facts.containerName)) ($vpa.containerPolicy | default dict) -}}
{{- $spec := dict
  "targetRef" $target
  "updatePolicy" (dict "updateMode" (default "Initial" $vpa.updateMode))
  "resourcePolicy" (dict "containerPolicies" (list $policy))
-}}
{{- include "common.object" (dict
  "context" .context
  "component" .facts.name
  "apiVersion" "autoscaling.k8s.io/v1"
  "kind" "VerticalPodAutoscaler"
  "name" (include "common.componentName" .)
  "labels" $vpa.labels
  "annotations" $vpa.annotations
  "spec" $spec
) -}}
{{- end -}}
{{- end -}}
