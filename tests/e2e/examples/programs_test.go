//go:build examples

package examples

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/render"
)

// program runs a program of bin in a folder and returns what it prints.
func program(t *testing.T, folder string, environment []string, name string, arguments ...string) string {
	t.Helper()
	path := filepath.Join(root(t), "bin", name)
	require.FileExists(t, path, "make test-examples builds it")
	command := exec.CommandContext(t.Context(), path, arguments...)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, "%s %v: %s%s", name, arguments, out, stderr.String())
	return string(out)
}

// registryOfExamples serves a registry under the name that the examples have, and returns the environment in which a program finds it there.
func registryOfExamples(t *testing.T) []string {
	t.Helper()
	server := httptest.NewTLSServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	require.NoError(t, server.Certificate().VerifyHostname("registry.example.com"))
	proxy := httptest.NewServer(tunnel(t, "registry.example.com:443", server.Listener.Addr().String()))
	t.Cleanup(proxy.Close)
	folder := t.TempDir()
	certificate := filepath.Join(folder, "registry.pem")
	require.NoError(t, os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	environment := []string{"HTTPS_PROXY=" + proxy.URL, "NO_PROXY=", "SSL_CERT_FILE=" + certificate, "SSL_CERT_DIR=" + folder}
	for _, variable := range []string{"HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME", "HELMFILE_CACHE_HOME"} {
		environment = append(environment, variable+"="+filepath.Join(folder, variable))
	}
	return environment
}

// tunnel returns a proxy that connects only to one host, which is an address of this machine.
func tunnel(t *testing.T, host, address string) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		if !assert.Equal(t, http.MethodConnect+" "+host, request.Method+" "+request.Host) {
			http.Error(answer, "unknown host", http.StatusBadGateway)
			return
		}
		there, err := (&net.Dialer{}).DialContext(request.Context(), "tcp", address)
		if !assert.NoError(t, err) {
			return
		}
		defer there.Close()
		here, _, err := http.NewResponseController(answer).Hijack()
		if !assert.NoError(t, err) {
			return
		}
		defer here.Close()
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(there, here)
			_ = there.Close()
		}()
		_, _ = io.Copy(here, there)
	}
}

// Helmfile pulls the chart of the example from its registry, and renders the same objects as Helm with the values of the example.
func TestHelmfileTemplate(t *testing.T) {
	t.Parallel()
	environment, folder := registryOfExamples(t), t.TempDir()
	program(t, root(t), environment, "helm", "package", filepath.Join("charts", "gitops-runtime"), "--destination", folder)
	program(t, folder, environment, "helm", "push", "gitops-runtime-"+chartVersion(t)+".tgz", "oci://registry.example.com/gitops")
	written := filepath.Join(root(t), "docs", "examples", "helmfile", "helmfile.yaml")
	run := func(arguments ...string) string {
		return program(t, folder, environment, "helmfile", append([]string{"--file", written, "--helm-binary", filepath.Join(root(t), "bin", "helm"), "--no-color"}, arguments...)...)
	}
	assert.Contains(t, run("list", "--output", "json"), `"name":"cf-gitops-runtime","namespace":"codefresh","enabled":true`)
	run("lint")
	objects, err := render.Parse(run("template", "--include-crds"))
	require.NoError(t, err)
	expected := requireRuntime(t, file(t, "helmfile/values.yaml"))
	assert.Equal(t, render.Names(expected, "Deployment", "StatefulSet", "Service", "CustomResourceDefinition"),
		render.Names(objects, "Deployment", "StatefulSet", "Service", "CustomResourceDefinition"))
	for _, object := range objects {
		if object.GetKind() == "Deployment" {
			assert.Equal(t, "codefresh", object.GetNamespace(), object.GetName())
		}
	}
}

// OpenTofu reads the example and does not change its format. The provider is not tested, because it is not available as a module.
func TestTofuReadsTheExample(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	settings := filepath.Join(folder, "tofurc")
	require.NoError(t, os.WriteFile(settings, nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.tf"), file(t, "terraform/main.tf"), 0o600))
	environment := []string{"TF_CLI_CONFIG_FILE=" + settings, "CHECKPOINT_DISABLE=1"}
	assert.Empty(t, program(t, folder, environment, "tofu", "fmt", "-check", "-diff"))
	assert.Equal(t, "\nProviders required by configuration:\n.\n└── provider[registry.opentofu.org/hashicorp/helm]\n\n",
		program(t, folder, environment, "tofu", "providers"))
}
