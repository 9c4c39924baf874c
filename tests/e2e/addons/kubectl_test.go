package addons_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/standin/certs"
)

// scripted returns a kubectl that appends its arguments to the file calls, writes its input to the file input, and runs body.
func scripted(t *testing.T, body string) (addons.Kubectl, string) {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "kubectl")
	script := "#!/bin/sh\nfolder=$(dirname \"$0\")\necho \"$*\" >>\"$folder/calls\"\ncat >>\"$folder/input\"\n" + body + "\n"
	require.NoError(t, os.WriteFile(program, []byte(script), 0o700)) //nolint:gosec // it is run
	return addons.Kubectl{Path: program, Kubeconfig: "/the/kubeconfig"}, folder
}

func content(t *testing.T, parts ...string) string {
	t.Helper()
	document, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return string(document)
}

func TestApplyWaitsForDefinitions(t *testing.T) {
	t.Parallel()
	kubectl, folder := scripted(t, "")
	definitions, err := addons.Definitions()
	require.NoError(t, err)
	require.Equal(t, []string{
		"CustomResourceDefinition /backendtlspolicies.gateway.networking.k8s.io", "CustomResourceDefinition /gatewayclasses.gateway.networking.k8s.io",
		"CustomResourceDefinition /gateways.gateway.networking.k8s.io", "CustomResourceDefinition /grpcroutes.gateway.networking.k8s.io",
		"CustomResourceDefinition /httproutes.gateway.networking.k8s.io", "CustomResourceDefinition /referencegrants.gateway.networking.k8s.io",
	}, names(definitions))
	require.NoError(t, kubectl.Apply(t.Context(), definitions[:1], time.Minute))
	require.Equal(t, `--kubeconfig /the/kubeconfig apply --server-side --force-conflicts --field-manager=gitops-runtime-tests -f -
--kubeconfig /the/kubeconfig wait --for=condition=Established crd/backendtlspolicies.gateway.networking.k8s.io --timeout 1m0s
`, content(t, folder, "calls"))
}

func TestApplyAndDelete(t *testing.T) {
	t.Parallel()
	kubectl, folder := scripted(t, "")
	chosen := options(t)
	chosen.Ingress = true
	objects, err := addons.Objects(chosen)
	require.NoError(t, err)
	require.NoError(t, kubectl.Apply(t.Context(), objects, time.Minute))
	require.Equal(t, `--kubeconfig /the/kubeconfig apply --server-side --force-conflicts --field-manager=gitops-runtime-tests -f -
--kubeconfig /the/kubeconfig rollout status deployment/platform --namespace platform --timeout 1m0s
--kubeconfig /the/kubeconfig rollout status deployment/git-server --namespace platform --timeout 1m0s
--kubeconfig /the/kubeconfig rollout status deployment/traefik --namespace traefik --timeout 1m0s
`, content(t, folder, "calls"))
	var given struct {
		Kind  string           `json:"kind"`
		Items []map[string]any `json:"items"`
	}
	require.NoError(t, json.Unmarshal([]byte(content(t, folder, "input")), &given))
	require.Equal(t, "List", given.Kind)
	require.Len(t, given.Items, len(objects))

	require.NoError(t, os.Remove(filepath.Join(folder, "calls")))
	require.NoError(t, kubectl.Delete(t.Context(), objects, time.Minute))
	require.Equal(t, "--kubeconfig /the/kubeconfig delete --ignore-not-found --wait --timeout 1m0s -f -\n", content(t, folder, "calls"))
}

// Errors contain kubectl's message and no part of the objects.
func TestApplyFails(t *testing.T) {
	t.Parallel()
	kubectl, _ := scripted(t, "echo 'error: connection refused' >&2; exit 1")
	objects, err := addons.Objects(options(t))
	require.NoError(t, err)
	require.EqualError(t, kubectl.Apply(t.Context(), objects, time.Minute),
		"applying the stand-ins: kubectl apply --server-side --force-conflicts --field-manager=gitops-runtime-tests -f -: exit status 1: error: connection refused")
}

// The error says what the pods that are not ready wrote, and the last warnings.
func TestApplyTimesOut(t *testing.T) {
	t.Parallel()
	kubectl, _ := scripted(t, `case "$*" in
*rollout*git-server*) echo 'error: timed out' >&2; exit 1 ;;
*'get pods'*) printf 'platform-1 1/1 Running 0 5m\ngit-server-1 0/1 Error 5 5m\n' ;;
*'get events'*) echo 'git-server-1 BackOff back-off restarting failed container' ;;
*logs*) echo 'git-server: git is missing' ;;
esac`)
	objects, err := addons.Objects(options(t))
	require.NoError(t, err)
	require.EqualError(t, kubectl.Apply(t.Context(), objects, time.Minute),
		`waiting for git-server: kubectl rollout status deployment/git-server --namespace platform --timeout 1m0s: exit status 1: error: timed out
git-server-1 0/1 Error 5 5m
git-server: git is missing

git-server-1 BackOff back-off restarting failed container`)
}

func TestTLSOfACluster(t *testing.T) {
	t.Parallel()
	good, err := certs.New(addons.ServerNames()...)
	require.NoError(t, err)
	lacking, err := certs.New("platform.example.com")
	require.NoError(t, err)
	secret := func(bundle certs.Bundle) string {
		document, err := json.Marshal(map[string]any{"data": map[string][]byte{"ca.crt": bundle.CA, "tls.crt": bundle.Cert, "tls.key": bundle.Key}})
		require.NoError(t, err)
		return "echo '" + string(document) + "'"
	}
	tests := map[string]struct {
		body string
		kept bool
	}{
		"good": {secret(good), true}, "a name is lacking": {secret(lacking), false}, "none": {"", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kubectl, folder := scripted(t, test.body)
			bundle, err := kubectl.TLS(t.Context())
			require.NoError(t, err)
			require.Equal(t, test.kept, string(bundle.CA) == string(good.CA))
			require.True(t, bundle.Covers(time.Now(), addons.ServerNames()...))
			require.Equal(t, "--kubeconfig /the/kubeconfig get secret platform-tls --namespace platform --ignore-not-found -o json\n", content(t, folder, "calls"))
		})
	}
}

func TestKubectlEndsWithItsContext(t *testing.T) {
	t.Parallel()
	kubectl, _ := scripted(t, "exec sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := kubectl.TLS(ctx)
	require.ErrorContains(t, err, "looking for the TLS front's certificates: kubectl get secret")
}
