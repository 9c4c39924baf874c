package pins

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestWalk(t *testing.T) {
	var values any
	require.NoError(t, yaml.Unmarshal([]byte(`
image: {repository: quay.io/a/b, tag: ""}
sidecar: {image: {registry: docker.io, repository: c/d, tag: "2"}}
versions: [{natsImage: docker.io/library/nats:2}]
exporter: {image: ghcr.io/e/f, tag: "3"}
source: {repository: https://git.example/x}
help: see quay.io/a
`), &values))
	assert.ElementsMatch(t, []string{"quay.io/a/b:v1", "docker.io/c/d:2", "docker.io/library/nats:2", "ghcr.io/e/f:3"}, walk(values, "v1"))
}
