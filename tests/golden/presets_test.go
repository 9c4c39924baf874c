package golden_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/golden"
	"gitops-runtime/validator/validatecmd"
)

// Every values file of ci/, including the presets of ingress controllers and meshes, renders objects that are valid by the schemas of Kubernetes
// and the controllers, and has no findings of the checks that need only values.
func TestValuesFilesOfCI(t *testing.T) {
	t.Parallel()
	loaded, root := chart(t)
	validator := validator(t)
	folder := filepath.Join(root, "charts", "gitops-runtime")
	files, err := filepath.Glob(filepath.Join(folder, "ci", "*-values.yaml"))
	require.NoError(t, err)
	for _, preset := range []string{"nginx", "nginx-f5", "traefik", "istio", "aws-alb", "aks", "gke", "ambassador"} {
		require.Contains(t, files, filepath.Join(folder, "ci", preset+"-values.yaml"))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			documents, err := loaded.Documents(golden.Case{Name: filepath.Base(file), Files: []string{filepath.Join("ci", filepath.Base(file))}})
			require.NoError(t, err)
			assert.Empty(t, validator.Validate(golden.Text(documents)))
			assert.Empty(t, findings(folder, file))
		})
	}
}

// findings returns the output lines of validate-values about the values; the platform is not available to the test.
func findings(folder, file string) []string {
	var out bytes.Buffer
	validatecmd.Main(context.Background(), []string{
		"-f", file, "-n", golden.Namespace, "--no-cluster", "-o", "short", "--chart", folder, "--set", "global.codefresh.url=https://nothing.invalid",
	}, validatecmd.System{Out: &out, Err: &out, Version: "0.1.0", Now: time.Now, Getenv: func(string) string { return "" }})
	var lines []string
	for line := range strings.SplitSeq(out.String(), "\n") {
		for _, codes := range []string{"SCH", "MOD1", "MOD2", "MOD3", "MOD6", "MOD8", "RUN", "validate-values:"} {
			if strings.Contains(line, codes) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// Each preset renders the settings of its ingress controller or mesh.
func TestPresets(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	for _, test := range []struct {
		preset, object string
		contains       []string
	}{
		{"nginx", "Ingress codefresh-gitops-runtime", []string{"ingressClassName: nginx", `nginx.ingress.kubernetes.io/proxy-buffering: "off"`}},
		{"nginx-f5", "Ingress codefresh-gitops-runtime", []string{"ingressClassName: nginx", "nginx.org/websocket-services: internal-router"}},
		{"traefik", "Ingress codefresh-gitops-runtime", []string{"ingressClassName: traefik", "traefik.ingress.kubernetes.io/router.entrypoints: websecure"}},
		{"aws-alb", "Ingress codefresh-gitops-runtime", []string{"ingressClassName: alb", "alb.ingress.kubernetes.io/target-type: ip"}},
		{"aks", "Ingress codefresh-gitops-runtime", []string{"ingressClassName: azure-application-gateway", "appgw.ingress.kubernetes.io/health-probe-path: /healthz"}},
		{"gke", "HealthCheckPolicy internal-router", []string{"requestPath: /healthz", "name: internal-router"}},
		{"gke", "GCPBackendPolicy internal-router", []string{"timeoutSec: 3600"}},
		{"istio", "VirtualService codefresh-gitops-runtime", []string{"- istio-ingress/public", "- runtime.example.com", "host: internal-router.codefresh.svc.cluster.local", "prefix: /app-proxy"}},
		{"ambassador", "Mapping codefresh-gitops-runtime-app-proxy", []string{"hostname: runtime.example.com", "prefix: /app-proxy", "rewrite: /app-proxy", "service: internal-router.codefresh:80", "- websocket"}},
		{"ambassador", "Mapping codefresh-gitops-runtime-workflows", []string{"prefix: /workflows"}},
		{"mesh-route", "HTTPRoute codefresh-gitops-runtime", []string{"kind: Service", "value: /webhooks"}},
	} {
		documents, err := loaded.Documents(golden.Case{Name: test.preset, Files: []string{"ci/" + test.preset + "-values.yaml"}})
		require.NoError(t, err)
		at := slices.IndexFunc(documents, func(d golden.Document) bool { return d.Key() == test.object })
		require.GreaterOrEqual(t, at, 0, "%s renders no %s", test.preset, test.object)
		for _, text := range test.contains {
			assert.Contains(t, documents[at].Text, text, test.preset)
		}
	}
}

// global.runtime.meshRoute is rejected in access modes other than mesh.
func TestMeshRouteElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, []byte("global: {runtime: {meshRoute: {kind: VirtualService}}}\n"), 0o600))
	relative, err := filepath.Rel(loaded.Folder(), file)
	require.NoError(t, err)
	_, err = loaded.Release(golden.Case{Name: "refused", Files: []string{"ci/tunnel-values.yaml", relative}})
	require.ErrorContains(t, err, fmt.Sprintf("global.runtime.meshRoute.kind is %s, but the access mode is tunnel", "VirtualService"))
}
