package kindcluster

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/nodeimage"
)

func TestConfig(t *testing.T) {
	for name, test := range map[string]struct {
		ports []Port
		image string
		want  string
	}{
		"built": {Ports, "node:1", `kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
name: gitops-runtime
nodes:
  - role: control-plane
    image: node:1
    extraMounts: [{hostPath: "/cache/patches", containerPath: /kind/patches, readOnly: true}]
    kubeadmConfigPatches: ['{kind: InitConfiguration, patches: {directory: /kind/patches}}']
    extraPortMappings:
      - {containerPort: 30080, hostPort: 8080, listenAddress: 127.0.0.1}
      - {containerPort: 30443, hostPort: 8443, listenAddress: 127.0.0.1}
`},
		"upstream": {nil, nodeimage.Upstream, `kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
name: gitops-runtime
containerdConfigPatches:
  - |-
    [plugins."io.containerd.grpc.v1.cri".registry]
      config_path = "/etc/containerd/certs.d"
nodes:
  - role: control-plane
    image: kindest/node:v1.34.3
    extraMounts: [{hostPath: "/cache/patches", containerPath: /kind/patches, readOnly: true}]
    kubeadmConfigPatches: ['{kind: InitConfiguration, patches: {directory: /kind/patches}}']
`},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, config(Name, test.ports, test.image, "/cache/patches")) })
	}
}

func TestHosts(t *testing.T) {
	assert.Equal(t, `server = "http://registry:5000"

[host."http://registry:5000"]
  capabilities = ["pull", "resolve"]
`, hosts("registry:5000"))
}

func TestFingerprint(t *testing.T) {
	assert.Equal(t, fingerprint(Name, Ports, "node:1"), fingerprint(Name, Ports, "node:1"))
	assert.NotEqual(t, fingerprint(Name, Ports, "node:1"), fingerprint(Name, Ports, "node:2"))
	assert.NotEqual(t, fingerprint(Name, Ports, "node:1"), fingerprint(Name, nil, "node:1"))
	assert.NotEqual(t, fingerprint(Name, Ports, "node:1"), fingerprint("another", Ports, "node:1"))
	assert.Regexp(t, "^[0-9a-f]{16}$", fingerprint(Name, Ports, "node:1"))
}

func TestFreePorts(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := Port{Host: listener.Addr().(*net.TCPAddr).Port}
	address := fmt.Sprintf("127.0.0.1:%d", port.Host)
	assert.EqualError(t, freePorts(t.Context(), []Port{port}), "the cluster needs "+address+
		", which another program uses (listen tcp "+address+": bind: address already in use): stop that program")
	require.NoError(t, listener.Close())
	assert.NoError(t, freePorts(t.Context(), []Port{port}))
}

func TestPatchControlPlane(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "patches")
	require.NoError(t, patchControlPlane(folder))
	files, err := filepath.Glob(folder + "/*")
	require.NoError(t, err)
	assert.Len(t, files, 4)
	text, err := os.ReadFile(filepath.Join(folder, "kube-apiserver+strategic.yaml"))
	require.NoError(t, err)
	assert.Equal(t, "spec: {containers: [{name: kube-apiserver, resources: {requests: {cpu: 100m}}}]}\n", string(text))
}
