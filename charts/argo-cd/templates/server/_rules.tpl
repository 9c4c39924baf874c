{{/* argo-cd.serverRules: rules and clusterRules of the API server, as YAML. Arguments: context, values. */}}
{{- define "argo-cd.serverRules" -}}
{{- $v := .values.server -}}
{{- $cm := (include "argo-cd.cm" . | fromJson).data -}}{{- $params := (include "argo-cd.params" . | fromJson).data -}}
rules:
  - why: clusters, repositories, accounts and settings are written through the API, sessions and the admin's password too
    apiGroups: [""]
    resources: [secrets, configmaps]
    verbs: [create, get, list, watch, update, patch, delete]
  - why: users create, change and delete applications and projects through it
    apiGroups: [argoproj.io]
    resources: [applications, appprojects, applicationsets]
    verbs: [create, get, list, watch, update, delete, patch]
  - why: the audit of what users did
    apiGroups: [""]
    resources: [events]
    verbs: [create, list]
clusterRules:
  {{- if $v.clusterRoleRules.enabled }}
  {{- toYaml $v.clusterRoleRules.rules | nindent 2 }}
  {{- else }}
  {{- if or $v.rbac.narrow (not (include "argo-cd.clusterRoles" .values)) }}
  # kinds that are not listed: server.clusterRoleRules
  {{- range $group, $resources := include "argo-cd.liveKinds" . | include "common.parsed" | fromJson }}
  - why: >-
      users view, patch and delete live objects of an application. Secrets are excluded: the application controller provides them
      without their data
    apiGroups: [{{ $group | quote }}]
    resources: {{ toJson $resources }}
    verbs: [get, patch, delete]
  {{- end }}
  {{- else }}
  - why: users look at, patch and delete live objects of an application, of any kind; server.rbac.narrow limits the kinds
    apiGroups: ["*"]
    resources: ["*"]
    verbs: [get, patch, delete]
  {{- end }}
  - why: the events tab of an application
    apiGroups: [""]
    resources: [events]
    verbs: [list]
  - why: the logs tab of an application
    apiGroups: [""]
    resources: [pods/log]
    verbs: [get]
  {{- if eq (get $cm "exec.enabled") "true" }}
  - why: a shell in a pod, which configs.cm."exec.enabled" allows
    apiGroups: [""]
    resources: [pods/exec]
    verbs: [create]
  {{- end }}
  - why: "action of a user: run a CronJob now"
    apiGroups: [batch]
    resources: [jobs]
    verbs: [create]
  - why: "action of a user: submit a WorkflowTemplate or CronWorkflow"
    apiGroups: [argoproj.io]
    resources: [workflows]
    verbs: [create]
  - why: applications outside the release's namespace are listed
    apiGroups: [argoproj.io]
    resources: [applications, applicationsets]
    verbs: [get, list, watch]
  {{- if get $params "application.namespaces" }}
  - why: users write applications outside the release's namespace, where configs.params."application.namespaces" allows them
    apiGroups: [argoproj.io]
    resources: [applications]
    verbs: [create, update, patch, delete]
  - why: users refresh application sets outside the release's namespace
    apiGroups: [argoproj.io]
    resources: [applicationsets]
    verbs: [update]
  - why: the audit of what users did to these
    apiGroups: [""]
    resources: [events]
    verbs: [create]
  {{- end }}
  {{- end }}
{{- end -}}

{{/* argo-cd.liveKinds: the map of API group to the resources that users view through the API server, as YAML. */}}
{{- define "argo-cd.liveKinds" -}}
"": [
  configmaps, endpoints, limitranges, namespaces, persistentvolumeclaims, persistentvolumes, pods, podtemplates,
  replicationcontrollers, resourcequotas, serviceaccounts, services
]
apps: [controllerrevisions, daemonsets, deployments, replicasets, statefulsets]
apiextensions.k8s.io: [customresourcedefinitions]
argoproj.io: [
  analysisruns, analysistemplates, applications, applicationsets, appprojects, clusteranalysistemplates, clusterworkflowtemplates,
  cronworkflows, eventbus, eventsources, experiments, rollouts, sensors, workflows, workflowtemplates
]
autoscaling: [horizontalpodautoscalers]
batch: [cronjobs, jobs]
cert-manager.io: [certificates, clusterissuers, issuers]
discovery.k8s.io: [endpointslices]
gateway.networking.k8s.io: [gateways, grpcroutes, httproutes]
monitoring.coreos.com: [podmonitors, prometheusrules, servicemonitors]
networking.k8s.io: [ingressclasses, ingresses, networkpolicies]
policy: [poddisruptionbudgets]
rbac.authorization.k8s.io: [clusterrolebindings, clusterroles, rolebindings, roles]
scheduling.k8s.io: [priorityclasses]
storage.k8s.io: [storageclasses]
{{- end -}}
