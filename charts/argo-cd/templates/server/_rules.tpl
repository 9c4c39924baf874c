{{/* argo-cd.serverRules: rules and clusterRules of the API server, as YAML. Arguments: context, values. */}}
{{- define "argo-cd.serverRules" -}}
{{- $v := .values.server -}}
{{- $cm := (include "argo-cd.cm" . | fromJson).data -}}{{- $params := (include "argo-cd.params" . | fromJson).data -}}
rules:
  # clusters, repositories, accounts and settings are written through the API, sessions and the admin's password too
  - apiGroups: [""]
    resources: [secrets, configmaps]
    verbs: [create, get, list, watch, update, patch, delete]
  - apiGroups: [argoproj.io]
    resources: [applications, appprojects, applicationsets]
    verbs: [create, get, list, watch, update, delete, patch]
  # the audit of what users did
  - apiGroups: [""]
    resources: [events]
    verbs: [create, list]
clusterRules:
  {{- if $v.clusterRoleRules.enabled }}
  {{- toYaml $v.clusterRoleRules.rules | nindent 2 }}
  {{- else }}
  {{- $kinds := include "argo-cd.liveKinds" . | fromYaml }}
  # users look at, patch and delete live objects of an application. Secrets are left out: those of applications come, their data hidden,
  # from the application controller. Kinds that are not listed: server.clusterRoleRules
  {{- range $group, $resources := $kinds }}
  - apiGroups: [{{ $group | quote }}]
    resources: {{ toJson $resources }}
    verbs: [get, patch, delete]
  {{- end }}
  # the events and logs tabs of an application
  - apiGroups: [""]
    resources: [events]
    verbs: [list]
  - apiGroups: [""]
    resources: [pods/log]
    verbs: [get]
  {{- if eq (get $cm "exec.enabled") "true" }}
  # a shell in a pod, as configs.cm."exec.enabled" says
  - apiGroups: [""]
    resources: [pods/exec]
    verbs: [create]
  {{- end }}
  # actions: run a CronJob, submit a WorkflowTemplate or CronWorkflow
  - apiGroups: [batch]
    resources: [jobs]
    verbs: [create]
  - apiGroups: [argoproj.io]
    resources: [workflows]
    verbs: [create]
  # applications outside the release's namespace are listed; where configs.params."application.namespaces" allows them, users also write them
  - apiGroups: [argoproj.io]
    resources: [applications, applicationsets]
    verbs: [get, list, watch]
  {{- if get $params "application.namespaces" }}
  - apiGroups: [argoproj.io]
    resources: [applications, applicationsets]
    verbs: [create, update, patch, delete]
  - apiGroups: [""]
    resources: [events]
    verbs: [create]
  {{- end }}
  {{- end }}
{{- end -}}

{{/* argo-cd.liveKinds: API group to the resources users look at through the API server, as YAML. */}}
{{- define "argo-cd.liveKinds" -}}
"": [configmaps, endpoints, limitranges, namespaces, persistentvolumeclaims, persistentvolumes, pods, podtemplates, replicationcontrollers, resourcequotas, serviceaccounts, services]
apps: [controllerrevisions, daemonsets, deployments, replicasets, statefulsets]
apiextensions.k8s.io: [customresourcedefinitions]
argoproj.io: [analysisruns, analysistemplates, applications, applicationsets, appprojects, clusteranalysistemplates, clusterworkflowtemplates, cronworkflows, eventbus, eventsources, experiments, rollouts, sensors, workflows, workflowtemplates]
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
