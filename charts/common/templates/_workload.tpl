{{/*
common.globalStrategy: {"value": ...} as JSON: the strategy of Deployments in global: deploymentStrategy or, with surgeOnUpgrade: false, one
that ends a pod before it starts its successor, so that an upgrade needs no more room than the release has; null for that of Kubernetes.
Arguments: global.
*/}}
{{- define "common.globalStrategy" -}}
{{- $inPlace := dict "type" "RollingUpdate" "rollingUpdate" (dict "maxSurge" 0 "maxUnavailable" 1) -}}
{{- $strategy := .deploymentStrategy -}}
{{- if and (empty $strategy) (eq (toString .surgeOnUpgrade) "false") }}{{ $strategy = $inPlace }}{{ end -}}
{{- dict "value" $strategy | toJson -}}
{{- end -}}

{{/*
common.workload: a component's Deployment or StatefulSet, as YAML.
Arguments: a component (context, facts, values). The autoscaler sets the replicas if it is enabled.
*/}}
{{- define "common.workload" -}}
{{- $f := .facts -}}{{- $v := .values -}}{{- $g := .context.global -}}
{{- $kind := default "Deployment" $f.kind -}}
{{- $stateful := eq $kind "StatefulSet" -}}
{{- $selector := include "common.selectorLabels" (dict "context" .context "name" $f.name) | fromJson -}}
{{- $replicas := ternary $f.replicas $v.replicas (hasKey $f "replicas") -}}
{{- $spec := dict
  "selector" (dict "matchLabels" $selector)
  "template" (include "common.pod" . | fromJson)
  "revisionHistoryLimit" (include "common.firstNumber" (list $v.revisionHistoryLimit $g.revisionHistoryLimit) | fromJson).value
-}}
{{- if and (not (($v.autoscaling).enabled)) (not (kindIs "invalid" $replicas)) }}{{ $_ := set $spec "replicas" (int $replicas) }}{{ end -}}
{{- $strategies := list $v.deploymentStrategy $v.strategy $v.updateStrategy $f.strategy -}}
{{- if not $stateful }}{{ $strategies = append $strategies (include "common.globalStrategy" $g | fromJson).value }}{{ end -}}
{{- $strategy := (include "common.firstSet" $strategies | fromJson).value -}}
{{- if $strategy }}{{ $_ := set $spec (ternary "updateStrategy" "strategy" $stateful) $strategy }}{{ end -}}
{{- if $stateful -}}
{{- $_ := set $spec "serviceName" (default (include "common.componentName" .) $f.serviceName) -}}
{{- with $f.podManagementPolicy }}{{ $_ := set $spec "podManagementPolicy" . }}{{ end -}}
{{- with $f.volumeClaimTemplates }}{{ $_ := set $spec "volumeClaimTemplates" . }}{{ end -}}
{{- end -}}
apiVersion: apps/v1
kind: {{ $kind }}
metadata:
  {{- $annotations := list
    $v.deploymentAnnotations
    $v.statefulsetAnnotations
    (ternary $g.statefulsetAnnotations $g.deploymentAnnotations $stateful)
    $f.workloadAnnotations
  }}
  {{- $labels := list
    $v.deploymentLabels
    $v.statefulsetLabels
    (ternary $g.statefulsetLabels $g.deploymentLabels $stateful)
  }}
  {{- include "common.metadata" (dict
    "context" .context
    "component" $f.name
    "name" (include "common.componentName" .)
    "labels" (include "common.layered" $labels | fromJson)
    "annotations" (include "common.layered" $annotations | fromJson)
  ) | nindent 2 }}
spec:
  {{- include "common.compact" $spec | fromJson | toYaml | nindent 2 }}
{{- end -}}
