package render_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/render"
)

// valueCase sets values and names the field that they change. "|" in a path separates the field of a YAML string from a field inside it.
type valueCase struct {
	title, chart     string
	set              map[string]string
	kind, name, path string
	want             any
}

// Values have the same effect as in the community's charts.
func TestValuesChangeTheirField(t *testing.T) {
	t.Parallel()
	const dex = "url: https://dex.example.com"
	params := func(title string, set map[string]string, key string, want any) valueCase {
		return valueCase{title, "argo-cd", set, "ConfigMap", "argocd-cmd-params-cm", "data/" + key, want}
	}
	s3 := func(title string, set map[string]string, key string, want any) valueCase {
		name := "cf-argo-workflows-workflow-controller-configmap"
		return valueCase{title, "argo-workflows", set, "ConfigMap", name, "data/config|artifactRepository/s3/" + key, want}
	}
	keys := map[string]string{"artifactRepository.s3": `{"bucket": "b", "useSDKCreds": true, "accessKeySecret": {"name": "n", "key": "k"}}`}
	pod := "spec/template/spec/"
	for _, test := range []valueCase{
		{"nodeSelector replaces", "argo-cd", map[string]string{"server.nodeSelector": `{"pool": "a"}`}, "Deployment", "cf-argocd-server", pod + "nodeSelector", map[string]any{"pool": "a"}},
		{"nodeSelector of global", "argo-cd", map[string]string{"global.nodeSelector": `{"pool": "a"}`}, "Deployment", "cf-argocd-server", pod + "nodeSelector", map[string]any{"pool": "a", "kubernetes.io/os": "linux"}},
		{"workflows without any", "argo-workflows", nil, "Deployment", "cf-argo-workflows-server", pod + "nodeSelector", map[string]any{"kubernetes.io/os": "linux"}},
		{"workflows with global", "argo-workflows", map[string]string{"global.nodeSelector": `{"pool": "a"}`}, "Deployment", "cf-argo-workflows-server", pod + "nodeSelector", map[string]any{"pool": "a"}},
		{"workflows with nodeSelector", "argo-workflows", map[string]string{"server.nodeSelector": `{"pool": "a"}`}, "Deployment", "cf-argo-workflows-server", pod + "nodeSelector", map[string]any{"pool": "a"}},

		{"Dex with config", "argo-cd", map[string]string{`configs.cm.dex\.config`: `"` + dex + `"`}, "Deployment", "cf-argocd-dex-server", "spec/replicas", 1.0},
		{"Dex with nested config", "argo-cd", map[string]string{`configs.cm.dex.config`: `"` + dex + `"`}, "Deployment", "cf-argocd-dex-server", "spec/replicas", 1.0},
		{"no Dex without config", "argo-cd", nil, "Deployment", "cf-argocd-dex-server", "", absent{}},
		{"no Dex when disabled", "argo-cd", map[string]string{`configs.cm.dex\.config`: `"` + dex + `"`, "dex.enabled": "false"}, "Deployment", "cf-argocd-dex-server", "", absent{}},
		params("server finds Dex", map[string]string{`configs.cm.dex\.config`: `"` + dex + `"`}, "server.dex.server", "https://cf-argocd-dex-server:5556"),
		params("strict TLS to Dex", map[string]string{"dex.enabled": "true", "dex.certificateSecret.enabled": "true"}, "server.dex.server.strict.tls", "true"),
		params("strict TLS to the repo server", map[string]string{"repoServer.certificateSecret.enabled": "true"}, "server.repo.server.strict.tls", "true"),
		params("no strict TLS", nil, "server.repo.server.strict.tls", absent{}),
		{"quoted boolean", "argo-cd", map[string]string{`configs.cm.admin\.enabled`: `"false"`}, "ConfigMap", "argocd-cm", "data/admin.enabled", "false"},
		{"boolean", "argo-cd", map[string]string{`configs.cm.exec\.enabled`: `true`}, "ConfigMap", "argocd-cm", "data/exec.enabled", "true"},

		s3("default endpoint", map[string]string{"artifactRepository.s3": `{"bucket": "b"}`}, "endpoint", "s3.amazonaws.com"),
		s3("named endpoint", map[string]string{"artifactRepository.s3": `{"bucket": "b", "endpoint": "e"}`}, "endpoint", "e"),
		s3("keys beside useSDKCreds", keys, "accessKeySecret", absent{}),
		s3("template", map[string]string{"artifactRepository.s3": `{"bucket": "{{ .Release.Name }}-logs"}`}, "bucket", "cf-logs"),
		s3("template of Argo Workflows", map[string]string{"artifactRepository.s3": `{"bucket": "b", "keyFormat": "{{workflow.name}}/{{pod.name}}"}`}, "keyFormat", "{{workflow.name}}/{{pod.name}}"),
		s3("template in a region", map[string]string{"artifactRepository.s3": `{"bucket": "b", "region": "{{ .Release.Name }}"}`}, "region", "cf"),
		s3("template in a Secret's name", map[string]string{"useStaticCredentials": "true", "artifactRepository.s3": `{"bucket": "b", "accessKeySecret": {"name": "{{ .Release.Name }}-keys", "key": "{{ .Release.Namespace }}"}}`}, "accessKeySecret", map[string]any{"name": "cf-keys", "key": "codefresh"}),
		s3("template in an endpoint", map[string]string{"artifactRepository.s3": `{"bucket": "b", "endpoint": "minio.{{ .Release.Namespace }}:9000"}`}, "endpoint", "minio.codefresh:9000"),
		{"template in a bucket of Google", "argo-workflows", map[string]string{"artifactRepository.gcs": `{"bucket": "{{ .Release.Name }}-logs"}`}, "ConfigMap", "cf-argo-workflows-workflow-controller-configmap", "data/config|artifactRepository/gcs/bucket", "cf-logs"},
		{"template in a container of Azure", "argo-workflows", map[string]string{"artifactRepository.azure": `{"container": "{{ .Release.Name }}-logs"}`}, "ConfigMap", "cf-argo-workflows-workflow-controller-configmap", "data/config|artifactRepository/azure/container", "cf-logs"},
		{"no template in a custom repository", "argo-workflows", map[string]string{"customArtifactRepository": `{"oss": {"bucket": "{{x}}"}}`}, "ConfigMap", "cf-argo-workflows-workflow-controller-configmap", "data/config|artifactRepository/oss/bucket", "{{x}}"},
		{"list of emissary images", "argo-workflows", map[string]string{"emissary.images": "[]"}, "ConfigMap", "cf-argo-workflows-workflow-controller-configmap", "data/config|images", absent{}},

		{"template in a container", "argo-cd", map[string]string{"server.extraContainers": `[{"name": "{{ .Release.Name }}-a", "image": "a"}]`}, "Deployment", "cf-argocd-server", pod + "containers/1/name", "cf-a"},
		{"template in an init container", "argo-cd", map[string]string{"repoServer.initContainers": `[{"name": "{{ .Release.Name }}-a", "image": "a"}]`}, "Deployment", "cf-argocd-repo-server", pod + "initContainers/1/name", "cf-a"},
		{"template in an additional init container", "argo-cd", map[string]string{"controller.initContainers": `[{"name": "{{ .Release.Name }}-a", "image": "a"}]`}, "StatefulSet", "cf-argocd-application-controller", pod + "initContainers/0/name", "cf-a"},
		{"template in a container of the controller", "argo-cd", map[string]string{"controller.extraContainers": `[{"name": "{{ .Release.Name }}-a", "image": "a"}]`}, "StatefulSet", "cf-argocd-application-controller", pod + "containers/1/name", "cf-a"},
		{"template in a container of ApplicationSets", "argo-cd", map[string]string{"applicationSet.extraContainers": `[{"name": "{{ .Release.Name }}-a", "image": "a"}]`}, "Deployment", "cf-argocd-applicationset-controller", pod + "containers/1/name", "cf-a"},
		{"template in a container of notifications", "argo-cd", map[string]string{"notifications.extraContainers": `[{"name": "{{ .Release.Name }}-a", "image": "a"}]`}, "Deployment", "cf-argocd-notifications-controller", pod + "containers/1/name", "cf-a"},
		{"template in a container of Dex", "argo-cd", map[string]string{"dex.enabled": "true", "dex.extraContainers": `[{"name": "{{ .Release.Name }}-a", "image": "a"}]`}, "Deployment", "cf-argocd-dex-server", pod + "containers/1/name", "cf-a"},
		{"template in a container of Redis", "argo-cd", map[string]string{"redis.extraContainers": `[{"name": "{{ .Release.Name }}-a", "image": "a"}]`}, "Deployment", "cf-argocd-redis", pod + "containers/1/name", "cf-a"},
		{"template in a container of Rollouts", "argo-rollouts", map[string]string{"controller.extraContainers": `[{"name": "{{ .Release.Name }}-a", "image": "a"}]`}, "Deployment", "cf-argo-rollouts", pod + "containers/1/name", "cf-a"},
		{"template in a container of Workflows", "argo-workflows", map[string]string{"controller.extraContainers": `[{"name": "{{ .Release.Name }}-a", "image": "a"}]`}, "Deployment", "cf-argo-workflows-workflow-controller", pod + "containers/1/name", "cf-a"},
		{"template in an extra object", "argo-events", map[string]string{"extraObjects": `[{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "{{ .Release.Name }}-a"}, "data": {"a": "{{ .Release.Namespace }}"}}]`}, "ConfigMap", "cf-a", "data/a", "codefresh"},
		{"template in a hostname of a route", "argo-cd", map[string]string{"server.httproute.enabled": "true", "server.httproute.hostnames": `["{{ .Release.Name }}.example.com"]`}, "HTTPRoute", "cf-argocd-server", "spec/hostnames", []any{"cf.example.com"}},
		{"template in a host", "argo-cd", map[string]string{"server.ingress.enabled": "true", "server.ingress.hostname": `"argo.{{ .Values.global.domain }}"`}, "Ingress", "cf-argocd-server", "spec/rules/0/host", "argo.argocd.example.com"},
		{"template in an annotation", "argo-cd", map[string]string{"server.ingress.enabled": "true", "server.ingress.annotations": `{"a": "{{ .Release.Namespace }}"}`}, "Ingress", "cf-argocd-server", "metadata/annotations/a", "codefresh"},
		{"template in a host of workflows", "argo-workflows", map[string]string{"server.ingress.enabled": "true", "server.ingress.hosts": `["{{ .Release.Name }}.example.com"]`}, "Ingress", "cf-argo-workflows-server", "spec/rules/0/host", "cf.example.com"},

		{"load balancer of metrics", "argo-cd", map[string]string{"controller.metrics.enabled": "true", "controller.metrics.service.type": `"LoadBalancer"`, "controller.metrics.service.clusterIP": `"None"`}, "Service", "cf-argocd-application-controller-metrics", "spec/clusterIP", absent{}},
		{"headless metrics", "argo-cd", map[string]string{"controller.metrics.enabled": "true", "controller.metrics.service.clusterIP": `"None"`}, "Service", "cf-argocd-application-controller-metrics", "spec/clusterIP", "None"},
	} {
		t.Run(test.chart+" "+test.title, func(t *testing.T) {
			t.Parallel()
			objects := render.Release{Chart: test.chart, SetJSON: test.set}.Objects(t)
			assertValue(t, objects, test)
		})
	}
}

// The addresses of subcharts in the runtime's settings match the names, ports and TLS settings of the subcharts.
func TestAddressesFollowTheSubcharts(t *testing.T) {
	t.Parallel()
	config := func(title string, set map[string]string, key string, want any) valueCase {
		return valueCase{title, "gitops-runtime", set, "ConfigMap", "cap-app-proxy-cm", "data/" + key, want}
	}
	gateway := func(title string, set map[string]string, key string, want any) valueCase {
		return valueCase{title, "gitops-runtime", set, "ConfigMap", "argo-gateway-cmd-params-cm", "data/" + key, want}
	}
	const domain = ".codefresh.svc.cluster.local"
	for _, test := range []valueCase{
		config("default", nil, "argoCdUrl", "http://argo-cd-server"+domain+":80"),
		config("TLS", map[string]string{`argo-cd.configs.params.server\.insecure`: "false"}, "argoCdUrl", "https://argo-cd-server"+domain+":443"),
		config("root path", map[string]string{`argo-cd.configs.params.server\.rootpath`: `"/argo"`}, "argoCdUrl", "http://argo-cd-server"+domain+":80/argo"),
		config("port", map[string]string{"argo-cd.server.service.servicePortHttp": "8000"}, "argoCdUrl", "http://argo-cd-server"+domain+":8000"),
		config("name", map[string]string{"argo-cd.server.name": `"api"`}, "argoCdUrl", "http://argo-cd-api"+domain+":80"),
		config("release's name", map[string]string{"argo-cd.fullnameOverride": `"cd"`}, "argoCdUrl", "http://cd-server"+domain+":80"),
		config("workflows", nil, "argoWorkflowsUrl", "http://argo-server"+domain+":2746"),
		config("workflows with TLS", map[string]string{"argo-workflows.server.secure": "true"}, "argoWorkflowsUrl", "https://argo-server"+domain+":2746"),
		config("port of workflows", map[string]string{"argo-workflows.server.servicePort": "80"}, "argoWorkflowsUrl", "http://argo-server"+domain+":80"),
		config("name of workflows", map[string]string{"argo-workflows.server.name": `"api"`}, "argoWorkflowsUrl", "http://argo-api"+domain+":2746"),
		gateway("repo server", nil, "repo.server", "argo-cd-repo-server"+domain+":8081"),
		gateway("port of the repo server", map[string]string{"argo-cd.repoServer.service.port": "9000"}, "repo.server", "argo-cd-repo-server"+domain+":9000"),
		gateway("name of the repo server", map[string]string{"argo-cd.repoServer.name": `"repo"`}, "repo.server", "argo-cd-repo"+domain+":8081"),
		gateway("TLS of the server", map[string]string{`argo-cd.configs.params.server\.insecure`: "false"}, "argocd.server", "argo-cd-server"+domain+":443"),
		gateway("shared Redis", map[string]string{"argo-cd.redis-ha.enabled": "true", "argo-cd.fullnameOverride": `"cd"`, "app-proxy.replicaCount": "2"}, "redis.server", "cd-redis-ha-haproxy"+domain+":6379"),
	} {
		t.Run(test.title, func(t *testing.T) {
			t.Parallel()
			assertValue(t, render.Release{Chart: test.chart, Files: []string{"tunnel"}, SetJSON: test.set}.Objects(t), test)
		})
	}
}

// controller.workflowNamespaces adds namespaces for workflows to the release's namespace.
func TestWorkflowNamespacesAddToTheReleases(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		set  map[string]string
		want []string
	}{
		{nil, []string{"codefresh", "default"}},
		{map[string]string{"controller.workflowNamespaces": `["a", "b"]`}, []string{"a", "b", "codefresh"}},
		{map[string]string{"controller.workflowNamespaces": `["a"]`, "workflow.namespace": `"own"`}, []string{"a", "own"}},
		{map[string]string{"controller.workflowNamespaces": `["a"]`, "singleNamespace": "true"}, []string{"codefresh"}},
	} {
		var namespaces []string
		for _, object := range (render.Release{Chart: "argo-workflows", SetJSON: test.set}).Objects(t) {
			if object.GetKind() == "Role" && object.GetName() == "cf-argo-workflows-workflow" {
				namespaces = append(namespaces, object.GetNamespace())
			}
		}
		assert.ElementsMatch(t, test.want, namespaces, "%v", test.set)
	}
}

func assertValue(t *testing.T, objects []render.Object, test valueCase) {
	t.Helper()
	object := render.Find(objects, test.kind, test.name)
	if test.path == "" {
		assert.Nil(t, object, "%s/%s", test.kind, test.name)
		return
	}
	require.NotNil(t, object, "%s/%s", test.kind, test.name)
	assert.Equal(t, test.want, lookUp(t, object.Object, test.path), "%s/%s %s", test.kind, test.name, test.path)
}

// lookUp returns the value at a path of keys, and indexes or names of list items, separated by slashes, or absent; "|" follows the path of a YAML string.
func lookUp(t *testing.T, value any, path string) any {
	t.Helper()
	outer, inner, isText := strings.Cut(path, "|")
	if isText {
		text, ok := lookUp(t, value, outer).(string)
		require.True(t, ok, "%s is not a string", outer)
		var parsed any
		require.NoError(t, yaml.Unmarshal([]byte(text), &parsed))
		return lookUp(t, parsed, inner)
	}
	pointer := value
	for _, key := range strings.Split(path, "/") {
		switch within := pointer.(type) {
		case map[string]any:
			next, ok := within[key]
			if !ok {
				return absent{}
			}
			pointer = next
		case []any:
			at := slices.IndexFunc(within, func(item any) bool {
				fields, _ := item.(map[string]any)
				return fields["name"] == key
			})
			if index, err := strconv.Atoi(key); err == nil {
				at = index
			}
			if at < 0 || at >= len(within) {
				return absent{}
			}
			pointer = within[at]
		default:
			return absent{}
		}
	}
	return pointer
}
