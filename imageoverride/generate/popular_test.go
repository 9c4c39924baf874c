//go:build !race

// The race detector learns nothing from these tests: they do one thing after the other.

package generate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/helmvalues"
)

// TestPopularStyles: charts in the styles of common publishers are complete, with their defaults and with everything enabled.
func TestPopularStyles(t *testing.T) {
	cases := []struct {
		chart   string
		sources []string // with everything enabled
	}{
		// a common library with registry, repository, tag and digest; a subchart of the same publisher
		{"database", []string{
			"docker.io/publisher/cache-sentinel:7.4.1-debian-12-r0", "docker.io/publisher/cache:7.4.1", "docker.io/publisher/database-exporter:0.16.0",
			"docker.io/publisher/database:17.2.0-debian-12-r1", "docker.io/publisher/os-shell:12-debian-12-r34",
		}},
		// one map of images, looked up by name
		{"mesh", []string{
			"ghcr.io/mesh/debug:v1.17.0", "ghcr.io/mesh/init:v2.4", "quay.io/mesh/agent:v1.17.0", "quay.io/mesh/proxy:v1.33.1-1766", "quay.io/mesh/relay:v0.13", "quay.io/mesh/ui:v0.13",
		}},
		// image: repository:tag
		{"storage", []string{
			"docker.io/library/busybox:1.36", "docker.io/storage/driver:v1.15.5", "quay.io/csi/plugin:v3.12.2",
			"registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.11.1", "registry.k8s.io/sig-storage/csi-provisioner:v5.0.1", "registry.k8s.io/sig-storage/nfsplugin:v4.9.0",
		}},
		// a separate registry with a common default
		{"policy", []string{
			"docker.io/bitnami/kubectl:1.30.2", "ghcr.io/policy/cli:v1.13.2", "ghcr.io/policy/engine:v1.13.2", "ghcr.io/policy/pre:v1.13.2", "ghcr.io/policy/reports:v1.13.2", "registry.k8s.io/kube-webhook:v1.5",
		}},
		// global.imageRegistry over several charts
		{"metrics", []string{
			"docker.io/curlimages/curl:8.9.1", "docker.io/grafana/grafana:11.3.0", "quay.io/brancz/kube-rbac-proxy:v0.18.1", "quay.io/kiwigrid/k8s-sidecar:1.28.0",
			"quay.io/prometheus-operator/prometheus-config-reloader:v0.77.1", "quay.io/prometheus-operator/prometheus-operator:v0.77.1",
			"quay.io/prometheus/node-exporter:v1.8.2", "quay.io/prometheus/prometheus:v2.54.1", "quay.io/thanos/thanos:v0.36.1",
			"registry.k8s.io/ingress-nginx/kube-webhook-certgen:v20221220-controller-v1.5.1-58-g787ea74b6",
		}},
		// an operator with images in its environment
		{"broker", []string{
			"docker.io/broker/exporter:1.9.0", "quay.io/broker/bridge:0.31.1", "quay.io/broker/operator:0.45.0", "quay.io/broker/server:0.45.0-server-3.8.0",
			"quay.io/broker/server:0.45.0-server-3.9.0", "registry.access.redhat.com/ubi9/ubi-minimal:9.5",
		}},
	}
	for _, test := range cases {
		t.Run(test.chart, func(t *testing.T) {
			chart := "../testdata/popular/" + test.chart
			for _, strategy := range []mapping.Strategy{mapping.HostPrefix, mapping.Flat} {
				result, err := generate.Run(context.Background(), generate.Options{Chart: chart, Registry: private, Strategy: strategy, Everything: true})
				require.NoError(t, err)
				complete(t, result)
				var sources []string
				for _, pair := range result.Mirror {
					sources = append(sources, pair.Source)
				}
				require.Equal(t, test.sources, sources)
				for name, set := range result.Rendered {
					engine := helm(t, chart)
					said := testify(t, template(t, engine, set), template(t, engine, helmvalues.Merge(set, result.Values)), result.Mirror, nil)
					require.Empty(t, said.wrong, name)
				}
			}
		})
	}
}
