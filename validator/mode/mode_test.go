package mode_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/mode"
)

func TestChoose(t *testing.T) {
	cases := []struct {
		values string
		mode   mode.Mode
		url    string
	}{
		{"{}", mode.Tunnel, ""},
		{"global: {codefresh: {accountId: acc1}, runtime: {name: local}}", mode.Tunnel, "https://acc1-local.tunnels.cf-cd.com"},
		{"{global: {codefresh: {accountId: acc1}, runtime: {name: local}}, tunnel-client: {tunnelServer: {subdomainHost: t.local}}}", mode.Tunnel, "https://acc1-local.t.local"},
		{"global: {runtime: {ingress: {enabled: true, hosts: [a.b, c.d]}}}", mode.Ingress, "https://a.b"},
		{"global: {runtime: {ingress: {enabled: true, protocol: http, hosts: [a.b]}}}", mode.Ingress, "http://a.b"},
		{"global: {runtime: {ingress: {enabled: true}}}", mode.Ingress, ""},
		{"global: {runtime: {ingress: {enabled: true, hosts: [1]}}}", mode.Ingress, ""},
		{"global: {runtime: {ingress: {enabled: true}, httpRoute: {enabled: true, hostnames: [a.b]}}}", mode.Ingress, ""},
		{"global: {runtime: {httpRoute: {enabled: true, hostnames: [a.b]}}}", mode.Gateway, "https://a.b"},
		{"{global: {runtime: {ingressUrl: https://mesh/}}, tunnel-client: {enabled: false}}", mode.Mesh, "https://mesh"},
		{"global: {runtime: {ingressUrl: https://mesh/}}", mode.Tunnel, ""},
		{"tunnel-client: {enabled: false}", mode.None, ""},
	}
	for _, c := range cases {
		tree := map[string]any{}
		require.NoError(t, yaml.Unmarshal([]byte(c.values), &tree))
		got, url := mode.Choose(helmvalues.New(tree)), mode.URL(helmvalues.New(tree))
		assert.Equal(t, c.mode, got, c.values)
		assert.Equal(t, c.url, url, c.values)
	}
}
