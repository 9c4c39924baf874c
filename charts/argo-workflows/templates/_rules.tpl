{{/*
argo-workflows.controllerRules: the facts clusterRules and rules of the controller, as YAML. Source: manifests of the module.
It can read the Secrets with the agent's certificates and with the databases' credentials, and those that controller.rbac allows.
Arguments: context, values.
*/}}
{{- define "argo-workflows.controllerRules" -}}
{{- $rbac := .values.controller.rbac }}
{{- $clusterTemplates := and .values.controller.clusterWorkflowTemplates.enabled (not .context.singleNamespace) }}
clusterRules:
  - why: runs each step of a workflow as a pod, and stops its containers
    apiGroups: [""]
    resources: [pods, pods/exec]
    verbs: [create, get, list, watch, update, patch, delete]
  - why: parameters, semaphores and artifact repositories; which namespaces are managed
    apiGroups: [""]
    resources: [configmaps{{ if not .context.singleNamespace }}, namespaces{{ end }}]
    verbs: [get, list, watch]
  {{- if $rbac.writeConfigMaps }}
  - why: memoized results of workflows
    apiGroups: [""]
    resources: [configmaps]
    verbs: [create, update]
  {{- end }}
  - why: volumes that a workflow asks for
    apiGroups: [""]
    resources: [persistentvolumeclaims, persistentvolumeclaims/finalizers]
    verbs: [create, update, delete, get]
  - why: a workflow's state is written to it; its tasks are separate objects
    apiGroups: [argoproj.io]
    resources: [workflows, workflows/finalizers, workflowtasksets, workflowtasksets/finalizers, workflowartifactgctasks]
    verbs: [get, list, watch, update, patch, delete, create]
  - why: templates that workflows name
    apiGroups: [argoproj.io]
    resources:
      - workflowtemplates
      - workflowtemplates/finalizers
      {{- if $clusterTemplates }}
      - clusterworkflowtemplates
      - clusterworkflowtemplates/finalizers
      {{- end }}
    verbs: [get, list, watch]
  - why: what the executors report
    apiGroups: [argoproj.io]
    resources: [workflowtaskresults]
    verbs: [list, watch, deletecollection]
  - why: starts workflows on schedule
    apiGroups: [argoproj.io]
    resources: [cronworkflows, cronworkflows/finalizers]
    verbs: [get, list, watch, update, patch, delete]
  - why: whether the service account of a workflow exists
    apiGroups: [""]
    resources: [serviceaccounts]
    verbs: [get, list]
  - why: records Events about workflows
    apiGroups: [""]
    resources: [events]
    verbs: [create, patch]
  - why: a workflow can request a PodDisruptionBudget
    apiGroups: [policy]
    resources: [poddisruptionbudgets]
    verbs: [create, get, delete]
  - why: the agent's certificates, and what controller.rbac.secretWhitelist names
    apiGroups: [""]
    resources: [secrets]
    {{- if and $rbac.accessAllSecrets (empty $rbac.secretWhitelist) }}
    verbs: [get, list, watch]
    {{- else }}
    resourceNames: {{ prepend $rbac.secretWhitelist "argo-workflows-agent-ca-certificates" | toJson }}
    verbs: [get]
    {{- end }}
rules:
  - why: the lease of the leader
    apiGroups: [coordination.k8s.io]
    resources: [leases]
    verbs: [create, get, update]
  {{- with (include "argo-workflows.databaseSecrets" .values.controller | fromJson).names }}
  - why: user and password of the database
    apiGroups: [""]
    resources: [secrets]
    resourceNames: {{ toJson . }}
    verbs: [get]
  {{- end }}
{{- end -}}

{{/*
argo-workflows.databaseSecrets: {"names": [...]} as JSON: the Secrets to which persistence and synchronization refer.
Arguments: values of the controller.
*/}}
{{- define "argo-workflows.databaseSecrets" -}}
{{- $names := list -}}
{{- range $settings := list (.persistence | default dict) (.synchronization | default dict) -}}
{{- range $database := list "postgresql" "mysql" -}}
{{- with get $settings $database -}}
{{- $names = concat $names (compact (list (.userNameSecret).name (.passwordSecret).name)) -}}
{{- end }}{{ end }}{{ end -}}
{{- dict "names" (uniq $names) | toJson -}}
{{- end -}}

{{/*
argo-workflows.serverRules: the facts clusterRules and rules of the server, as YAML.
With only the authentication mode client, requests use the caller's token; server.rbac.narrow then leaves the server what its caches need.
The modes server and sso use the server's permissions. Arguments: context, values.
*/}}
{{- define "argo-workflows.serverRules" -}}
{{- $server := .values.server }}
{{- $acts := include "argo-workflows.actsItself" $server }}
{{- $clusterTemplates := and $server.clusterWorkflowTemplates.enabled (not .context.singleNamespace) }}
clusterRules:
  - why: fills its caches
    apiGroups: [argoproj.io]
    resources: [workflows, workflowtemplates{{ if $clusterTemplates }}, clusterworkflowtemplates{{ end }}]
    verbs: [get, list, watch]
  - why: records Events about its actions
    apiGroups: [""]
    resources: [events]
    verbs: [create, patch]
  {{- if $acts }}
  - why: the accounts that logged-in users are mapped to
    apiGroups: [""]
    resources: [serviceaccounts]
    verbs: [get, list, watch]
  {{- end }}
  {{- if or $acts (not $server.rbac.narrow) }}
  - why: parameters and events of workflows
    apiGroups: [""]
    resources: [configmaps, events]
    verbs: [get, list, watch]
  - why: shows and stops pods of workflows
    apiGroups: [""]
    resources: [pods]
    verbs: [get, list, watch, delete]
  - why: shows logs of workflows
    apiGroups: [""]
    resources: [pods/log]
    verbs: [get, list]
  - why: users create, change and delete these through it, and with the token of its account
    apiGroups: [argoproj.io]
    resources: [eventsources, sensors, workflows, workfloweventbindings, workflowtemplates, cronworkflows]
    verbs: [create, get, list, watch, update, patch, delete]
  {{- if and $clusterTemplates $server.clusterWorkflowTemplates.enableEditing }}
  - why: users edit cluster-wide templates through it
    apiGroups: [argoproj.io]
    resources: [clusterworkflowtemplates]
    verbs: [create, update, patch, delete]
  {{- end }}
  - why: credentials of artifact repositories and tokens of the accounts that users are mapped to
    apiGroups: [""]
    resources: [secrets]
    {{- with $server.sso.rbac.secretWhitelist }}
    resourceNames: {{ toJson . }}
    {{- end }}
    verbs: [get]
  {{- end }}
rules:
  - why: its settings
    apiGroups: [""]
    resources: [configmaps]
    resourceNames: [{{ include "argo-workflows.configName" (dict "context" .context "controller" .values.controller) }}]
    verbs: [get]
  {{- if $server.sso.enabled }}
  - why: the key of sessions, made at the first start
    apiGroups: [""]
    resources: [secrets]
    verbs: [create]
  {{- end }}
  {{- with compact (concat
    (ternary (list "sso" $server.sso.clientId.name $server.sso.clientSecret.name) list (not (empty $server.sso.enabled)))
    (include "argo-workflows.databaseSecrets" .values.controller | fromJson).names
  ) }}
  - why: the key of sessions, the client of single sign-on, and user and password of the database
    apiGroups: [""]
    resources: [secrets]
    resourceNames: {{ uniq . | toJson }}
    verbs: [get]
  {{- end }}
{{- end -}}
