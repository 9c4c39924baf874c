{{/* common.serviceAccountName: the name of the service account that a component uses. Arguments: a component. */}}
{{- define "common.serviceAccountName" -}}
{{- $account := .values.serviceAccount | default dict -}}
{{- if ne (toString $account.create) "false" -}}
{{- coalesce $account.name .facts.serviceAccountName (include "common.componentName" .) -}}
{{- else -}}
{{- coalesce $account.name "default" -}}
{{- end -}}
{{- end -}}

{{/* common.serviceAccount: a component's ServiceAccount, as YAML; nothing if create is false. Arguments: a component. */}}
{{- define "common.serviceAccount" -}}
{{- $account := .values.serviceAccount | default dict -}}
{{- if ne (toString $account.create) "false" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "common.metadata" (dict
    "context" .context
    "component" .facts.name
    "name" (include "common.serviceAccountName" .)
    "labels" $account.labels
    "annotations" (include "common.layered" (list $account.annotations .facts.annotations) | fromJson)
  ) | nindent 2 }}
automountServiceAccountToken: {{ ternary $account.automountServiceAccountToken false (hasKey $account "automountServiceAccountToken") }}
{{- end -}}
{{- end -}}

{{/*
common.rbac: Role and RoleBinding for facts.rules, ClusterRole and ClusterRoleBinding for facts.clusterRules, as YAML documents.
The "why" of a rule becomes a comment above it. With facts.namespaced the cluster rules are added to the Role, or to one in
facts.managedNamespace, and no cluster-scoped object is created. With values.rbac.published the rules under facts.publishedRules and
facts.publishedClusterRules are added: the additional permissions of the published chart.
Arguments: a component.
*/}}
{{- define "common.rbac" -}}
{{- $cluster := .facts.clusterRules | default list -}}{{- $rules := .facts.rules | default list -}}{{- $managed := list -}}
{{- if and (or .facts.publishedRules .facts.publishedClusterRules) (.values.rbac).published -}}
{{- $rules = concat $rules (.facts.publishedRules | default list) -}}
{{- $cluster = concat $cluster (.facts.publishedClusterRules | default list) -}}
{{- end -}}
{{- $namespace := default .context.namespace .facts.managedNamespace -}}
{{- if .facts.namespaced -}}
{{- if eq $namespace .context.namespace }}{{ $rules = concat $rules $cluster }}{{ else }}{{ $managed = $cluster }}{{ end -}}
{{- $cluster = list -}}
{{- end -}}
{{- $name := include "common.componentName" . -}}
{{- $clusterName := include "common.clusterName" (dict "context" .context "name" .facts.name) -}}
{{- $scopes := list
  (dict "prefix" "" "rules" $rules "name" $name "context" .context)
  (dict "prefix" "" "rules" $managed "name" $name "context" (merge (dict "namespace" $namespace) .context))
  (dict "prefix" "Cluster" "rules" $cluster "name" $clusterName "context" .context)
-}}
{{- range $scopes }}{{ if .rules }}
{{- $metadata := include "common.metadata" (dict
  "context" .context
  "component" $.facts.name
  "name" .name
  "clusterScoped" (eq .prefix "Cluster")
  "annotations" $.facts.annotations
) }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .prefix }}Role
metadata:
  {{- $metadata | nindent 2 }}
rules:
  {{- include "common.reasoned" .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .prefix }}RoleBinding
metadata:
  {{- $metadata | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .prefix }}Role
  name: {{ include "common.scalar" .name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "common.serviceAccountName" $ | include "common.scalar" }}
    namespace: {{ include "common.scalar" $.context.namespace }}
{{- end }}{{ end -}}
{{- end -}}

{{/*
common.aggregateRoles: ClusterRoles that are aggregated to the roles view, edit and admin of Kubernetes, as YAML documents.
Arguments: context, group (of the API), resources.
*/}}
{{- define "common.aggregateRoles" -}}
{{- $read := list "get" "list" "watch" -}}
{{- $write := concat (list "create" "delete" "deletecollection") $read (list "patch" "update") -}}
{{- range $role, $verbs := dict "view" $read "edit" $write "admin" $write }}
{{- $aggregate := printf "aggregate-to-%s" $role }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  {{- include "common.metadata" (dict
    "context" $.context
    "name" (include "common.clusterName" (dict "context" $.context "name" $aggregate))
    "clusterScoped" true
    "labels" (dict (printf "rbac.authorization.k8s.io/%s" $aggregate) "true")
  ) | nindent 2 }}
rules:
  # extends Kubernetes' role {{ $role }} to the kinds of {{ $.group }}; the cluster's administrator decides who holds that role
  - apiGroups: [{{ $.group }}]
    resources:
      {{- toYaml $.resources | nindent 6 }}
    verbs:
      {{- toYaml $verbs | nindent 6 }}
{{- end }}
{{- end -}}
