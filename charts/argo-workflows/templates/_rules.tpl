{{/*
argo-workflows.controllerRules: the facts clusterRules and rules of the controller, as YAML. Source: manifests of the module.
Secrets: the agent's certificates, those of the databases named in the settings, and what controller.rbac adds.
Arguments: context, values.
*/}}
{{- define "argo-workflows.controllerRules" -}}
{{- $rbac := .values.controller.rbac }}
{{- $clusterTemplates := and .values.controller.clusterWorkflowTemplates.enabled (not .context.singleNamespace) }}
clusterRules:
  - apiGroups: [""]
    resources: [pods, pods/exec]
    verbs: [create, get, list, watch, update, patch, delete]
  - apiGroups: [""]
    resources: [configmaps{{ if not .context.singleNamespace }}, namespaces{{ end }}]
    verbs: [get, list, watch]
  {{- if $rbac.writeConfigMaps }}
  # results that workflows remember (memoize)
  - apiGroups: [""]
    resources: [configmaps]
    verbs: [create, update]
  {{- end }}
  - apiGroups: [""]
    resources: [persistentvolumeclaims, persistentvolumeclaims/finalizers]
    verbs: [create, update, delete, get]
  - apiGroups: [argoproj.io]
    resources: [workflows, workflows/finalizers, workflowtasksets, workflowtasksets/finalizers, workflowartifactgctasks]
    verbs: [get, list, watch, update, patch, delete, create]
  - apiGroups: [argoproj.io]
    resources: [workflowtemplates, workflowtemplates/finalizers{{ if $clusterTemplates }}, clusterworkflowtemplates, clusterworkflowtemplates/finalizers{{ end }}]
    verbs: [get, list, watch]
  - apiGroups: [argoproj.io]
    resources: [workflowtaskresults]
    verbs: [list, watch, deletecollection]
  - apiGroups: [argoproj.io]
    resources: [cronworkflows, cronworkflows/finalizers]
    verbs: [get, list, watch, update, patch, delete]
  - apiGroups: [""]
    resources: [serviceaccounts]
    verbs: [get, list]
  - apiGroups: [""]
    resources: [events]
    verbs: [create, patch]
  - apiGroups: [policy]
    resources: [poddisruptionbudgets]
    verbs: [create, get, delete]
  - apiGroups: [""]
    resources: [secrets]
    {{- if and $rbac.accessAllSecrets (empty $rbac.secretWhitelist) }}
    verbs: [get, list, watch]
    {{- else }}
    resourceNames: {{ prepend $rbac.secretWhitelist "argo-workflows-agent-ca-certificates" | toJson }}
    verbs: [get]
    {{- end }}
# the lease of the leader
rules:
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    verbs: [create, get, update]
  {{- with (include "argo-workflows.databaseSecrets" .values.controller | fromJson).names }}
  - apiGroups: [""]
    resources: [secrets]
    resourceNames: {{ toJson . }}
    verbs: [get]
  {{- end }}
{{- end -}}

{{/* argo-workflows.databaseSecrets: {"names": [...]} as JSON: secrets that persistence and synchronization name. Arguments: values of the controller. */}}
{{- define "argo-workflows.databaseSecrets" -}}
{{- $names := list -}}
{{- range $settings := list .persistence .synchronization }}{{ range $database := list "postgresql" "mysql" }}{{ with get $settings $database -}}
{{- $names = concat $names (compact (list (.userNameSecret).name (.passwordSecret).name)) -}}
{{- end }}{{ end }}{{ end -}}
{{- dict "names" (uniq $names) | toJson -}}
{{- end -}}

{{/*
argo-workflows.serverRules: the facts clusterRules and rules of the server, as YAML.
With authentication by client alone everything is done with the caller's own token, and the server itself only fills its caches;
the modes server and sso act with the server's rights. Arguments: context, values.
*/}}
{{- define "argo-workflows.serverRules" -}}
{{- $server := .values.server }}
{{- $acts := ne (include "argo-workflows.authModes" $server) "client" }}
{{- $clusterTemplates := and $server.clusterWorkflowTemplates.enabled (not .context.singleNamespace) }}
clusterRules:
  - apiGroups: [argoproj.io]
    resources: [workflows, workflowtemplates{{ if $clusterTemplates }}, clusterworkflowtemplates{{ end }}]
    verbs: [get, list, watch]
  - apiGroups: [""]
    resources: [events]
    verbs: [create, patch]
  {{- if $acts }}
  - apiGroups: [""]
    resources: [configmaps, serviceaccounts]
    verbs: [get, list, watch]
  - apiGroups: [""]
    resources: [pods, pods/exec, pods/log]
    verbs: [get, list, watch, delete]
  - apiGroups: [""]
    resources: [events]
    verbs: [watch]
  - apiGroups: [argoproj.io]
    resources: [eventsources, sensors, workflows, workfloweventbindings, workflowtemplates, cronworkflows, cronworkflows/finalizers]
    verbs: [create, get, list, watch, update, patch, delete]
  {{- if and $clusterTemplates $server.clusterWorkflowTemplates.enableEditing }}
  - apiGroups: [argoproj.io]
    resources: [clusterworkflowtemplates]
    verbs: [create, update, patch, delete]
  {{- end }}
  - apiGroups: [""]
    resources: [secrets]
    {{- with $server.sso.rbac.secretWhitelist }}
    resourceNames: {{ toJson . }}
    {{- end }}
    verbs: [get]
  {{- end }}
rules:
  - apiGroups: [""]
    resources: [configmaps]
    resourceNames: [{{ include "argo-workflows.configName" (dict "context" .context "controller" .values.controller) }}]
    verbs: [get]
  {{- if $server.sso.enabled }}
  # the key of sessions, made at the first start
  - apiGroups: [""]
    resources: [secrets]
    verbs: [create]
  {{- end }}
  {{- with compact (concat (ternary (list "sso" $server.sso.clientId.name $server.sso.clientSecret.name) list $server.sso.enabled) (include "argo-workflows.databaseSecrets" .values.controller | fromJson).names) }}
  - apiGroups: [""]
    resources: [secrets]
    resourceNames: {{ uniq . | toJson }}
    verbs: [get]
  {{- end }}
{{- end -}}
