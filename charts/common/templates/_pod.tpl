{{/*
common.pod: the pod template of a component or a Job, as JSON. This template creates every pod.
Arguments: a component (context, facts, values).
*/}}
{{- define "common.pod" -}}
{{- $f := .facts -}}{{- $v := .values -}}{{- $g := .context.global -}}
{{- $annotations := include "common.layered" (list $f.podAnnotations $v.podAnnotations $g.podAnnotations) | fromJson -}}
{{- with $f.checksum }}{{ $_ := set $annotations "checksum/config" (sha256sum .) }}{{ end -}}
{{- $selector := include "common.selectorLabels" (dict "context" .context "name" $f.name) | fromJson -}}
{{- $own := dict "app.kubernetes.io/component" $f.name "app.kubernetes.io/part-of" .context.partOf -}}
{{- $names := include "common.nameLabels" (dict "context" .context "name" $f.name) | fromJson -}}
{{- $layers := list $selector $own $v.podLabels $f.podLabels $g.podLabels .context.labels $names -}}
{{- $labels := include "common.layered" $layers | fromJson -}}
{{- $size := include "common.compact" ($v.emptyDir | default dict) | fromJson -}}
{{- $scratch := list -}}
{{- range $i, $path := $f.scratch }}{{ $scratch = append $scratch (dict "name" (printf "scratch-%d" $i) "emptyDir" $size) }}{{ end -}}
{{- $token := not (empty (or $f.usesAPI $f.rules $f.clusterRules)) -}}
{{- range list $f $v }}{{ if kindIs "bool" .automountServiceAccountToken }}{{ $token = .automountServiceAccountToken }}{{ end }}{{ end -}}
{{- $hardened := dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- $security := ternary dict $hardened (default false $f.unhardened) -}}
{{- range list $f.podSecurityContext $g.securityContext $v.podSecurityContext -}}
{{- $security = mergeOverwrite $security (. | default dict) -}}
{{- end -}}
{{- $secrets := include "common.imagePullSecrets" (dict "lists" (list $g.imagePullSecrets $f.imagePullSecrets $v.imagePullSecrets)) -}}
{{- $initContainers := list $f.initContainers $v.initContainers $v.extraInitContainers -}}
{{- $containers := list (list (include "common.container" . | fromJson)) $f.sidecars $v.extraContainers -}}
{{- $volumes := list $scratch $f.volumes $g.extraVolumes $v.volumes $v.extraVolumes -}}
{{- $grace := list $v.terminationGracePeriodSeconds $f.terminationGracePeriodSeconds -}}
{{- $spec := dict
  "serviceAccountName" (include "common.serviceAccountName" .)
  "automountServiceAccountToken" $token
  "restartPolicy" (ternary "Never" "" (has (default "" $f.kind) (list "CronJob" "Job" "Pod")))
  "securityContext" $security
  "imagePullSecrets" (fromJson $secrets).secrets
  "initContainers" (include "common.joined" $initContainers | fromJsonArray)
  "containers" (include "common.joined" $containers | fromJsonArray)
  "volumes" (include "common.joined" $volumes | fromJsonArray)
  "affinity" (include "common.affinity" . | fromJson)
  "topologySpreadConstraints" (include "common.topologySpread" . | fromJson).constraints
  "dnsPolicy" $v.dnsPolicy
  "hostNetwork" (ternary true nil (eq (toString $v.hostNetwork) "true"))
  "schedulerName" $v.schedulerName
  "terminationGracePeriodSeconds" (include "common.firstNumber" $grace | fromJson).value
-}}
{{- /* A component's value replaces the global one, even if it is empty. */ -}}
{{- range list "nodeSelector" "tolerations" "priorityClassName" "runtimeClassName" "hostAliases" "dnsConfig" -}}
{{- $_ := set $spec . (include "common.firstSet" (list (index $v .) (index $g . | default nil) (index $f .)) | fromJson).value -}}
{{- end -}}
{{- dict
  "metadata" (include "common.compact" (dict "labels" $labels "annotations" $annotations) | fromJson)
  "spec" (include "common.compact" $spec | fromJson)
| toJson -}}
{{- end -}}

{{/* common.topologySpread: {"constraints": [...]} as JSON, with a labelSelector added if it is missing. Arguments: a component. */}}
{{- define "common.topologySpread" -}}
{{- $selector := dict "matchLabels" (include "common.selectorLabels" (dict "context" .context "name" .facts.name) | fromJson) -}}
{{- $constraints := list -}}
{{- $given := list .values.topologySpreadConstraints .context.global.topologySpreadConstraints -}}
{{- range (include "common.firstSet" $given | fromJson).value -}}
{{- $constraints = append $constraints (include "common.layered" (list . (dict "labelSelector" $selector)) | fromJson) -}}
{{- end -}}
{{- dict "constraints" $constraints | toJson -}}
{{- end -}}

{{/*
common.affinity: a pod's affinity, as JSON: the component's, even if it is empty, or else that of global.affinity: podAntiAffinity (soft or
hard) keeps pods of a component on different nodes, nodeAffinity {type: soft or hard, matchExpressions} selects nodes. Arguments: a
component.
*/}}
{{- define "common.affinity" -}}
{{- $affinity := (include "common.firstSet" (list .values.affinity .facts.affinity) | fromJson).value -}}
{{- $preset := .context.global.affinity | default dict -}}
{{- if kindIs "invalid" $affinity -}}
{{- $affinity = dict -}}
{{- $term := dict
  "topologyKey" "kubernetes.io/hostname"
  "labelSelector" (dict "matchLabels" (include "common.selectorLabels" (dict "context" .context "name" .facts.name) | fromJson))
-}}
{{- $required := "requiredDuringSchedulingIgnoredDuringExecution" -}}
{{- $preferred := "preferredDuringSchedulingIgnoredDuringExecution" -}}
{{- if eq (toString $preset.podAntiAffinity) "hard" -}}
{{- $_ := set $affinity "podAntiAffinity" (dict $required (list $term)) -}}
{{- else if eq (toString $preset.podAntiAffinity) "soft" -}}
{{- $_ := set $affinity "podAntiAffinity" (dict $preferred (list (dict "weight" 100 "podAffinityTerm" $term))) -}}
{{- end -}}
{{- with ($preset.nodeAffinity).matchExpressions -}}
{{- $node := dict "matchExpressions" . -}}
{{- $hard := ne (toString $preset.nodeAffinity.type) "soft" -}}
{{- $_ := set $affinity "nodeAffinity"
  (ternary (dict $required (dict "nodeSelectorTerms" (list $node))) (dict $preferred (list (dict "weight" 1 "preference" $node))) $hard)
-}}
{{- end -}}
{{- end -}}
{{- toJson $affinity -}}
{{- end -}}
