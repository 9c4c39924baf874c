package render_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/tests/render"
)

// installPage is the page of the platform's documentation that contains all snippets of Helm, values and kubectl:
// https://codefresh.io/docs/docs/installation/gitops/hybrid-gitops-helm-installation/ ; the pages "GitOps Runtimes", "Hosted GitOps Runtime
// installation", "Codefresh for GitOps" and "Codefresh Runtimes" contain none.
const installPage = "Install GitOps Runtime: "

// tunnelFlags are the flags of the page's first command, to which other snippets add flags.
const tunnelFlags = "global.codefresh.accountId=5f9d1e2b3c4d5e6f7a8b9c0d global.codefresh.userToken.token=api-key global.runtime.name=codefresh"

// snippet is a snippet of the documentation, with values for its placeholders.
type snippet struct {
	release, namespace string
	set                string // set are the assignments of --set, separated by spaces.
	values             string // values is the content of a values file.
	holds              func(t *testing.T, objects []render.Object)
}

// snippets returns the snippets that install, by heading. Other tests cover the rest: see TestSnippetsAreAllHere.
func snippets() map[string]snippet {
	return map[string]snippet{
		"tunnel-based install chart command": {set: tunnelFlags, holds: func(t *testing.T, objects []render.Object) {
			t.Helper()
			require.NotNil(t, render.Find(objects, "Deployment", "codefresh-tunnel-client"))
			assert.Equal(t, "https://5f9d1e2b3c4d5e6f7a8b9c0d-codefresh.tunnels.cf-cd.com", setting(t, objects, "codefresh-cm", "ingressHost"))
			assert.Equal(t, "api-key", secretValue(t, objects, "codefresh-user-token", "token"))
		}},
		"ingress-based install chart command": {
			set: "global.codefresh.userToken.token=api-key global.runtime.name=codefresh global.runtime.ingress.enabled=true " +
				"global.runtime.ingress.hosts[0]=runtime.example.com global.runtime.ingress.className=nginx",
			holds: func(t *testing.T, objects []render.Object) {
				t.Helper()
				ingress, err := render.As[networkingv1.Ingress](render.Find(objects, "Ingress", "codefresh-gitops-runtime"))
				require.NoError(t, err)
				assert.Equal(t, "nginx", *ingress.Spec.IngressClassName)
				assert.Equal(t, "runtime.example.com", ingress.Spec.Rules[0].Host)
				assert.Nil(t, render.Find(objects, "Deployment", "codefresh-tunnel-client"))
			},
		},
		"service-mesh-based install command": {
			set: "global.codefresh.userToken.token=api-key global.runtime.name=codefresh global.runtime.ingressUrl=https://runtime.example.com " +
				"global.runtime.ingress.enabled=false tunnel-client.enabled=false",
			holds: func(t *testing.T, objects []render.Object) {
				t.Helper()
				assert.Equal(t, "https://runtime.example.com", setting(t, objects, "codefresh-cm", "ingressHost"))
				assert.Empty(t, render.Names(objects, "Ingress", "HTTPRoute"))
				assert.Nil(t, render.Find(objects, "Deployment", "codefresh-tunnel-client"))
			},
		},
		"install via Terraform": {
			release: "my-codefresh-runtime", namespace: "my-codefresh-runtime", set: strings.ReplaceAll(tunnelFlags, "name=codefresh", "name=from-terraform"),
			holds: func(t *testing.T, objects []render.Object) {
				t.Helper()
				assert.Equal(t, "https://5f9d1e2b3c4d5e6f7a8b9c0d-from-terraform.tunnels.cf-cd.com", setting(t, objects, "codefresh-cm", "ingressHost"))
				assert.Equal(t, "my-codefresh-runtime", render.Find(objects, "ConfigMap", "codefresh-cm").GetNamespace())
			},
		},
		"disable global validation, in the command":     {set: tunnelFlags + " installer.skipValidation=true", holds: noHook},
		"disable global validation, in the values file": {set: tunnelFlags, values: "installer:\n  skipValidation: true\n", holds: noHook},
		"disable ingress validation, in the command":    {set: tunnelFlags + " global.runtime.ingress.skipValidation=true", holds: hookSkipsIngress},
		"disable ingress validation, in the values file": {
			set: tunnelFlags, values: "global:\n  runtime:\n    ingress:\n      skipValidation: true\n", holds: hookSkipsIngress,
		},
		"disable validation for custom or fine-grained Git tokens": {
			set: tunnelFlags, values: "app-proxy:\n  config:\n    skipGitPermissionValidation: \"true\"\n", holds: func(t *testing.T, objects []render.Object) {
				t.Helper()
				assert.Equal(t, "true", setting(t, objects, "cap-app-proxy-cm", "skipGitPermissionValidation"))
				assert.Equal(t, "true", hookValues(t, objects)["app-proxy"].(map[string]any)["config"].(map[string]any)["skipGitPermissionValidation"])
			},
		},
		"custom repository certificates": {
			set:    tunnelFlags,
			values: "global:\n  codefresh:\n    tls:\n      caCerts:\n        secret:\n          create: true\n          content: |\n            -----BEGIN CERTIFICATE-----\n            ...\n            -----END CERTIFICATE-----\n",
			holds: func(t *testing.T, objects []render.Object) {
				t.Helper()
				assert.Equal(t, "-----BEGIN CERTIFICATE-----\n...\n-----END CERTIFICATE-----\n", secretValue(t, objects, "codefresh-tls-certs", "ca-bundle.crt"))
			},
		},
		"custom repository certificates, an existing Secret": {
			set:    tunnelFlags,
			values: "global:\n  codefresh:\n    tls:\n      caCerts:\n        secretKeyRef:\n          name: my-certificate-secret\n          key: ca-bundle.crt\n",
			holds: func(t *testing.T, objects []render.Object) {
				t.Helper()
				assert.Nil(t, render.Find(objects, "Secret", "codefresh-tls-certs"))
				proxy, err := render.As[appsv1.Deployment](render.Find(objects, "Deployment", "cap-app-proxy"))
				require.NoError(t, err)
				var secrets []string
				for _, volume := range proxy.Spec.Template.Spec.Volumes {
					if volume.Secret != nil {
						secrets = append(secrets, volume.Secret.SecretName)
					}
				}
				assert.Contains(t, secrets, "my-certificate-secret")
			},
		},
		// both troubleshooting pages refer to the log of this Job
		"kubectl logs jobs/validate-values": {set: tunnelFlags, holds: func(t *testing.T, objects []render.Object) {
			t.Helper()
			_, err := render.As[batchv1.Job](render.Find(objects, "Job", "validate-values"))
			require.NoError(t, err)
		}},
	}
}

// Every snippet of the documentation works unchanged.
func TestSnippetsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	for name, snippet := range snippets() {
		t.Run(installPage+name, func(t *testing.T) {
			t.Parallel()
			release := render.Release{Chart: "gitops-runtime", Name: snippet.release, Namespace: snippet.namespace, Set: map[string]string{}}
			if release.Name == "" {
				release.Name = "cf-gitops-runtime"
			}
			for assignment := range strings.FieldsSeq(snippet.set) {
				path, value, _ := strings.Cut(assignment, "=")
				release.Set[path] = value
			}
			if snippet.values != "" {
				file := filepath.Join(t.TempDir(), "values.yaml")
				require.NoError(t, os.WriteFile(file, []byte(snippet.values), 0o600))
				release.Values = []string{file}
			}
			snippet.holds(t, release.Objects(t))
		})
	}
}

// The page has 14 snippets. snippets() contains 10 of them, and two variants: an alternative from a comment of the page, and the valid form of the
// snippet that TestTheSnippetThatIsNotYAML tests. TestTheCommandOfTheDocumentation in validator/validatecmd tests `cf helm validate`.
// `kubectl version` and the removal of another Argo Rollouts do not use this chart.
func TestSnippetsAreAllHere(t *testing.T) {
	t.Parallel()
	assert.Len(t, snippets(), 12)
}

// The page shows installer.skipValidation in one line, which is not valid YAML: Helm and validate-values report the line.
func TestTheSnippetThatIsNotYAML(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, []byte("installer: skipValidation: true\n"), 0o600))
	_, err := helmvalues.Load(t.Context(), helmvalues.Options{Files: []string{file}})
	require.ErrorContains(t, err, "line 1")
	require.ErrorContains(t, err, "mapping values are not allowed")
}

func noHook(t *testing.T, objects []render.Object) {
	t.Helper()
	assert.Nil(t, render.Find(objects, "Job", "validate-values"))
	assert.NotNil(t, render.Find(objects, "Deployment", "cap-app-proxy"))
}

func hookSkipsIngress(t *testing.T, objects []render.Object) {
	t.Helper()
	runtime := hookValues(t, objects)["global"].(map[string]any)["runtime"].(map[string]any)
	assert.Equal(t, true, runtime["ingress"].(map[string]any)["skipValidation"])
}

// setting returns the value of a key in a ConfigMap.
func setting(t *testing.T, objects []render.Object, name, key string) string {
	t.Helper()
	settings, err := render.As[corev1.ConfigMap](render.Find(objects, "ConfigMap", name))
	require.NoError(t, err, name)
	return settings.Data[key]
}

// secretValue returns the decoded value of a key in a Secret.
func secretValue(t *testing.T, objects []render.Object, name, key string) string {
	t.Helper()
	secret, err := render.As[corev1.Secret](render.Find(objects, "Secret", name))
	require.NoError(t, err, name)
	return string(secret.Data[key]) + secret.StringData[key]
}

// hookValues returns the values that the hook's checks read.
func hookValues(t *testing.T, objects []render.Object) map[string]any {
	t.Helper()
	values := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(secretValue(t, objects, "validate-values", "values.yaml")), &values))
	return values
}
