package published

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/contract"
	"gitops-runtime/tests/contract/facts"
)

var options = Options{
	Release: "cf-gitops-runtime", Namespace: "codefresh", Runtime: "local", Account: "acc1", Image: "standin:dev",
	Secrets: map[string]string{"codefresh-user-token/token": "user-token-admin"},
}

// The manifests have the facts of the contract that an upgrade must not change: names, labels, selectors, ports, accounts, permissions and bindings.
func TestObjectsHaveTheFactsOfTheContract(t *testing.T) {
	t.Parallel()
	options := Options{Release: "zz-rel", Namespace: "zz-space", Runtime: "zz-run", Account: "zz-acc"} // names that are not part of other names
	objects, err := Objects(options)
	require.NoError(t, err)
	plain := make([]unstructured.Unstructured, 0, len(objects))
	for _, object := range objects {
		plain = append(plain, *object)
	}
	made := facts.Of(plain, facts.Release{Name: options.Release, Namespace: options.Namespace, Runtime: options.Runtime, Account: options.Account})
	table, err := contract.Published()
	require.NoError(t, err)
	compared := 0
	for _, scenario := range []string{contract.Base, contract.Subcharts} {
		for fact, value := range table.Rows(scenario) {
			if made.Objects()[fact.Object] == nil || !slices.Contains([]string{"object", "label", "podLabel", "selector", "port", "servicePort", "serviceAccount", "rule"}, fact.Aspect) {
				continue
			}
			got, ok := made.Get(fact)
			require.True(t, ok, "%s", fact)
			require.Equal(t, value, got, "%s", fact)
			compared++
		}
	}
	require.Greater(t, compared, 500, "facts that are compared")
}

// One complete object of each form.
func TestWholeObjects(t *testing.T) {
	t.Parallel()
	objects, err := Objects(options)
	require.NoError(t, err)
	find := func(kind, name string) map[string]any {
		at := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == kind && o.GetName() == name })
		require.GreaterOrEqual(t, at, 0, "%s/%s", kind, name)
		return objects[at].Object
	}
	type object = map[string]any
	require.Equal(t, object{
		"apiVersion": "v1", "kind": "Service",
		"metadata": object{
			"name": "cap-app-proxy", "namespace": "codefresh", "annotations": object{},
			"labels": object{"app": "cap-app-proxy", "app.kubernetes.io/part-of": "app-proxy", "codefresh.io/internal": "true"},
		},
		"spec": object{
			"type": "ClusterIP", "selector": object{"app": "cap-app-proxy"},
			"ports": []any{
				object{"name": "http", "port": int64(3017), "protocol": "TCP", "targetPort": int64(8080)},
				object{"name": "http-metrics", "port": int64(9100), "protocol": "TCP", "targetPort": int64(9100)},
			},
		},
	}, find("Service", "cap-app-proxy"))
	require.Equal(t, object{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
		"metadata": object{"name": "cap-app-proxy-argo-workflows", "namespace": "codefresh", "labels": object{}, "annotations": object{}},
		"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "argo-server"},
		"subjects": []any{object{"kind": "ServiceAccount", "namespace": "codefresh", "name": "cap-app-proxy"}},
	}, find("RoleBinding", "cap-app-proxy-argo-workflows"))
	secret := find("Secret", "codefresh-user-token")
	require.Equal(t, []any{"Opaque", object{"token": "user-token-admin"}}, []any{secret["type"], secret["stringData"]})
	gateway := find("Deployment", "argo-gateway")["spec"].(object)
	require.Equal(t, object{
		"replicas": int64(1),
		"selector": object{"matchLabels": object{"app.kubernetes.io/instance": "cf-gitops-runtime", "app.kubernetes.io/name": "argo-gateway"}},
		"template": object{
			"metadata": object{"labels": object{"app.kubernetes.io/instance": "cf-gitops-runtime", "app.kubernetes.io/name": "argo-gateway"}},
			"spec": object{
				"serviceAccountName": "argo-gateway", "automountServiceAccountToken": false,
				"securityContext": object{"runAsNonRoot": true, "runAsUser": int64(65532), "seccompProfile": object{"type": "RuntimeDefault"}},
				"containers": []any{object{
					"name": "argo-gateway", "image": "standin:dev", "args": []any{"health", "-listen", ":12345", "-listen", ":8090"},
					"ports":           []any{object{"name": "http", "containerPort": int64(8090), "protocol": "TCP"}},
					"resources":       object{"requests": object{"cpu": "10m", "memory": "16Mi"}},
					"securityContext": object{"allowPrivilegeEscalation": false, "capabilities": object{"drop": []any{"ALL"}}},
				}},
			},
		},
	}, gateway)
	require.Equal(t, "argo-cd-application-controller", find("StatefulSet", "argo-cd-application-controller")["spec"].(object)["serviceName"])
}

func TestMalformedRows(t *testing.T) {
	t.Parallel()
	row := func(container, aspect, key, value string) source { return source{place{container, aspect, key}: value} }
	for name, test := range map[string]struct {
		kind   string
		from   source
		reason string
	}{
		"no container": {"Deployment", source{}, "Deployment/x: it has no container"},
		"port":         {"Deployment", source{{"c", "image", "main"}: "i", {"c", "port", "http"}: "many"}, `Deployment/x: the port http of the container c is "many" and not NUMBER/TCP`},
		"service":      {"Service", row(facts.None, "servicePort", "http", "name=http"), `Service/x: the port "http" is not a number`},
		"right":        {"Role", row(facts.None, "rule", "pods", ""), `Role/x: the right "pods" is not of the form group/resource:verb`},
		"binding":      {"RoleBinding", source{}, "RoleBinding/x: it binds 0 roles instead of one"},
		"role":         {"RoleBinding", row(facts.None, "rule", "binds admin", "sa=n/a"), `RoleBinding/x: the row "binds admin" is not of the form binds KIND/NAME`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := build(facts.Object{Kind: test.kind, Name: "x"}, test.from, options)
			require.EqualError(t, err, test.reason)
		})
	}
}
