package kubeconfig_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster/kubeconfig"
)

const config = `{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: k, user: u, namespace: mine}}],
  clusters: [{name: k, cluster: {server: "http://127.0.0.1:1"}}], users: [{name: u, user: {token: t}}]}`

func TestConnect(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	_, namespace, err := kubeconfig.Connect(file, "")
	require.NoError(t, err)
	assert.Equal(t, "mine", namespace)
}

func TestConnectErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	cases := map[string]struct{ file, context, want string }{
		"no such context": {file, "other", "kubeconfig: unknown context \"other\"; `kubectl config get-contexts` lists them"},
		"no such file":    {file + "x", "", "kubeconfig " + file + "x: no such file"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			_, _, err := kubeconfig.Connect(test.file, test.context)
			assert.EqualError(t, err, test.want)
		})
	}
}
