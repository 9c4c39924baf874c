package install

import (
	"context"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/e2e/addons"
)

// nginx is the image of the TLS fronts and of the gateway of a mesh.
const nginx = "docker.io/nginxinc/nginx-unprivileged:1.31.7-alpine3.24"

// tunnelServer renders charts/tunnel-server for the platform's namespace; target returns the private reference of a public image.
func (l *Local) tunnelServer(ctx context.Context, target func(string) string) ([]*unstructured.Unstructured, error) {
	sets := []string{
		"fullnameOverride=" + addons.TunnelServer,
		"subdomainHost=" + addons.SubdomainHost,
		"tls.secretName=platform-tls",
		"plugin.url=" + addons.PluginURL,
	}
	sets = append(sets, ImageSets("image", target("ghcr.io/fatedier/frps:v0.70.0"))...)
	sets = append(sets, ImageSets("front.image", target(nginx))...)
	return l.Helm.Template(ctx, Upgrade{
		Release: addons.TunnelServer, Chart: filepath.Join(l.Root, "charts", "tunnel-server"), Namespace: addons.Namespace, Sets: sets,
	})
}

// ImageSets returns the --set arguments that set the image values below path to a full reference.
func ImageSets(path, reference string) []string {
	name, digest, _ := strings.Cut(reference, "@")
	repository, tag := name, ""
	if colon := strings.LastIndex(name, ":"); colon > strings.LastIndex(name, "/") {
		repository, tag = name[:colon], name[colon+1:]
	}
	return []string{path + ".registry=", path + ".repository=" + repository, path + ".tag=" + tag, path + ".digest=" + digest}
}
