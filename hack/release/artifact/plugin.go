package artifact

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// pluginKind is the artifact type of a plugin of Helm 4, which finds the packed plugin by its title, NAME-VERSION.tgz, where NAME is the last
// part of the repository: https://github.com/helm/helm/blob/v4.3.0/pkg/registry/plugin.go
const pluginKind = "application/vnd.helm.plugin.v1+json"

// Plugin returns the artifact of a packed plugin.
func Plugin(name, version string, packed []byte, annotations map[string]string) (v1.Image, error) {
	layer := blob{content: packed, kind: types.OCILayer, annotations: map[string]string{"org.opencontainers.image.title": name + "-" + version + ".tgz"}}
	return newManifest(blob{content: []byte("{}"), kind: "application/vnd.oci.empty.v1+json"}, layer, pluginKind, nil, annotations)
}
