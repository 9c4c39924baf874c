package render_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/render"
)

// environment returns the variables of a container of a workload: the value, or "Secret/<name>/<key>" of its source.
func environment(t *testing.T, objects []render.Object, kind, name, container string) map[string]string {
	t.Helper()
	found := render.Find(objects, kind, name)
	require.NotNil(t, found, "%s/%s", kind, name)
	spec := pod(t, *found)
	result := map[string]string{}
	for _, each := range append(spec.InitContainers, spec.Containers...) {
		if each.Name != container {
			continue
		}
		for _, variable := range each.Env {
			result[variable.Name] = variable.Value
			if from := variable.ValueFrom; from != nil && from.SecretKeyRef != nil {
				result[variable.Name] = "Secret/" + from.SecretKeyRef.Name + "/" + from.SecretKeyRef.Key
			}
		}
	}
	return result
}

// app-proxy connects to an external Argo CD with the address and the credentials from values; plain credentials become a Secret.
func TestExternalArgoCD(t *testing.T) {
	t.Parallel()
	const at = "global.integrations.argo-cd.server."
	for _, test := range []struct {
		name     string
		set      map[string]string
		url      string
		user     string
		login    string
		value    string
		inSecret string
	}{
		{"password from Argo CD's Secret", nil, "http://argocd-server.argocd.svc.cluster.local:80", "admin", "ARGO_CD_PASSWORD", "Secret/argocd-initial-admin-secret/password", ""},
		{"plain password, root path", map[string]string{at + "auth.password": "p", at + "auth.username": "me", at + "rootpath": "/argo"}, "http://argocd-server.argocd.svc.cluster.local:80/argo", "me", "ARGO_CD_PASSWORD", "Secret/gitops-runtime-argo-cd-password/token", "gitops-runtime-argo-cd-password"},
		{"plain token, HTTPS", map[string]string{at + "auth.type": "token", at + "auth.token": "t", at + "port": "443"}, "https://argocd-server.argocd.svc.cluster.local:443", "", "ARGO_CD_TOKEN", "Secret/gitops-runtime-argo-cd-token/token", "gitops-runtime-argo-cd-token"},
		{"token from a Secret", map[string]string{at + "auth.type": "token", at + "auth.tokenSecretKeyRef.name": "a", at + "auth.tokenSecretKeyRef.key": "b"}, "http://argocd-server.argocd.svc.cluster.local:80", "", "ARGO_CD_TOKEN", "Secret/a/b", ""},
		{"older name", map[string]string{"global.external-argo-cd.server.svc": "old", "global.external-argo-cd.auth.username": "you"}, "http://old.codefresh.svc.cluster.local:80", "you", "ARGO_CD_PASSWORD", "Secret/argocd-initial-admin-secret/password", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set := map[string]string{"argo-cd.enabled": "false", at + "svc": "argocd-server.argocd"}
			for path, value := range test.set {
				set[path] = value
			}
			objects := umbrella("tunnel", set).Objects(t)
			settings := render.Find(objects, "ConfigMap", "cap-app-proxy-cm").Object["data"].(map[string]any)
			assert.Equal(t, test.url, settings["argoCdUrl"])
			assert.Equal(t, test.user, fmt.Sprint(cmp.Or(settings["argoCdUsername"], any(""))))
			assert.Equal(t, "true", settings["isExternalArgoCD"])
			assert.Equal(t, test.value, environment(t, objects, "Deployment", "cap-app-proxy", "cap-app-proxy")[test.login])
			assert.NotNil(t, render.Find(objects, "Deployment", "runtime-event-reporter"), "Applications of the external Argo CD are reported")
			var result []string
			for _, name := range []string{"gitops-runtime-argo-cd-password", "gitops-runtime-argo-cd-token"} {
				if secret := render.Find(objects, "Secret", name); secret != nil {
					result = append(result, name)
					assert.Contains(t, secret.Object["data"], "token")
				}
			}
			assert.Equal(t, strings.Fields(test.inSecret), append([]string{}, result...))
		})
	}
	_, err := umbrella("tunnel", map[string]string{"argo-cd.enabled": "false", at + "svc": "argocd-server", at + "auth.type": "token"}).Text(t)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "SCH305: The programs sign in to Argo CD with a token, but none is set.\n  fix: ")
}

// Several replicas of app-proxy elect a leader; one replica needs neither the elector nor a shared cache.
func TestAppProxyElectsALeader(t *testing.T) {
	t.Parallel()
	for replicas, containers := range map[string][]string{"1": {"cap-app-proxy"}, "2": {"cap-app-proxy", "leader-elector"}} {
		objects := umbrella("tunnel", map[string]string{"app-proxy.replicaCount": replicas, "redis.enabled": "true"}).Objects(t)
		deployment, err := render.As[appsv1.Deployment](render.Find(objects, "Deployment", "cap-app-proxy"))
		require.NoError(t, err)
		var names []string
		for _, container := range deployment.Spec.Template.Spec.Containers {
			names = append(names, container.Name)
		}
		assert.Equal(t, containers, names)
		_, elected := environment(t, objects, "Deployment", "cap-app-proxy", "cap-app-proxy")["LEADER_ID"]
		assert.Equal(t, replicas == "2", elected)
	}
	_, err := umbrella("tunnel", map[string]string{"app-proxy.replicaCount": "2"}).Text(t)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "SCH301: app-proxy.replicaCount is 2, but its pods share a cache, and no Redis is installed.\n  fix: --set redis.enabled=true")
}

// The runtime's programs use the chart's replicated or single Redis, else none. Only several app-proxies use it, for which Argo CD's replicated Redis will do.
func TestCacheOfTheRuntime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		set            map[string]string
		host, password string
	}{
		{nil, "", ""},
		{map[string]string{"redis.enabled": "true"}, "runtime-redis.codefresh.svc.cluster.local", "Secret/gitops-runtime-redis/auth"},
		{map[string]string{"redis-ha.enabled": "true", "redis.enabled": "true"}, "runtime-redis-ha-haproxy.codefresh.svc.cluster.local", "Secret/gitops-runtime-redis/auth"},
		{map[string]string{"redis-ha.enabled": "true", "argo-cd.enabled": "false"}, "runtime-redis-ha-haproxy.codefresh.svc.cluster.local", "Secret/gitops-runtime-redis/auth"},
		{map[string]string{"argo-cd.redis-ha.enabled": "true"}, "", ""},
		{map[string]string{"argo-cd.redis-ha.enabled": "true", "app-proxy.replicaCount": "2"}, "argo-cd-redis-ha-haproxy.codefresh.svc.cluster.local", "Secret/argocd-redis/auth"},
	} {
		objects := umbrella("tunnel", test.set).Objects(t)
		proxy := environment(t, objects, "Deployment", "cap-app-proxy", "cap-app-proxy")
		if test.set["app-proxy.replicaCount"] == "2" {
			assert.Equal(t, []string{test.host, test.password}, []string{proxy["CACHE_HOST"], proxy["CACHE_PASSWORD"]})
		} else {
			assert.NotContains(t, proxy, "CACHE_HOST")
		}
		for _, name := range []string{"argo-gateway", "runtime-event-reporter", "cluster-event-reporter"} {
			assert.Equal(t, test.password, environment(t, objects, "Deployment", name, name)["REDIS_PASSWORD"], name)
			address, _ := render.Find(objects, "ConfigMap", name+"-cmd-params-cm").Object["data"].(map[string]any)["redis.server"].(string)
			assert.Equal(t, test.host, strings.TrimSuffix(address, ":6379"), name)
		}
	}
}

// Every key in app-proxy.config becomes a setting of app-proxy; null removes a default.
func TestEveryKeyOfConfigReachesAppProxy(t *testing.T) {
	t.Parallel()
	release := umbrella("tunnel", nil)
	release.SetJSON = map[string]string{"app-proxy.config": `{"graphqlPlayground": true, "reposDir": "/repos", "storeBackend": "fs", "clusterChunkSize": 1000000, "logLevel": null}`}
	data := render.Find(release.Objects(t), "ConfigMap", "cap-app-proxy-cm").Object["data"].(map[string]any)
	assert.Subset(t, data, map[string]any{"graphqlPlayground": "true", "reposDir": "/repos", "storeBackend": "fs", "clusterChunkSize": "1000000"})
	assert.NotContains(t, data, "logLevel")
}

// A runtime name may contain dashes, and must fit into a DNS label of the tunnel together with the account ID.
func TestNamesOfRuntimes(t *testing.T) {
	t.Parallel()
	for name, problem := range map[string]string{
		"prod-eu-1":             "",
		"a":                     "",
		"-a":                    "RUN102",
		"a-":                    "RUN102",
		"1a":                    "RUN102",
		"A":                     "RUN102",
		strings.Repeat("a", 64): "RUN102",
		strings.Repeat("a", 63): "RUN103",
	} {
		_, err := umbrella("tunnel", map[string]string{"global.runtime.name": name}).Text(t)
		if problem == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), problem+": ", name)
	}
	_, err := umbrella("ingress", map[string]string{"global.runtime.name": strings.Repeat("a", 63)}).Text(t)
	require.NoError(t, err)
}

// The ConfigMap from which the controller creates workflow pods contains the pull secrets and proxies of global, but no password.
func TestGlobalsReachWorkflows(t *testing.T) {
	t.Parallel()
	for proxy, given := range map[string]bool{"http://proxy.example.com:3128": true, "http://user:secret@proxy.example.com:3128": false} {
		objects := umbrella("tunnel", map[string]string{"global.httpsProxy": proxy, "global.imagePullSecrets[0]": "registry"}).Objects(t)
		config := render.Find(objects, "ConfigMap", "argo-workflow-controller-configmap").Object["data"].(map[string]any)["config"].(string)
		var settings struct {
			Executor         corev1.Container
			WorkflowDefaults struct{ Spec corev1.PodSpec }
		}
		require.NoError(t, yaml.Unmarshal([]byte(config), &settings))
		assert.Equal(t, []corev1.LocalObjectReference{{Name: "registry"}}, settings.WorkflowDefaults.Spec.ImagePullSecrets)
		assert.Equal(t, given, slices.ContainsFunc(settings.Executor.Env, func(v corev1.EnvVar) bool { return v.Name == "HTTPS_PROXY" && v.Value == proxy }))
		assert.NotContains(t, config, "secret@")
	}
}

// A change of a token, key or certificate in a Secret of the chart restarts app-proxy, which reads them at startup.
func TestSecretsRestartAppProxy(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, set := range map[string]map[string]string{
		"unchanged":   nil,
		"SSH key":     {"global.runtime.gitCredentials.sshPrivateKey.value": "k"},
		"user token":  {"global.codefresh.userToken.token": "t"},
		"platform CA": {"global.codefresh.tls.caCerts.secret.create": "true", "global.codefresh.tls.caCerts.secret.content": "c"},
	} {
		deployment, err := render.As[appsv1.Deployment](render.Find(umbrella("tunnel", set).Objects(t), "Deployment", "cap-app-proxy"))
		require.NoError(t, err)
		checksum := deployment.Spec.Template.Annotations["checksum/config"]
		assert.Empty(t, seen[checksum], "%s: no restart", name)
		seen[checksum] = name
	}
}

// With global.runtime.singleNamespace only CustomResourceDefinitions are outside the namespace.
func TestSingleNamespace(t *testing.T) {
	t.Parallel()
	for _, object := range umbrella("tunnel", map[string]string{"global.runtime.singleNamespace": "true"}).Objects(t) {
		if object.GetKind() == "CustomResourceDefinition" || object.GetName() == "codefresh-"+sealer { // unseals every namespace, as in the published chart
			continue
		}
		assert.Equal(t, "codefresh", object.GetNamespace(), "%s/%s", object.GetKind(), object.GetName())
		assert.NotContains(t, object.GetKind(), "Cluster", object.GetName())
	}
}

// app-proxy waits for Argo CD's password only if Argo CD generates it: otherwise the reference to its Secret is optional.
func TestWaitsForArgoCDsPassword(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		set   map[string]string
		waits bool
	}{
		{"generated by Argo CD", nil, true},
		{"no administrator", map[string]string{`argo-cd.configs.cm.admin\.enabled`: "false"}, false},
		{"no administrator, as a path", map[string]string{"argo-cd.configs.cm.admin.enabled": "false"}, false},
		{"ConfigMap from the user", map[string]string{"argo-cd.configs.cm.create": "false"}, false},
		{"password from the user", map[string]string{"argo-cd.configs.secret.argocdServerAdminPassword": "hash"}, false},
		{"password in extra keys", map[string]string{`argo-cd.configs.secret.extra.admin\.password`: "hash"}, false},
		{"Secret from the user", map[string]string{"argo-cd.configs.secret.createSecret": "false"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			objects := umbrella("tunnel", test.set).Objects(t)
			from := reference(t, objects, "cap-app-proxy", "cap-app-proxy", "ARGO_CD_PASSWORD")
			assert.Equal(t, "argocd-initial-admin-secret", from.Name)
			assert.Equal(t, test.waits, from.Optional == nil)
		})
	}
	external := map[string]string{"argo-cd.enabled": "false", "global.integrations.argo-cd.server.svc": "argocd-server.argocd"}
	assert.Nil(t, reference(t, umbrella("tunnel", external).Objects(t), "cap-app-proxy", "cap-app-proxy", "ARGO_CD_PASSWORD").Optional, "an external Argo CD's Secret exists")
}

// reference returns the Secret key that is the source of a Deployment's variable.
func reference(t *testing.T, objects []render.Object, deployment, container, variable string) *corev1.SecretKeySelector {
	t.Helper()
	found := render.Find(objects, "Deployment", deployment)
	require.NotNil(t, found, deployment)
	for _, each := range pod(t, *found).Containers {
		for _, set := range each.Env {
			if each.Name == container && set.Name == variable {
				require.NotNil(t, set.ValueFrom, variable)
				require.NotNil(t, set.ValueFrom.SecretKeyRef, variable)
				return set.ValueFrom.SecretKeyRef
			}
		}
	}
	require.Fail(t, "no such variable", "%s of %s in %s", variable, container, deployment)
	return nil
}
