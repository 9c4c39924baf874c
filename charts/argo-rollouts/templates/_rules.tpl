{{/* argo-rollouts.controllerRules: what the controller does whatever routes the traffic, as YAML. Source: manifests/role of the module. */}}
{{- define "argo-rollouts.controllerRules" -}}
- apiGroups: [argoproj.io]
  resources: [rollouts, rollouts/status, rollouts/finalizers]
  verbs: [get, list, watch, update, patch]
- apiGroups: [argoproj.io]
  resources: [analysisruns, analysisruns/finalizers, experiments, experiments/finalizers]
  verbs: [create, get, list, watch, update, patch, delete]
- apiGroups: [argoproj.io]
  resources: [analysistemplates, clusteranalysistemplates]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [create, get, list, watch, update, patch, delete]
# workloads that a Rollout takes over (spec.workloadRef)
- apiGroups: ["", apps]
  resources: [deployments, podtemplates]
  verbs: [get, list, watch, update]
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, patch, create, delete]
# arguments of analyses, settings of plugins and notifications
- apiGroups: [""]
  resources: [secrets, configmaps]
  verbs: [get, list, watch]
# metadata that pods have for a while, and restarts
- apiGroups: [""]
  resources: [pods]
  verbs: [list, update, watch]
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
- apiGroups: [""]
  resources: [events]
  verbs: [create, update, patch]
- apiGroups: [networking.k8s.io, extensions]
  resources: [ingresses]
  verbs: [create, get, list, watch, update, patch]
# analyses that run a Job
- apiGroups: [batch]
  resources: [jobs]
  verbs: [create, get, list, watch, update, patch, delete]
{{- end -}}

{{/* argo-rollouts.providerRules: what each traffic provider needs, and the user's own rules, as YAML. Arguments: providerRBAC. */}}
{{- define "argo-rollouts.providerRules" -}}
{{- if .enabled -}}
{{- $rules := include "argo-rollouts.providers" . | fromYaml -}}
{{- $granted := list -}}
{{- range $provider, $on := .providers }}{{ if $on }}{{ $granted = concat $granted (get $rules $provider) }}{{ end }}{{ end -}}
{{- with concat $granted .additionalRules }}{{ toYaml . }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* argo-rollouts.providers: rules by traffic provider, as YAML. */}}
{{- define "argo-rollouts.providers" -}}
ambassador:
  - apiGroups: [getambassador.io, x.getambassador.io]
    resources: [mappings, ambassadormappings]
    verbs: [create, watch, get, update, list, delete]
apisix:
  - apiGroups: [apisix.apache.org]
    resources: [apisixroutes]
    verbs: [watch, get, update]
awsAppMesh:
  - apiGroups: [appmesh.k8s.aws]
    resources: [virtualservices]
    verbs: [watch, get, list]
  - apiGroups: [appmesh.k8s.aws]
    resources: [virtualnodes, virtualrouters]
    verbs: [watch, get, list, update, patch]
awsLoadBalancerController:
  - apiGroups: [""]
    resources: [endpoints]
    verbs: [get]
  - apiGroups: [elbv2.k8s.aws]
    resources: [targetgroupbindings]
    verbs: [list, get]
contour:
  - apiGroups: [projectcontour.io]
    resources: [httpproxies]
    verbs: [get, list, watch, update]
# the Gateway API plugin keeps the routes it manages in a ConfigMap
gatewayAPI:
  - apiGroups: [gateway.networking.k8s.io]
    resources: [httproutes, grpcroutes, tcproutes, tlsroutes]
    verbs: [get, list, watch, update, patch]
  - apiGroups: [""]
    resources: [configmaps]
    verbs: [create, update]
glooPlatform:
  - apiGroups: [networking.gloo.solo.io]
    resources: [routetables]
    verbs: [get, list, watch, update, patch]
istio:
  - apiGroups: [networking.istio.io]
    resources: [virtualservices, destinationrules]
    verbs: [watch, get, update, patch, list]
smi:
  - apiGroups: [split.smi-spec.io]
    resources: [trafficsplits]
    verbs: [create, watch, get, update, patch]
traefik:
  - apiGroups: [traefik.containo.us, traefik.io]
    resources: [traefikservices]
    verbs: [watch, get, update]
{{- end -}}
