package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	netv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/render"
)

// argoCD returns a release of the chart argo-cd with values.
func argoCD(set map[string]string) render.Release { return render.Release{Chart: "argo-cd", Set: set} }

// The pods of Argo CD use the service accounts of the published chart 0.30.0, to which users bind roles of cloud accounts.
func TestA6ServiceAccountsHaveThePublishedNames(t *testing.T) {
	t.Parallel()
	published := map[string]string{
		"StatefulSet/argo-cd-application-controller":   "argocd-application-controller",
		"Deployment/argo-cd-applicationset-controller": "argocd-applicationset-controller",
		"Deployment/argo-cd-dex-server":                "argocd-dex-server",
		"Deployment/argo-cd-notifications-controller":  "argocd-notifications-controller",
		"Deployment/argo-cd-repo-server":               "argo-cd-repo-server",
		"Deployment/argo-cd-server":                    "argocd-server",
		"Deployment/argo-cd-commit-server":             "argocd-commit-server",
		"Deployment/argo-server":                       "argo-server",
		"Deployment/argo-workflow-controller":          "argo-workflow-controller",
		"Deployment/sealed-secrets-controller":         "sealed-secrets-controller",
		"Deployment/codefresh-tunnel-client":           "codefresh-tunnel-client",
	}
	objects := umbrella("tunnel", map[string]string{"argo-cd.dex.enabled": "true", "argo-cd.commitServer.enabled": "true"}).Objects(t)
	accounts := map[string]string{}
	for _, object := range objects {
		key := object.GetKind() + "/" + object.GetName()
		if _, listed := published[key]; listed {
			accounts[key] = pod(t, object).ServiceAccountName
			assert.NotNil(t, render.Find(objects, "ServiceAccount", accounts[key]), key)
		}
	}
	assert.Equal(t, published, accounts)
}

// Row 6: the chart argo-cd on its own has the fixed names of the community's chart, whatever the release is called.
func TestRow6ServiceAccountsOfArgoCDHaveFixedNames(t *testing.T) {
	t.Parallel()
	assert.ElementsMatch(t, []string{
		"ServiceAccount/argocd-application-controller", "ServiceAccount/argocd-applicationset-controller", "ServiceAccount/argocd-notifications-controller",
		"ServiceAccount/argocd-server", "ServiceAccount/cf-argocd-redis", "ServiceAccount/cf-argocd-repo-server",
	}, render.Names(argoCD(map[string]string{"nameOverride": "argocd"}).Objects(t), "ServiceAccount"))
}

// Row 2: the API server contacts Dex without TLS if Dex serves none.
func TestRow2DexIsContactedAsItServes(t *testing.T) {
	t.Parallel()
	address := func(set map[string]string) any {
		set["dex.enabled"], set["fullnameOverride"] = "true", "argocd"
		data, _, err := unstructured.NestedStringMap(render.Find(argoCD(set).Objects(t), "ConfigMap", "argocd-cmd-params-cm").Object, "data")
		require.NoError(t, err)
		return data["server.dex.server"]
	}
	assert.Equal(t, "https://argocd-dex-server:5556", address(map[string]string{}))
	assert.Equal(t, "http://argocd-dex-server:5556", address(map[string]string{`configs.params.dexserver\.disable\.tls`: "true"}))
	assert.Equal(t, "https://argocd-dex-server:5556", address(map[string]string{`configs.params.dexserver\.disable\.tls`: "false"}))
}

// Row 3: plugins in repo-server have the token of its service account, as in the published chart; a value takes it away.
func TestRow3RepoServerHasItsToken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		release render.Release
		name    string
		mounted bool
	}{
		{umbrella("tunnel", nil), "argo-cd-repo-server", true},
		{argoCD(map[string]string{"fullnameOverride": "argocd"}), "argocd-repo-server", true},
		{argoCD(map[string]string{"fullnameOverride": "argocd", "repoServer.automountServiceAccountToken": "false"}), "argocd-repo-server", false},
	} {
		spec := pod(t, *render.Find(test.release.Objects(t), "Deployment", test.name))
		assert.Equal(t, test.mounted, *spec.AutomountServiceAccountToken)
	}
}

// Row 7: the API server may read, patch and delete live objects of every kind, as in the published chart; rbac.narrow limits the kinds.
func TestRow7ServerReachesEveryKind(t *testing.T) {
	t.Parallel()
	first := func(set map[string]string) rbacv1.PolicyRule {
		role, err := render.As[rbacv1.ClusterRole](render.Find(umbrella("tunnel", set).Objects(t), "ClusterRole", "codefresh-argo-cd-server"))
		require.NoError(t, err)
		return role.Rules[0]
	}
	verbs := []string{"get", "patch", "delete"}
	assert.Equal(t, rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: verbs}, first(nil))
	narrow := first(map[string]string{"argo-cd.server.rbac.narrow": "true"})
	assert.NotContains(t, narrow.Resources, "*")
	assert.NotContains(t, narrow.Resources, "secrets")
	assert.Equal(t, verbs, narrow.Verbs)
}

// Row 8: a Service port for HTTP/2, which a GRPCRoute uses, as in argo-cd 10.2.
func TestRow8ServerHasAPortForHTTP2(t *testing.T) {
	t.Parallel()
	set := map[string]string{
		"fullnameOverride": "argocd", "server.service.servicePortHttp2": "8082", "server.service.servicePortHttp2AppProtocol": "kubernetes.io/h2c",
		"server.grpcroute.enabled": "true", `configs.params.server\.insecure`: "true",
	}
	ports := func(set map[string]string) (service, route any) {
		objects := argoCD(set).Objects(t)
		service, _, err := unstructured.NestedSlice(render.Find(objects, "Service", "argocd-server").Object, "spec", "ports")
		require.NoError(t, err)
		rules, _, err := unstructured.NestedSlice(render.Find(objects, "GRPCRoute", "argocd-server-grpc").Object, "spec", "rules")
		require.NoError(t, err)
		return service, rules[0].(map[string]any)["backendRefs"].([]any)[0].(map[string]any)["port"]
	}
	http := map[string]any{"name": "http", "port": float64(80), "targetPort": "server"}
	https := map[string]any{"name": "https", "port": float64(443), "targetPort": "server"}
	service, route := ports(set)
	assert.EqualValues(t, []any{http, https, map[string]any{"name": "http2", "port": float64(8082), "targetPort": "server", "appProtocol": "kubernetes.io/h2c"}}, service)
	assert.EqualValues(t, 8082, route)
	delete(set, `configs.params.server\.insecure`)
	service, route = ports(set)
	assert.EqualValues(t, []any{http, https}, service)
	assert.EqualValues(t, 443, route)
}

// Row 9: the init containers that copy binaries have the resources of their component, unless they have values of their own.
func TestRow9InitContainersHaveTheResourcesOfTheirComponent(t *testing.T) {
	t.Parallel()
	limits := func(set map[string]string, name string) string {
		set["dex.enabled"], set["fullnameOverride"] = "true", "argocd"
		return pod(t, *render.Find(argoCD(set).Objects(t), "Deployment", name)).InitContainers[0].Resources.Limits.Cpu().String()
	}
	for _, test := range []struct{ name, component, own string }{
		{"argocd-repo-server", "repoServer.resources.limits.cpu", "repoServer.copyutil.resources.limits.cpu"},
		{"argocd-dex-server", "dex.resources.limits.cpu", "dex.initImage.resources.limits.cpu"},
	} {
		assert.Equal(t, "7", limits(map[string]string{test.component: "7"}, test.name))
		assert.Equal(t, "3", limits(map[string]string{test.component: "7", test.own: "3"}, test.name))
		assert.Equal(t, "0", limits(map[string]string{}, test.name))
	}
}

// Row 16: status badges name the domain of Argo CD.
func TestRow16StatusBadgesNameTheDomain(t *testing.T) {
	t.Parallel()
	url := func(set map[string]string) any {
		data, _, err := unstructured.NestedStringMap(render.Find(argoCD(set).Objects(t), "ConfigMap", "argocd-cm").Object, "data")
		require.NoError(t, err)
		return data["statusbadge.url"]
	}
	assert.Equal(t, "", url(map[string]string{"global.domain": "argocd.example.com"}))
	assert.Equal(t, "https://argocd.example.com/", url(map[string]string{"global.domain": "argocd.example.com", `configs.cm.statusbadge\.enabled`: "true"}))
}

// Row 17: without an API server, which creates the key of webhooks, the ApplicationSet controller does not wait for that key.
func TestRow17ApplicationSetRunsWithoutAServer(t *testing.T) {
	t.Parallel()
	waits := func(replicas string) int {
		set := map[string]string{"fullnameOverride": "argocd", "server.replicas": replicas}
		return len(pod(t, *render.Find(argoCD(set).Objects(t), "Deployment", "argocd-applicationset-controller")).InitContainers)
	}
	assert.Equal(t, 1, waits("1"))
	assert.Equal(t, 0, waits("0"))
}

// repoServer.clusterRoleRules gives every permission without rules, as in argo-cd 10.1.1, and else the rules alone.
func TestClusterRoleRulesOfTheRepositoryServer(t *testing.T) {
	t.Parallel()
	everything := []rbacv1.PolicyRule{
		{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}},
		{NonResourceURLs: []string{"*"}, Verbs: []string{"*"}},
	}
	for rules, want := range map[string][]rbacv1.PolicyRule{
		"[]": everything,
		`[{"apiGroups": ["a"], "resources": ["b"], "verbs": ["get"]}]`: {{APIGroups: []string{"a"}, Resources: []string{"b"}, Verbs: []string{"get"}}},
	} {
		release := render.Release{Chart: "argo-cd", SetJSON: map[string]string{"repoServer.clusterRoleRules": `{"enabled": true, "rules": ` + rules + `}`}}
		objects := release.Objects(t)
		role, err := render.As[rbacv1.ClusterRole](render.Find(objects, "ClusterRole", "codefresh-cf-argocd-repo-server"))
		require.NoError(t, err)
		assert.Equal(t, want, role.Rules)
	}
	assert.NotContains(t, render.Names(argoCD(nil).Objects(t), "ClusterRole"), "ClusterRole/codefresh-cf-argocd-repo-server")
}

// Lists of argo-cd.global reach Argo CD's pods: the runtime has no default for them, which would replace them.
func TestListsOfArgoCDsGlobals(t *testing.T) {
	t.Parallel()
	objects := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, SetJSON: map[string]string{
		"argo-cd.global.imagePullSecrets":          `[{"name": "registry"}]`,
		"argo-cd.global.topologySpreadConstraints": `[{"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]`,
	}}.Objects(t)
	for name, want := range map[string]int{"argo-cd-server": 1, "argo-cd-repo-server": 1, "argo-cd-redis": 1, "cap-app-proxy": 0} {
		spec := pod(t, *render.Find(objects, "Deployment", name))
		assert.Len(t, spec.ImagePullSecrets, want, name)
		assert.Len(t, spec.TopologySpreadConstraints, want, name)
	}
}

// The Secret of a certificate has the type of argo-cd 10.1.1, which an upgrade cannot change, whatever parts are set; the Ingress for gRPC has its port.
func TestCertificateSecretsAndTheIngressForGRPC(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ name, set, parts string }{
		{"argocd-server-tls", "server", `{"enabled": true}`},
		{"argocd-server-tls", "server", `{"enabled": true, "crt": "a", "key": "b"}`},
		{"argocd-repo-server-tls", "repoServer", `{"enabled": true, "ca": "a"}`},
	} {
		objects := render.Release{Chart: "argo-cd", SetJSON: map[string]string{each.set + ".certificateSecret": each.parts}}.Objects(t)
		secret, err := render.As[corev1.Secret](render.Find(objects, "Secret", each.name))
		require.NoError(t, err)
		assert.Equal(t, corev1.SecretTypeTLS, secret.Type)
		assert.Contains(t, secret.Data, corev1.TLSCertKey)
		assert.Contains(t, secret.Data, corev1.TLSPrivateKeyKey)
	}
	ingress, err := render.As[netv1.Ingress](render.Find(argoCD(map[string]string{"server.ingressGrpc.enabled": "true"}).Objects(t), "Ingress", "cf-argocd-server-grpc"))
	require.NoError(t, err)
	assert.EqualValues(t, 443, ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Port.Number)
}
