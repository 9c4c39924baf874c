package install

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestImageSets(t *testing.T) {
	for reference, want := range map[string][]string{
		"registry:5000/a/b:v1":            {"i.registry=", "i.repository=registry:5000/a/b", "i.tag=v1", "i.digest="},
		"registry:5000/a/b:v1@sha256:abc": {"i.registry=", "i.repository=registry:5000/a/b", "i.tag=v1", "i.digest=sha256:abc"},
		"registry:5000/a/b":               {"i.registry=", "i.repository=registry:5000/a/b", "i.tag=", "i.digest="},
	} {
		assert.Equal(t, want, ImageSets("i", reference), reference)
	}
}
