package security

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

func TestWeak(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]bool{
		"--insecure=true": true, "--insecure=false": false, "insecureSkipVerify=true": true, "insecureSkipVerify=false": false, "server.insecure=true": true,
		"--kubelet-insecure-tls=true": true, "SKIP_TLS_VERIFY=1": true, "SKIP_TLS_VERIFY=0": false, "GIT_SSL_NO_VERIFY=true": true, "tls_skip_verify=true": true,
		"repo.server.plaintext=true": true, "repo.server.plaintext=false": false, "reposerver.disable.tls=true": true, "allowHttp=true": true, "insecure=": false,
		"--secure=false": true, "--secure=true": false, "tls_verify=off": true, "ssl_verify=true": false, "verifyTls=false": true, "NODE_TLS_REJECT_UNAUTHORIZED=0": true,
		"NODE_TLS_REJECT_UNAUTHORIZED=1": false, "repo.server.strict.tls=false": true, "sslmode=disable": true, "sslMode=require": false, "useSSL=false": true,
		"replicas=0": false, "securityContext=false": false, "verbose=true": false,
	} {
		name, value, _ := strings.Cut(setting, "=")
		assert.Equal(t, want, weak(name, value), setting)
	}
}

func TestUnprotectedFindsEverySpelling(t *testing.T) {
	t.Parallel()
	object := document(t, `kind: Deployment
metadata: {name: d, annotations: {nginx/proxy-ssl-verify: "off"}}
spec:
  skipVerify: true
  containers:
  - args: [--insecure, --secure=false, --tls-verify=true, --url=http://b.ns.svc.cluster.local:80/x]
    env: [{name: NODE_TLS_REJECT_UNAUTHORIZED, value: "0"}, {name: URL, value: "https://a"}, {name: A_INSECURE, valueFrom: {configMapKeyRef: {name: a, key: b}}}]
data:
  config.toml: |
    tlsVerify = false
    target = "http://$name.$space.svc.cluster.local"
  config.yaml: |
    list:
      - insecureSkipTLSVerify: true
`).Object
	got := unprotected(object)
	slices.Sort(got)
	assert.Equal(t, []string{
		"--insecure=true", "--secure=false", "NODE_TLS_REJECT_UNAUTHORIZED=0", "http://$name", "http://b:80", "insecureSkipTLSVerify=true", "skipVerify=true", "tlsVerify=false",
	}, slices.DeleteFunc(got, func(name string) bool { return strings.HasPrefix(name, "nginx/") }))
	assert.Contains(t, unprotected(object), "nginx/proxy-ssl-verify=off")
	object.SetKind("CustomResourceDefinition")
	assert.Empty(t, unprotected(object))
}

// No chart, with its defaults or any of its example values, disables TLS or its verification or uses plain HTTP without a reason in
// tests/security/tls.yaml.
func TestSecurityReview12NothingDisablesVerificationSilently(t *testing.T) {
	t.Parallel()
	why, err := reasons()
	require.NoError(t, err)
	root, err := gomodule.Root()
	require.NoError(t, err)
	charts, err := filepath.Glob(filepath.Join(root, "charts", "*", "values.yaml"))
	require.NoError(t, err)
	require.Greater(t, len(charts), 5)
	for _, path := range charts {
		chart := filepath.Base(filepath.Dir(path))
		for _, name := range examples(t, filepath.Join(root, "charts", chart, "ci")) {
			t.Run(chart+" "+name, func(t *testing.T) {
				t.Parallel()
				of := render.Release{Chart: chart}
				if name != "" {
					of.Files = []string{name}
				}
				if _, err := of.Text(t); err != nil && name == "" {
					return // it cannot be installed with its defaults
				}
				for _, object := range of.Objects(t) {
					for _, name := range unprotected(&object) {
						assert.NotEmpty(t, why[name], "%s/%s has %s: remove it, or explain in tests/security/tls.yaml why it is not protected by TLS", object.GetKind(), object.GetName(), name)
					}
				}
			})
		}
	}
}

// examples returns the names of the values files of a folder, and the defaults, which have no name.
func examples(t *testing.T, folder string) []string {
	t.Helper()
	names := []string{""}
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, file := range files {
		if name, ok := strings.CutSuffix(file.Name(), "-values.yaml"); ok {
			names = append(names, name)
		}
	}
	return names
}

func TestUnreasoned(t *testing.T) {
	t.Parallel()
	var found ordered[weakness]
	found.at("insecure=true").objects = []string{"ConfigMap/a"}
	found.at("http://b").objects = []string{"ConfigMap/b"}
	assert.Equal(t, []string{
		"insecure=true (ConfigMap/a): explain in tests/security/tls.yaml why it is not protected by TLS",
		"tests/security/tls.yaml has a reason for gone=true, which no object has",
	}, unreasoned(found, map[string]string{"http://b": "why", "gone=true": "why"}))
}
