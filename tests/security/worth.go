package security

import (
	"slices"
	"strings"
)

// severity is how much a token is worth.
type severity int

const (
	none severity = iota
	low
	medium
	high
	critical
)

func (s severity) String() string { return []string{"none", "low", "medium", "high", "critical"}[s] }

// escalation is a permission with a known path to the code, credentials or permissions of others
// (https://kubernetes.io/docs/concepts/security/rbac-good-practices/#privilege-escalation-risks, and what Argo's programs do with their objects).
type escalation struct {
	name      string
	groups    []string // groups are the API groups of the resources.
	resources []string
	verbs     []string // one of the verbs is sufficient
	// names are the objects each of which is worth as much as all of them. A rule that is limited to others is worth medium at most.
	names []string
	// any means that every object is worth as much as all of them: its content is arbitrary.
	any bool
	// cluster and namespace are the severity of a rule for the whole cluster, and for the release's namespace alone.
	cluster, namespace severity
	// runtime means that in the release's namespace it includes the permissions of Argo CD's application controller, and is worth as much as that
	// one.
	runtime bool
	worth   string
}

var (
	writes  = []string{"create", "update", "patch"}
	changes = []string{"update", "patch"}
	reads   = []string{"get", "list", "watch"}
)

// ConfigMaps with settings of Argo CD, and Secrets with the credentials of its administrators.
var (
	argoCDSettings = []string{"argocd-cm", "argocd-rbac-cm", "argocd-cmd-params-cm"}
	argoCDSecrets  = []string{"argocd-secret", "argocd-initial-admin-secret", "argocd-token"}
)

// escalations returns the known escalations, the one to everything first. Each worth continues "an attacker with the token can ...".
func escalations() []escalation {
	return []escalation{
		{name: "everything", groups: []string{"*"}, resources: []string{"*"}, verbs: []string{"*"}, cluster: critical, namespace: high,
			worth: "have all permissions in the scope, as an administrator"},
		{name: "impersonate", groups: []string{"", "authentication.k8s.io"}, resources: []string{"users", "groups", "serviceaccounts", "uids"}, verbs: []string{"impersonate"}, any: true, cluster: critical, namespace: critical,
			worth: "act as any user, group or service account"},
		{name: "escalate", groups: []string{"rbac.authorization.k8s.io"}, resources: []string{"roles", "clusterroles"}, verbs: []string{"escalate"}, any: true, cluster: critical, namespace: high,
			worth: "write roles with permissions that the account does not have"},
		{name: "bind", groups: []string{"rbac.authorization.k8s.io"}, resources: []string{"roles", "clusterroles"}, verbs: []string{"bind"}, any: true, cluster: critical, namespace: high,
			worth: "bind roles with permissions that the account does not have"},
		{name: "tokens", resources: []string{"serviceaccounts/token"}, verbs: []string{"create"}, cluster: critical, namespace: high, runtime: true,
			worth: "create tokens of all service accounts in the scope, and so use their permissions"},
		{name: "kubelet", resources: []string{"nodes/proxy"}, verbs: []string{"get", "create"}, cluster: critical, namespace: low,
			worth: "run commands in every pod through the kubelet, which bypasses admission control and audit logging"},
		{name: "webhooks", groups: []string{"admissionregistration.k8s.io"}, resources: []string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}, verbs: writes, any: true, cluster: critical, namespace: low,
			worth: "register admission webhooks, and so read or change every object that anyone writes, including Secrets"},
		{name: "API services", groups: []string{"apiregistration.k8s.io"}, resources: []string{"apiservices"}, verbs: writes, any: true, cluster: critical, namespace: low,
			worth: "serve whole API groups instead of the API server, and read the credentials of callers"},
		{name: "certificates", groups: []string{"certificates.k8s.io"}, resources: []string{"certificatesigningrequests/approval"}, verbs: changes, any: true, cluster: critical, namespace: low,
			worth: "approve client certificates for any user"},
		{name: "read secrets", resources: []string{"secrets"}, verbs: reads, names: argoCDSecrets, cluster: critical, namespace: high, runtime: true,
			worth: "read all Secrets in the scope: tokens, Git credentials, credentials of clusters, and the key that Argo CD uses to sign its sessions"},
		{name: "write secrets", resources: []string{"secrets"}, verbs: writes, names: argoCDSecrets, cluster: critical, namespace: high, runtime: true,
			worth: "write Secrets: in Argo CD's namespace, the application controller runs the command in the execProviderConfig of a cluster Secret; a Secret of type service-account-token contains a token of any account, for those who can read it"},
		{name: "pods", resources: []string{"pods", "replicationcontrollers"}, verbs: writes, cluster: critical, namespace: high, runtime: true,
			worth: "run or change pods that use any service account and mount any Secret in the scope"},
		{name: "workloads", groups: []string{"apps", "batch"}, resources: []string{"deployments", "statefulsets", "daemonsets", "replicasets", "jobs", "cronjobs"}, verbs: writes, cluster: critical, namespace: high, runtime: true,
			worth: "run or change workloads, and so pods that use any service account and mount any Secret in the scope"},
		{name: "workflows", groups: []string{"argoproj.io"}, resources: []string{"workflows", "cronworkflows"}, verbs: writes, cluster: critical, namespace: high, runtime: true,
			worth: "create or change Workflows: the controller of Argo Workflows runs their pods with any service account in the scope"},
		{name: "workflow templates", groups: []string{"argoproj.io"}, resources: []string{"workflowtemplates", "clusterworkflowtemplates"}, verbs: writes, cluster: high, namespace: high, runtime: true,
			worth: "write templates of Workflows, which run with the permissions of those who submit them"},
		{name: "event sources", groups: []string{"argoproj.io"}, resources: []string{"eventsources", "sensors"}, verbs: writes, cluster: critical, namespace: high, runtime: true,
			worth: "create or change EventSources or Sensors: the controller of Argo Events runs their pods with any service account and any Secret in the scope"},
		{name: "rollouts", groups: []string{"argoproj.io"}, resources: []string{"rollouts"}, verbs: writes, cluster: critical, namespace: high, runtime: true,
			worth: "create or change Rollouts: the controller of Argo Rollouts runs their pods with any service account in the scope"},
		{name: "analysis", groups: []string{"argoproj.io"}, resources: []string{"analysisruns", "analysistemplates", "clusteranalysistemplates", "experiments"}, verbs: writes, cluster: critical, namespace: high, runtime: true,
			worth: "create or change analyses or experiments: the controller of Argo Rollouts runs their Jobs and pods with any service account in the scope"},
		{name: "exec", resources: []string{"pods/exec", "pods/attach"}, verbs: []string{"create", "get"}, cluster: critical, namespace: high, runtime: true,
			worth: "run commands in any pod in the scope, with the Secrets and the service account of that pod"},
		{name: "ephemeral containers", resources: []string{"pods/ephemeralcontainers"}, verbs: changes, cluster: critical, namespace: high, runtime: true,
			worth: "add containers to any pod in the scope, with the service account of that pod"},
		{name: "applications", groups: []string{"argoproj.io"}, resources: []string{"applications", "applicationsets"}, verbs: writes, cluster: critical, namespace: high, runtime: true,
			worth: "write Applications: Argo CD's application controller deploys what they name with its own permissions, as far as their project allows"},
		{name: "projects", groups: []string{"argoproj.io"}, resources: []string{"appprojects"}, verbs: writes, cluster: critical, namespace: high, runtime: true,
			worth: "write AppProjects, and so determine what Applications may deploy, and where"},
		{name: "write settings", resources: []string{"configmaps"}, verbs: writes, names: argoCDSettings, cluster: critical, namespace: high, runtime: true,
			worth: "write ConfigMaps, the settings of programs: argocd-rbac-cm and argocd-cm can make anyone an administrator of Argo CD"},
		{name: "volumes", resources: []string{"persistentvolumes"}, verbs: []string{"create"}, cluster: high, namespace: low,
			worth: "create volumes, including type hostPath, and so access files of nodes"},
		{name: "definitions", groups: []string{"apiextensions.k8s.io"}, resources: []string{"customresourcedefinitions"}, verbs: append([]string{"delete"}, writes...), cluster: high, namespace: low,
			worth: "change or delete CustomResourceDefinitions: deleting one deletes all its objects, and a conversion webhook receives the objects"},
		{name: "namespaces", resources: []string{"namespaces"}, verbs: changes, cluster: high, namespace: medium,
			worth: "change the labels of namespaces, which determine the Pod Security levels and policies that apply"},
		{name: "nodes", resources: []string{"nodes", "nodes/status"}, verbs: changes, cluster: high, namespace: low,
			worth: "change nodes, including the labels and taints that determine where pods are scheduled"},
		{name: "traffic", groups: []string{"", "discovery.k8s.io", "networking.k8s.io", "gateway.networking.k8s.io"},
			resources: []string{"services", "endpoints", "endpointslices", "ingresses", "httproutes"}, verbs: writes, cluster: medium, namespace: medium,
			worth: "redirect traffic of Services, Ingresses or routes"},
		{name: "network policies", groups: []string{"networking.k8s.io"}, resources: []string{"networkpolicies"}, verbs: append([]string{"delete"}, changes...), cluster: medium, namespace: medium,
			worth: "allow traffic that network policies block"},
		{name: "logs", resources: []string{"pods/log"}, verbs: []string{"get"}, cluster: medium, namespace: low,
			worth: "read the logs of pods"},
		{name: "deletion", groups: []string{"", "apps", "argoproj.io"},
			resources: []string{"pods", "deployments", "statefulsets", "persistentvolumeclaims", "applications", "appprojects", "rollouts", "workflows"}, verbs: []string{"delete", "deletecollection"}, cluster: medium, namespace: medium,
			worth: "delete workloads, Applications or their data"},
		{name: "read settings", resources: []string{"configmaps"}, verbs: reads, cluster: medium, namespace: low,
			worth: "read all ConfigMaps in the scope"},
	}
}

// grants reports whether a rule contains the escalation, a group, a resource and a verb of it; and whether only for objects of less worth.
func (e escalation) grants(r rule) (granted, limited bool) {
	groups := e.groups
	if groups == nil {
		groups = []string{""}
	}
	if !slices.ContainsFunc(groups, func(group string) bool { return has(r.APIGroups, group) }) || !slices.ContainsFunc(e.resources, r.concerns) {
		return false, false
	}
	granted = slices.ContainsFunc(e.verbs, func(verb string) bool {
		// a rule with names cannot apply to an object that is created, because it has no name yet; a subresource is created for an existing object
		return has(r.Verbs, verb) && (verb != "create" || len(r.ResourceNames) == 0 || strings.Contains(e.resources[0], "/"))
	})
	worthy := e.any || len(r.ResourceNames) == 0 || slices.ContainsFunc(r.ResourceNames, func(name string) bool { return slices.Contains(e.names, name) })
	return granted, granted && !worthy
}

// concerns reports whether a rule is about a resource or subresource.
func (r rule) concerns(resource string) bool {
	_, sub, ok := strings.Cut(resource, "/")
	return has(r.Resources, resource) || (ok && has(r.Resources, "*/"+sub))
}

// of returns the severity in a scope; deploys reports whether Argo CD's application controller, with permissions in the whole cluster, is in the
// namespace.
func (e escalation) of(scope string, deploys bool) severity {
	switch {
	case scope == "cluster":
		return e.cluster
	case scope == "namespace" && e.runtime && deploys:
		return critical
	default:
		return e.namespace
	}
}
