package render_test

import (
	"encoding/base64"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/render"
)

// The tests of this file are named after the findings of the comparison of whole renders with the published chart 0.30.0.

// data returns the data of a ConfigMap.
func data(t *testing.T, objects []render.Object, name string) map[string]any {
	t.Helper()
	found := render.Find(objects, "ConfigMap", name)
	require.NotNil(t, found, name)
	return found.Object["data"].(map[string]any)
}

// published renders the umbrella chart in tunnel mode with values in JSON, by path.
func published(t *testing.T, values map[string]string) []render.Object {
	t.Helper()
	return render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, SetJSON: values}.Objects(t)
}

// The login to Argo CD in values works with the Argo CD of the release, in every program that reads it.
func TestA4LoginToArgoCD(t *testing.T) {
	t.Parallel()
	const auth = "global.integrations.argo-cd.server.auth"
	for title, test := range map[string]struct {
		values      map[string]string
		user, login string
		token       [2]string
		secret      string
	}{
		"by default":             {nil, "admin", "ARGO_CD_PASSWORD=Secret/argocd-initial-admin-secret/password", [2]string{"argocd-token", "token"}, ""},
		"user and Secret":        {map[string]string{auth: `{"username": "joe", "passwordSecretKeyRef": {"name": "my", "key": "pw"}}`}, "joe", "ARGO_CD_PASSWORD=Secret/my/pw", [2]string{"argocd-token", "token"}, ""},
		"password in plain text": {map[string]string{auth: `{"password": "pw"}`}, "admin", "ARGO_CD_PASSWORD=Secret/gitops-runtime-argo-cd-password/token", [2]string{"argocd-token", "token"}, "gitops-runtime-argo-cd-password"},
		"token in plain text":    {map[string]string{auth: `{"type": "token", "token": "tok"}`}, "", "ARGO_CD_TOKEN=Secret/gitops-runtime-argo-cd-token/token", [2]string{"gitops-runtime-argo-cd-token", "token"}, "gitops-runtime-argo-cd-token"},
		"token in a Secret":      {map[string]string{auth: `{"type": "token", "tokenSecretKeyRef": {"name": "s", "key": "k"}}`}, "", "ARGO_CD_TOKEN=Secret/s/k", [2]string{"s", "k"}, ""},
		"row 14, the older user": {map[string]string{auth + ".username": `"joe"`, "app-proxy.config.argoCdUsername": `"old"`}, "old", "ARGO_CD_PASSWORD=Secret/argocd-initial-admin-secret/password", [2]string{"argocd-token", "token"}, ""},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			objects := published(t, test.values)
			user, _ := data(t, objects, "cap-app-proxy-cm")["argoCdUsername"].(string)
			assert.Equal(t, test.user, user)
			variable, value, _ := strings.Cut(test.login, "=")
			assert.Equal(t, value, environment(t, objects, "Deployment", "cap-app-proxy", "cap-app-proxy")[variable])
			for name, container := range map[string]string{
				"argo-gateway": "argo-gateway", "runtime-event-reporter": "runtime-event-reporter", "cluster-event-reporter": "cluster-event-reporter", "gitops-operator": "manager",
			} {
				env := environment(t, objects, "Deployment", name, container)
				assert.Equal(t, test.token, [2]string{env["ARGO_CD_TOKEN_SECRET_NAME"], env["ARGO_CD_TOKEN_SECRET_KEY"]}, name)
			}
			for _, name := range []string{"gitops-runtime-argo-cd-password", "gitops-runtime-argo-cd-token"} {
				assert.Equal(t, name == test.secret, render.Find(objects, "Secret", name) != nil, name)
			}
			// the hook learns which kind of credential is set in plain text, and not the credential
			kind, plain := strings.CutPrefix(test.secret, "gitops-runtime-argo-cd-")
			checked := hookValues(t, objects)["global"].(map[string]any)["integrations"].(map[string]any)["argo-cd"].(map[string]any)["server"].(map[string]any)["auth"]
			if plain {
				assert.Equal(t, map[string]any{"type": kind, kind: "set"}, checked)
			} else {
				assert.NotContains(t, checked, "password")
				assert.NotContains(t, checked, "token")
			}
		})
	}
}

// A root path is part of the addresses of an external Argo CD, and its clients are told it separately, too.
func TestA5RootPathOfAnExternalArgoCD(t *testing.T) {
	t.Parallel()
	objects := published(t, map[string]string{
		"argo-cd.enabled": "false", "global.integrations.argo-cd.server": `{"svc": "a.argo", "port": 8080, "rootpath": "/argo"}`,
	})
	const server = "a.argo.svc.cluster.local:8080/argo"
	for _, name := range []string{"argo-gateway", "runtime-event-reporter", "cluster-event-reporter"} {
		assert.Equal(t, "/argo", environment(t, objects, "Deployment", name, name)["ARGOCD_SERVER_ROOTPATH"], name)
		assert.Equal(t, server, data(t, objects, name+"-cmd-params-cm")["argocd.server"], name)
	}
	assert.Equal(t, server, environment(t, objects, "Deployment", "gitops-operator", "manager")["ARGO_CD_URL"])
	assert.Equal(t, "http://"+server, data(t, objects, "cap-app-proxy-cm")["argoCdUrl"])
}

// The programs are told the root path that the integration names for the Argo CD of the runtime, too; its address has that of Argo CD's settings.
func TestRootPathOfTheOwnArgoCD(t *testing.T) {
	t.Parallel()
	objects := published(t, map[string]string{
		"argo-cd.configs.params": `{"server.rootpath": "/argo"}`, "global.integrations.argo-cd.server.rootpath": `"/argo"`,
	})
	for _, name := range []string{"argo-gateway", "runtime-event-reporter", "cluster-event-reporter"} {
		assert.Equal(t, "/argo", environment(t, objects, "Deployment", name, name)["ARGOCD_SERVER_ROOTPATH"], name)
		assert.Equal(t, "argo-cd-server.codefresh.svc.cluster.local:80/argo", data(t, objects, name+"-cmd-params-cm")["argocd.server"], name)
	}
}

// Programs whose images nobody can read have the security contexts of the published chart.
func TestA7ClosedProgramsHaveThePublishedContexts(t *testing.T) {
	t.Parallel()
	off, on := false, true
	noEscalation := &corev1.SecurityContext{AllowPrivilegeEscalation: &off}
	type contexts struct {
		pod        *corev1.PodSecurityContext
		containers map[string]*corev1.SecurityContext
	}
	objects := published(t, map[string]string{"app-proxy.replicaCount": "2", "redis.enabled": "true"})
	for name, want := range map[string]contexts{
		"cap-app-proxy":          {nil, map[string]*corev1.SecurityContext{"init": nil, "cap-app-proxy": noEscalation, "leader-elector": noEscalation}},
		"argo-gateway":           {nil, map[string]*corev1.SecurityContext{"argo-gateway": nil}},
		"runtime-event-reporter": {nil, map[string]*corev1.SecurityContext{"runtime-event-reporter": nil}},
		"cluster-event-reporter": {nil, map[string]*corev1.SecurityContext{"cluster-event-reporter": nil}},
		"gitops-operator": {&corev1.PodSecurityContext{RunAsNonRoot: &on}, map[string]*corev1.SecurityContext{
			"manager": {AllowPrivilegeEscalation: &off, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		}},
	} {
		spec := pod(t, *render.Find(objects, "Deployment", name))
		got := contexts{spec.SecurityContext, map[string]*corev1.SecurityContext{}}
		for _, container := range append(spec.InitContainers, spec.Containers...) {
			got.containers[container.Name] = container.SecurityContext
		}
		assert.Equal(t, want, got, name)
	}
}

// The event reporters read every kind by default; the list of kinds and the published permissions are switches.
func TestA8PermissionsOfTheEventReporters(t *testing.T) {
	t.Parallel()
	read := rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}}
	all := rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}
	for _, name := range []string{"runtime-event-reporter", "cluster-event-reporter"} {
		path := "event-reporters." + name + ".rbac."
		for _, test := range []struct {
			set  map[string]string
			want []rbacv1.PolicyRule
		}{
			{nil, []rbacv1.PolicyRule{read}},
			{map[string]string{path + "published": "true"}, []rbacv1.PolicyRule{read, all}},
		} {
			role, err := render.As[rbacv1.ClusterRole](render.Find(published(t, test.set), "ClusterRole", "codefresh-"+name))
			require.NoError(t, err)
			assert.Equal(t, test.want, role.Rules, name)
		}
		role, err := render.As[rbacv1.ClusterRole](render.Find(published(t, map[string]string{path + "narrow": "true"}), "ClusterRole", "codefresh-"+name))
		require.NoError(t, err)
		for _, rule := range role.Rules {
			assert.NotContains(t, rule.Resources, "*", name)
		}
	}
}

// Workflows of image enrichment have the permissions of their public source, codefresh-io/argo-hub, and those of an executor of Argo Workflows; the published
// permissions are a switch.
func TestA8PermissionsOfImageEnrichment(t *testing.T) {
	t.Parallel()
	narrow := []rbacv1.PolicyRule{
		{APIGroups: []string{"argoproj.io"}, Resources: []string{"workflowtaskresults"}, Verbs: []string{"create", "patch"}},
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "watch", "patch"}},
		{APIGroups: []string{""}, Resources: []string{"pods/log"}, Verbs: []string{"get", "watch"}},
	}
	all := rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}
	for switched, has := range map[string]bool{"false": false, "true": true} {
		objects := published(t, map[string]string{"app-proxy.image-enrichment.rbac.published": switched})
		role, err := render.As[rbacv1.Role](render.Find(objects, "Role", "cap-app-proxy-enrichment"))
		require.NoError(t, err)
		assert.Subset(t, role.Rules, narrow)
		assert.Equal(t, has, len(role.Rules) > len(narrow))
		if has {
			assert.Contains(t, role.Rules, all)
		}
	}
}

// global.imageRegistry replaces the registry of an image, and is never put in front of a repository that names one.
func TestA10ImageRegistry(t *testing.T) {
	t.Parallel()
	const mirror = "reg.example.com/mirror"
	objects := published(t, map[string]string{
		"global.imageRegistry":       `"` + mirror + `"`,
		"app-proxy.image.repository": `"reg.example.com/mirror/codefresh/cap-app-proxy"`,
		"internal-router.image":      `{"repository": "other.example.com/x/nginx", "tag": "1"}`,
	})
	for name, want := range map[string]string{
		"cap-app-proxy":           mirror + "/codefresh/cap-app-proxy:1.4124.0",
		"internal-router":         "other.example.com/x/nginx:1",
		"argo-gateway":            mirror + "/codefresh/cf-argocd-extras:4212bc7",
		"cluster-event-reporter":  mirror + "/codefresh/cf-argocd-extras:4212bc7",
		"gitops-operator":         mirror + "/codefresh/codefresh-gitops-operator:c0ef368",
		"codefresh-tunnel-client": "ghcr.io/fatedier/frpc:v0.70.0",
	} {
		assert.Equal(t, want, pod(t, *render.Find(objects, "Deployment", name)).Containers[0].Image, name)
	}
	images := data(t, objects, "cap-app-proxy-cm")
	assert.Equal(t, "quay.io/codefreshplugins/argo-hub-codefresh-csdp-report-image-info:1.1.31", images["enrichmentImageReportingImage"])
}

// Without an Argo CD of its own, the runtime uses one at the published default addresses.
func TestA12DefaultAddressesOfAnExternalArgoCD(t *testing.T) {
	t.Parallel()
	objects := published(t, map[string]string{"argo-cd.enabled": "false"})
	for _, name := range []string{"argo-gateway", "runtime-event-reporter", "cluster-event-reporter"} {
		params := data(t, objects, name+"-cmd-params-cm")
		assert.Equal(t, "argo-cd-server.codefresh.svc.cluster.local:80", params["argocd.server"], name)
		assert.Equal(t, "argo-cd-repo-server.codefresh.svc.cluster.local:8081", params["repo.server"], name)
	}
	assert.Equal(t, "true", data(t, objects, "cap-app-proxy-cm")["isExternalArgoCD"])
}

// The platform and the programs are told the versions of the published chart whose contract this chart implements, whatever the values install.
func TestA13VersionsOfTheContract(t *testing.T) {
	t.Parallel()
	const runtimeVersion, chartVersion = "0.1.72", "0.30.0"
	objects := published(t, map[string]string{"argo-cd.global.image.tag": `"v3.3.11"`})
	settings := data(t, objects, "codefresh-cm")
	assert.Equal(t, [2]any{runtimeVersion, runtimeVersion}, [2]any{settings["version"], settings["bootstrapRevision"]})
	var components []struct{ Name, Version string }
	require.NoError(t, yaml.Unmarshal([]byte(settings["components"].(string)), &components))
	told := map[string]string{}
	for _, component := range components {
		assert.NotEmpty(t, component.Version, component.Name)
		told[component.Name] = component.Version
	}
	assert.Len(t, told, len(components), "one entry per component")
	assert.Subset(t, told, map[string]string{
		"internal-router": runtimeVersion, "workflow-reporter": runtimeVersion,
		"argocd": "v3.4.6", "argo-workflows": "v3.6.7-cap-CF-2129", "codefresh-tunnel-client": "d922170",
	})
	assert.Equal(t, chartVersion, environment(t, objects, "Deployment", "cap-app-proxy", "cap-app-proxy")["CHART_VERSION"])
	for name, container := range map[string]string{"cap-app-proxy": "cap-app-proxy", "gitops-operator": "manager", "cluster-event-reporter": "cluster-event-reporter"} {
		attributes := environment(t, objects, "Deployment", name, container)["OTEL_RESOURCE_ATTRIBUTES"]
		assert.Contains(t, attributes, ",cf.gitops.runtime.version="+runtimeVersion+",cf.gitops.runtime.chart.version="+chartVersion, name)
	}
}

// Addresses and names that other values must not change, as in the published chart.
func TestA14NamesAndAddresses(t *testing.T) {
	t.Parallel()
	objects := published(t, map[string]string{
		"app-proxy.config.argoWorkflowsUrl":          `"http://elsewhere:2746"`,
		"gitops-operator.serviceAccount.annotations": `{"a": "b"}`,
		"redis": `{"enabled": true, "fullnameOverride": "my-redis"}`,
	})
	assert.Equal(t, "http://argo-server.codefresh.svc.cluster.local:2746", environment(t, objects, "Deployment", "gitops-operator", "manager")["ARGO_WF_URL"])
	assert.Equal(t, map[string]string{"a": "b"}, render.Find(objects, "ServiceAccount", "promotion-template").GetAnnotations())
	assert.Contains(t, data(t, objects, "codefresh-cm")["components"], "name: my-redis\n")
	assert.Equal(t, "my-redis", render.Find(objects, "Deployment", "my-redis").GetLabels()["app.kubernetes.io/part-of"])
}

// The replicated Redis of the published chart has its names, its immutable fields and its clients, also with an external Argo CD.
func TestB1ReplicatedRedis(t *testing.T) {
	t.Parallel()
	for _, argoCD := range []string{"true", "false"} {
		objects := published(t, map[string]string{
			"redis-ha.enabled": "true", "redis-ha.hardAntiAffinity": "false", "redis-ha.redis.config": `{"save": "\"\"", "maxmemory": "1gb"}`,
			"app-proxy.replicaCount": "2", "argo-cd.enabled": argoCD,
		})
		for kindName, want := range map[[2]string]map[string]any{
			{"StatefulSet", "runtime-redis-ha-server"}: {"app": "runtime-redis", "release": "cf"},
			{"Deployment", "runtime-redis-ha-haproxy"}: {"app": "runtime-redis-haproxy", "release": "cf"},
		} {
			found := render.Find(objects, kindName[0], kindName[1])
			require.NotNil(t, found, kindName)
			spec := found.Object["spec"].(map[string]any)
			assert.Equal(t, map[string]any{"matchLabels": want}, spec["selector"], kindName)
			assert.EqualValues(t, 3, spec["replicas"], kindName)
		}
		server := render.Find(objects, "StatefulSet", "runtime-redis-ha-server")
		assert.Equal(t, "runtime-redis-ha", server.Object["spec"].(map[string]any)["serviceName"])
		assert.Equal(t, "runtime-redis-ha", pod(t, *server).ServiceAccountName)
		for _, name := range []string{"runtime-redis-ha", "runtime-redis-ha-announce-0", "runtime-redis-ha-announce-2", "runtime-redis-ha-haproxy"} {
			assert.NotNil(t, render.Find(objects, "Service", name), name)
		}
		assert.Contains(t, data(t, objects, "runtime-redis-ha")["config.sh"], "'maxmemory 1gb'")
		assert.Contains(t, data(t, objects, "codefresh-cm")["components"], "- name: runtime-redis-ha\n")
		const address = "runtime-redis-ha-haproxy.codefresh.svc.cluster.local"
		assert.Equal(t, address, environment(t, objects, "Deployment", "cap-app-proxy", "cap-app-proxy")["CACHE_HOST"])
		assert.Equal(t, address+":6379", data(t, objects, "cluster-event-reporter-cmd-params-cm")["redis.server"])
	}
}

// The settings of one event reporter replace those that both share.
func TestB2SettingsOfOneReporter(t *testing.T) {
	t.Parallel()
	const path = "event-reporters.runtime-event-reporter."
	objects := published(t, map[string]string{
		path + "image.tag": `"t3"`, path + "replicaCount": "4", path + "config": `{"log.level": "warn"}`, path + "imagePullSecrets": `[{"name": "pull"}]`,
		path + "serviceAccount": `{"name": "rsa", "annotations": {"a": "b"}}`, path + "pdb.minAvailable": "1", path + "service.ports.http.port": "81",
		path + "serviceMonitor.enabled": "true", path + "enabled": "false", "global.event-reporters.image.tag": `"t2"`,
	})
	found := render.Find(objects, "Deployment", "runtime-event-reporter")
	require.NotNil(t, found)
	spec := pod(t, *found)
	assert.Equal(t, "quay.io/codefresh/cf-argocd-extras:t3", spec.Containers[0].Image)
	assert.EqualValues(t, 4, found.Object["spec"].(map[string]any)["replicas"])
	assert.Equal(t, "rsa", spec.ServiceAccountName)
	assert.Equal(t, []corev1.LocalObjectReference{{Name: "pull"}}, spec.ImagePullSecrets)
	assert.Equal(t, "warn", data(t, objects, "runtime-event-reporter-cmd-params-cm")["log.level"])
	assert.Equal(t, map[string]string{"a": "b"}, render.Find(objects, "ServiceAccount", "rsa").GetAnnotations())
	assert.NotNil(t, render.Find(objects, "ServiceMonitor", "runtime-event-reporter"))
	components := data(t, objects, "codefresh-cm")["components"].(string)
	assert.Contains(t, components, "- name: runtime-event-reporter\n  version: t3\n")
	assert.Contains(t, components, "- name: cluster-event-reporter\n  version: t2\n")
	assert.Equal(t, "quay.io/codefresh/cf-argocd-extras:t2", pod(t, *render.Find(objects, "Deployment", "cluster-event-reporter")).Containers[0].Image)
}

// The values of the published chart for high availability render as they are; a constraint with the labels of the older program gets those of argo-gateway.
func TestB3ValuesForHighAvailability(t *testing.T) {
	t.Parallel()
	spread := func(label string) string {
		return `[{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app.kubernetes.io/component": "` + label + `"}}}]`
	}
	objects := published(t, map[string]string{
		"cf-argocd-extras.sourcesServer":                           `{"hpa": {"enabled": true, "minReplicas": 2}, "pdb": {"enabled": true, "minAvailable": 1}}`,
		"cf-argocd-extras.sourcesServer.topologySpreadConstraints": spread("sources-server"),
		"cf-argocd-extras.eventReporter.topologySpreadConstraints": spread("event-reporter"),
		"event-reporters.workflow.sensor":                          `{"replicas": 2, "affinity": {"podAntiAffinity": {}}}`,
		"argo-cd.redis-ha":                                         `{"enabled": true, "image": {"repository": "ecr-public.aws.com/docker/library/redis", "tag": "8.2.2-alpine"}}`,
		"app-proxy.replicaCount":                                   "2",
		"global.topologySpreadConstraints":                         `[{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule"}]`,
		"argo-workflows.controller":                                `{"replicas": 2, "pdb": {"enabled": true, "minAvailable": 1}}`,
	})
	constraints := pod(t, *render.Find(objects, "Deployment", "argo-gateway")).TopologySpreadConstraints
	require.Len(t, constraints, 1)
	assert.Equal(t, map[string]string{"app.kubernetes.io/name": "argo-gateway", "app.kubernetes.io/instance": "cf"}, constraints[0].LabelSelector.MatchLabels)
	autoscaler := render.Find(objects, "HorizontalPodAutoscaler", "argo-gateway").Object["spec"].(map[string]any)
	assert.EqualValues(t, 2, autoscaler["minReplicas"])
}

// installer.skipUsageValidation reaches the program that checks the limits.
func TestB4SkipUsageValidation(t *testing.T) {
	t.Parallel()
	secret := render.Find(published(t, map[string]string{"installer.skipUsageValidation": "true"}), "Secret", "validate-values")
	require.NotNil(t, secret)
	encoded, _, err := unstructured.NestedString(secret.Object, "data", "values.yaml")
	require.NoError(t, err)
	text, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	assert.Contains(t, string(text), "\n  skipUsageValidation: true\n")
}

// The documented form of internal-router.routing replaces the targets of the two routes; any other key is an additional route.
func TestB5RoutingOfTheRouter(t *testing.T) {
	t.Parallel()
	for title, test := range map[string]struct {
		routing string
		has     []string
		lacks   string
	}{
		"targets": {`{"workflows": {"enabled": true, "internalUrl": "https://wf:2746/"}, "app-proxy": {"internalUrl": "http://ap.other:3017"}}`,
			[]string{"set $target https://wf.codefresh.svc.cluster.local:2746;", "set $target http://ap.other.svc.cluster.local:3017;"}, "location workflows"},
		"no workflows": {`{"workflows": {"enabled": false}}`, []string{"set $target http://cap-app-proxy.codefresh.svc.cluster.local:3017;"}, "location /workflows"},
		"a route":      {`{"/more": "http://more:1"}`, []string{"location /more {", "set $target http://more:1;", "location /workflows/ {"}, "location app-proxy"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			config := data(t, published(t, map[string]string{"internal-router.routing": test.routing}), "internal-router-config")["nginx.conf"].(string)
			for _, line := range test.has {
				assert.Contains(t, config, line)
			}
			assert.NotContains(t, config, test.lacks)
		})
	}
}

// What frpc can do of the tunnel's values is honored, and an address list that it would lose is refused.
func TestB6ValuesOfTheTunnel(t *testing.T) {
	t.Parallel()
	objects := published(t, map[string]string{
		"tunnel-client.tunnel.forwardTo":                        `{"type": "http", "host": "internal-router", "port": 80, "location": "/app-proxy,/webhooks"}`,
		"tunnel-client.tunnelServer.authorization.secretKeyRef": `{"name": "t", "key": "k"}`,
		"tunnel-client.tunnelServer.tls":                        "true",
	})
	config := data(t, objects, "codefresh-tunnel-client-config")["frpc.ini"]
	assert.Contains(t, config, "\nlocations = /app-proxy,/webhooks\nlocal_ip = internal-router\nlocal_port = 80\nips_allow_list = \n")
	assert.Equal(t, "Secret/t/k", environment(t, objects, "Deployment", "codefresh-tunnel-client", "tunnel-client")["AUTHORIZATION"])

	addresses := map[string]string{"tunnel-client.tunnel.ipsAllowList": `"10.0.0.0/8"`}
	require.ErrorContains(t, render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, SetJSON: addresses}.Try(t), "MOD204: tunnel-client.tunnel.ipsAllowList restricts")
	maps.Copy(addresses, map[string]string{"tunnel-client.image": `{"registry": "quay.io", "repository": "codefresh/frpc", "tag": "cace4c0"}`})
	objects = published(t, addresses)
	assert.Contains(t, data(t, objects, "codefresh-tunnel-client-config")["frpc.ini"], "\nips_allow_list = 10.0.0.0/8\n")
	spec := pod(t, *render.Find(objects, "Deployment", "codefresh-tunnel-client"))
	assert.Equal(t, "quay.io/codefresh/frpc:cace4c0", spec.Containers[0].Image)
	assert.Empty(t, spec.Containers[0].Args, "the image's own entry point")
	assert.Nil(t, spec.Containers[0].SecurityContext)

	err := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, SetJSON: map[string]string{"tunnel-client.tunnelServer.tls": "false"}}.Try(t)
	require.ErrorContains(t, err, "tunnelServer/tls")
}

// Without an autoscaler, argo-gateway has the number of pods that the value names, and names that the published chart ignores change nothing.
func TestModesGatewayReplicasAndNames(t *testing.T) {
	t.Parallel()
	objects := published(t, map[string]string{
		"argo-gateway": `{"hpa": {"enabled": false}, "replicaCount": 3}`, "nameOverride": `"x"`, "fullnameOverride": `"y"`,
		"gitops-operator": `{"nameOverride": "on", "fullnameOverride": "op"}`,
	})
	assert.EqualValues(t, 3, render.Find(objects, "Deployment", "argo-gateway").Object["spec"].(map[string]any)["replicas"])
	assert.NotNil(t, render.Find(objects, "Deployment", "gitops-operator"))
}

// Keys without an effect are accepted, and a reference may be optional.
func TestB9KeysOfThePublishedChart(t *testing.T) {
	t.Parallel()
	objects := published(t, map[string]string{
		"gitops-operator.libraryMode": "false", "tunnel-client.libraryMode": "true", "cf-argocd-extras.externalRedis": `{"host": "h"}`,
		"global.codefresh.userToken": `{"token": "", "secretKeyRef": {"name": "u", "key": "k", "optional": true}}`,
	})
	from := reference(t, objects, "cap-app-proxy", "cap-app-proxy", "USER_TOKEN")
	require.NotNil(t, from.Optional)
	assert.Equal(t, "u/k true", from.Name+"/"+from.Key+" "+map[bool]string{true: "true", false: "false"}[*from.Optional])
}

// app-proxy writes the runtime's token into codefresh-token, so the user's cannot be there.
func TestRow12ReservedSecret(t *testing.T) {
	t.Parallel()
	set := map[string]string{"global.codefresh.userToken": `{"token": "", "secretKeyRef": {"name": "codefresh-token", "key": "token"}}`}
	err := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, SetJSON: set}.Try(t)
	require.ErrorContains(t, err, "TOK108: The user token cannot be in the Secret codefresh-token")
}
