package runtime

import (
	"context"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/localcluster/standin/manifests"
)

// tunnelServer renders charts/tunnel-server for the platform's namespace; target gives the private reference of a public image.
func (l *Local) tunnelServer(ctx context.Context, target func(string) string) ([]*unstructured.Unstructured, error) {
	sets := []string{
		"fullnameOverride=" + manifests.TunnelServer,
		"subdomainHost=" + manifests.SubdomainHost,
		"tls.secretName=platform-tls",
		"plugin.url=" + manifests.PluginURL,
	}
	sets = append(sets, ImageSets("image", target("ghcr.io/fatedier/frps:v0.70.0"))...)
	sets = append(sets, ImageSets("front.image", target("docker.io/nginxinc/nginx-unprivileged:1.31.7-alpine3.24"))...)
	return l.Helm.Template(ctx, Upgrade{
		Release: manifests.TunnelServer, Chart: filepath.Join(l.Root, "charts", "tunnel-server"), Namespace: manifests.Namespace, Sets: sets,
	})
}

// ImageSets are the settings of the image values below path that name a full reference.
func ImageSets(path, reference string) []string {
	name, digest, _ := strings.Cut(reference, "@")
	repository, tag := name, ""
	if colon := strings.LastIndex(name, ":"); colon > strings.LastIndex(name, "/") {
		repository, tag = name[:colon], name[colon+1:]
	}
	return []string{path + ".registry=", path + ".repository=" + repository, path + ".tag=" + tag, path + ".digest=" + digest}
}
