package imageregistry

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
	"gitops-runtime/tests/e2e/docker"
	"gitops-runtime/tests/e2e/internal/process"
)

func TestTheImageIsNamedByItsSource(t *testing.T) {
	image := func(text string) string {
		name, err := Registry{Root: testkit.Folder(t, map[string]string{"tests/e2e/cmd/registry/main.go": text})}.image()
		require.NoError(t, err)
		return name
	}
	assert.Equal(t, image("package a"), image("package a"))
	assert.NotEqual(t, image("package a"), image("package b"))
	assert.Regexp(t, "^gitops-runtime/registry:[0-9a-f]{12}$", image("package a"))
	root := t.TempDir()
	_, err := Registry{Root: root}.image()
	assert.ErrorContains(t, err, root+" is not a checkout of this repository: ")
}

func TestStopRemovesTheContainer(t *testing.T) {
	var calls []string
	run := func(_ context.Context, c process.Command) (string, error) {
		calls = append(calls, c.String())
		return "", nil
	}
	require.NoError(t, Registry{Engine: docker.At("", run)}.Stop(context.Background()))
	assert.Equal(t, []string{"docker rm --force --volumes gitops-runtime-registry"}, calls)
}
