package artifact

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// pluginKind is the artifact type of a plugin of Helm 4, which finds the packed plugin by its title, NAME-VERSION.tgz, where NAME is the last
// part of the repository, and its provenance file by that title with .prov: https://github.com/helm/helm/blob/v4.3.0/pkg/registry/plugin.go
const pluginKind = "application/vnd.helm.plugin.v1+json"

// Plugin returns the artifact of a packed plugin whose file is called title. provenance is the content of its provenance file; nil for none.
func Plugin(title string, packed, provenance []byte, annotations map[string]string) (v1.Image, error) {
	titled := func(content []byte, title string) blob {
		return blob{content: content, kind: types.OCILayer, annotations: map[string]string{"org.opencontainers.image.title": title}}
	}
	layers := []blob{titled(packed, title)}
	if provenance != nil {
		layers = append(layers, titled(provenance, title+".prov"))
	}
	return newManifest(blob{content: []byte("{}"), kind: "application/vnd.oci.empty.v1+json"}, layers, pluginKind, nil, annotations)
}
