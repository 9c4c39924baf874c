{{/*
gitops-runtime.hook: a Job that runs the installer image as a Helm hook, with its service account and exactly its rights, as YAML
documents. All of it but the Job goes whether the hook succeeds or fails. Arguments: root, hook (Helm's events), facts:
name, jobAnnotations (more of the Job's), deletePolicy (of the Job), args, env, volumes, volumeMounts, rules, clusterRules, outside (what
it reaches, as common.policy has it), ttl (seconds the finished Job is kept), secret (the Secret that was made for it, where the Job may
fail).
*/}}
{{- define "gitops-runtime.hook" -}}
{{- $f := .facts -}}{{- $global := .root.Values.global -}}{{- $installer := .root.Values.installer -}}
{{- $context := include "gitops-runtime.context" (dict "root" .root "name" $f.name "values" dict) | fromJson -}}
{{- $annotations := dict
  "helm.sh/hook" .hook
  "helm.sh/hook-weight" "-20"
  "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded,hook-failed"
-}}
{{- $component := dict
  "context" $context
  "values" dict
  "facts" (merge (dict "annotations" $annotations "fullname" $f.name) (omit $f "name"))
-}}
{{- $_ := set $component.facts "networkPolicy" (dict "ingress" list "egress" (dict "outside" ($f.outside | default list))) -}}
{{- /* its pod listens at no port: only restricted egress needs a policy */ -}}
{{- if $global.runtime.singleNamespace }}{{ $_ := set $component.facts "clusterRules" list }}{{ end -}}
{{- $policy := "" }}{{ if $global.networkPolicy.restrictEgress }}{{ $policy = include "common.networkPolicy" $component }}{{ end -}}
{{- $args := $f.args -}}
{{- if and $f.secret (semverCompare "<3.19.0-0" (default "v3.0.0" .root.Capabilities.HelmVersion.Version)) -}}
{{- $remove := include "gitops-runtime.hook.remove" (dict
  "component" $component
  "secret" $f.secret
  "policy" (not (empty $policy))
) | fromJson -}}
{{- $args = concat $args $remove.args -}}
{{- $_ := set $component.facts "rules" (concat $component.facts.rules $remove.rules) -}}
{{- $_ := set $component.facts "clusterRules" (concat ($component.facts.clusterRules | default list) $remove.clusterRules) -}}
{{- end -}}
{{- $env := list
  (dict "name" "POD_NAMESPACE" "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.namespace")))
  (dict "name" "RELEASE_NAME" "value" .root.Release.Name)
-}}
{{- $container := dict
  "name" $f.name
  "image" (include "common.image" (dict "global" $global "images" (list $installer.image) "tag" .root.Chart.AppVersion))
  "imagePullPolicy" (include "common.imagePullPolicy" (dict "images" (list $installer.image)))
  "args" $args
  "env" (include "common.env" (dict "layers" (list (include "common.proxyEnv" (dict "global" $global) | fromJson) $env ($f.env | default list))) | fromJson).env
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
  "priorityClassName" $installer.priorityClassName
}}
---
{{ include "common.serviceAccount" $component }}
{{- include "common.rbac" $component }}
{{- with $policy }}
---
{{ . }}
{{- end }}
---
apiVersion: batch/v1
kind: Job
metadata:
  {{- $own := dict "helm.sh/hook-weight" "-10" "helm.sh/hook-delete-policy" $f.deletePolicy }}
  {{- include "common.metadata" (dict
    "context" $context
    "name" $f.name
    "annotations" (merge dict ($f.jobAnnotations | default dict) $own $annotations)
  ) | nindent 2 }}
spec:
  backoffLimit: 0
  {{- if semverCompare ">=1.26.0-0" .root.Capabilities.KubeVersion.Version }}
  # a failed Job names its pod and the exit code, and not a limit that was reached
  podFailurePolicy:
    rules:
      - action: FailJob
        onExitCodes: {containerName: {{ $f.name }}, operator: NotIn, values: [0]}
  {{- end }}
  activeDeadlineSeconds: 120
  ttlSecondsAfterFinished: {{ $f.ttl }}
  template:
    metadata:
      {{- with $installer.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      labels:
        {{- merge (include "common.selectorLabels" (dict "context" $context) | fromJson) ($installer.podLabels | default dict) | toYaml | nindent 8 }}
    spec:
      {{- include "common.compact" $pod | fromJson | toYaml | nindent 6 }}
{{- end -}}

{{- /*
gitops-runtime.hook.remove: what lets a hook's Job remove the objects that were made for it, as JSON: args, rules, clusterRules. Only Helm
3.19 and later does that itself when the Job fails; older ones, of which the first do not tell their version, would leave values, service
account and rights behind. The first object becomes the owner of the others: with a part of its rights gone the Job could not delete the
rest. Arguments: component, secret (a name), policy (whether there is a NetworkPolicy).
*/}}
{{- define "gitops-runtime.hook.remove" -}}
{{- $name := .component.facts.fullname -}}{{- $rbac := "rbac.authorization.k8s.io" -}}
{{- $why := "before Helm 3.19 the Job removes what was made for it; OpenShift asks for delete where an owner is set" -}}
{{- $owner := list "get" "delete" -}}{{- $owned := list "patch" "delete" -}}
{{- $args := list -}}{{- $clusterRules := list -}}{{- $role := $owner -}}
{{- if .component.facts.clusterRules -}}
{{- $wide := include "common.clusterName" (dict "context" .component.context "name" "") -}}
{{- $role = $owned -}}
{{- $args = list (printf "--remove=clusterroles.v1.%s/%s" $rbac $wide) (printf "--remove=clusterrolebindings.v1.%s/%s" $rbac $wide) -}}
{{- $clusterRules = list
  (dict "why" $why "apiGroups" (list $rbac) "resources" (list "clusterroles") "resourceNames" (list $wide) "verbs" $owner)
  (dict "why" $why "apiGroups" (list $rbac) "resources" (list "clusterrolebindings") "resourceNames" (list $wide) "verbs" $owned) -}}
{{- end -}}
{{- $args = concat $args (list
  (printf "--remove=roles.v1.%s/%s" $rbac $name) (printf "--remove=rolebindings.v1.%s/%s" $rbac $name)
  (printf "--remove=serviceaccounts.v1/%s" $name) (printf "--remove=secrets.v1/%s" .secret)) -}}
{{- $rules := list
  (dict "why" $why "apiGroups" (list $rbac) "resources" (list "roles") "resourceNames" (list $name) "verbs" $role)
  (dict "why" $why "apiGroups" (list $rbac) "resources" (list "rolebindings") "resourceNames" (list $name) "verbs" $owned)
  (dict "why" $why "apiGroups" (list "") "resources" (list "serviceaccounts") "resourceNames" (list $name) "verbs" $owned)
  (dict "why" $why "apiGroups" (list "") "resources" (list "secrets") "resourceNames" (list .secret) "verbs" $owned) -}}
{{- if .policy -}}
{{- $args = append $args (printf "--remove=networkpolicies.v1.networking.k8s.io/%s" $name) -}}
{{- $rules = append $rules
  (dict "why" $why "apiGroups" (list "networking.k8s.io") "resources" (list "networkpolicies") "resourceNames" (list $name) "verbs" $owned)
-}}
{{- end -}}
{{- dict "args" $args "rules" $rules "clusterRules" $clusterRules | toJson -}}
{{- end -}}
