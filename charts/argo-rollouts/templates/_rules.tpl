{{/*
argo-rollouts.controllerRules: the rules that the controller needs with every traffic provider, as YAML. Source: manifests/role of the
module.
*/}}
{{- define "argo-rollouts.controllerRules" -}}
- why: a rollout's state is written to it
  apiGroups: [argoproj.io]
  resources: [rollouts, rollouts/status, rollouts/finalizers]
  verbs: [get, list, watch, update, patch]
- why: the steps of a rollout create analyses and experiments
  apiGroups: [argoproj.io]
  resources: [analysisruns, analysisruns/finalizers, experiments, experiments/finalizers]
  verbs: [create, get, list, watch, update, patch, delete]
- why: what an analysis measures
  apiGroups: [argoproj.io]
  resources: [analysistemplates, clusteranalysistemplates]
  verbs: [get, list, watch]
- why: each version of a rollout is a ReplicaSet
  apiGroups: [apps]
  resources: [replicasets]
  verbs: [create, get, list, watch, update, patch, delete]
- why: workloads that a Rollout takes over (spec.workloadRef)
  apiGroups: ["", apps]
  resources: [deployments, podtemplates]
  verbs: [get, list, watch, update]
- why: traffic is shifted by the selectors of Services; experiments have their own Services
  apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, patch, create, delete]
- why: arguments of analyses, settings of plugins and notifications
  apiGroups: [""]
  resources: [secrets, configmaps]
  verbs: [get, list, watch]
- why: temporary metadata of pods
  apiGroups: [""]
  resources: [pods]
  verbs: [list, update, watch]
- why: a restart evicts pods
  apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
- why: records Events about rollouts
  apiGroups: [""]
  resources: [events]
  verbs: [create, update, patch]
- why: traffic is shifted by a second Ingress
  apiGroups: [networking.k8s.io, extensions]
  resources: [ingresses]
  verbs: [create, get, list, watch, update, patch]
- why: analyses that run a Job
  apiGroups: [batch]
  resources: [jobs]
  verbs: [create, get, list, watch, update, patch, delete]
{{- end -}}

{{/* argo-rollouts.providerRules: the rules for the enabled traffic providers and the user's rules, as YAML. Arguments: providerRBAC. */}}
{{- define "argo-rollouts.providerRules" -}}
{{- if .enabled -}}
{{- $rules := include "argo-rollouts.providers" . | include "common.parsed" | fromJson -}}
{{- $granted := list -}}
{{- range $provider, $on := .providers }}{{ if $on }}{{ $granted = concat $granted (get $rules $provider) }}{{ end }}{{ end -}}
{{- with concat $granted .additionalRules }}{{ toYaml . }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* argo-rollouts.providers: the map of traffic provider to rules, as YAML. */}}
{{- define "argo-rollouts.providers" -}}
ambassador:
  - why: traffic is shifted by Ambassador mappings
    apiGroups: [getambassador.io, x.getambassador.io]
    resources: [mappings, ambassadormappings]
    verbs: [create, watch, get, update, list, delete]
apisix:
  - why: traffic is shifted by APISIX routes
    apiGroups: [apisix.apache.org]
    resources: [apisixroutes]
    verbs: [watch, get, update]
awsAppMesh:
  - why: an App Mesh virtual service refers to routers and nodes
    apiGroups: [appmesh.k8s.aws]
    resources: [virtualservices]
    verbs: [watch, get, list]
  - why: traffic is shifted by App Mesh routers and nodes
    apiGroups: [appmesh.k8s.aws]
    resources: [virtualnodes, virtualrouters]
    verbs: [watch, get, list, update, patch]
awsLoadBalancerController:
  - why: whether the load balancer has the pods of a new version as targets
    apiGroups: [""]
    resources: [endpoints]
    verbs: [get]
  - why: which targets the load balancer has
    apiGroups: [elbv2.k8s.aws, eks.amazonaws.com]
    resources: [targetgroupbindings]
    verbs: [list, get]
contour:
  - why: traffic is shifted by Contour proxies
    apiGroups: [projectcontour.io]
    resources: [httpproxies]
    verbs: [get, list, watch, update]
gatewayAPI:
  - why: the Gateway API plugin shifts traffic by routes
    apiGroups: [gateway.networking.k8s.io]
    resources: [httproutes, grpcroutes, tcproutes, tlsroutes]
    verbs: [get, list, watch, update, patch]
  - why: the Gateway API plugin keeps the routes it manages in a ConfigMap
    apiGroups: [""]
    resources: [configmaps]
    verbs: [create, update]
glooPlatform:
  - why: traffic is shifted by Gloo route tables
    apiGroups: [networking.gloo.solo.io]
    resources: [routetables]
    verbs: [get, list, watch, update, patch]
istio:
  - why: traffic is shifted by Istio virtual services and destination rules
    apiGroups: [networking.istio.io]
    resources: [virtualservices, destinationrules]
    verbs: [watch, get, update, patch, list]
smi:
  - why: traffic is shifted by SMI traffic splits
    apiGroups: [split.smi-spec.io]
    resources: [trafficsplits]
    verbs: [create, watch, get, update, patch]
traefik:
  - why: traffic is shifted by Traefik services
    apiGroups: [traefik.containo.us, traefik.io]
    resources: [traefikservices]
    verbs: [watch, get, update]
{{- end -}}
