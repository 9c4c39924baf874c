package kindcluster

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/docker"
	"gitops-runtime/tests/e2e/internal/process"
)

func TestDisk(t *testing.T) {
	t.Parallel()
	var ran []string
	var fails error
	cluster := &Cluster{Engine: docker.At("", func(_ context.Context, c process.Command) (string, error) {
		ran = append(ran, strings.Join(c.Args, " "))
		return "", fails
	})}
	disk, err := cluster.AddDisk(t.Context(), "/mnt/one", "32m")
	require.NoError(t, err)
	steps := []func(context.Context) error{disk.Fill, disk.Free, disk.Remove}
	for _, step := range steps {
		require.NoError(t, step(t.Context()))
	}
	assert.Equal(t, []string{
		"exec gitops-runtime-control-plane sh -c " + addDisk + " /mnt/one 32m",
		`exec gitops-runtime-control-plane sh -c ! cat /dev/zero > "$0/filling" 2> /dev/null /mnt/one`,
		"exec gitops-runtime-control-plane rm --force /mnt/one/filling",
		"exec gitops-runtime-control-plane umount --lazy /mnt/one",
	}, ran)
	fails = errors.New("no such directory")
	_, err = cluster.AddDisk(t.Context(), "/mnt/one", "32m")
	require.ErrorIs(t, err, fails)
	for _, step := range steps {
		require.ErrorIs(t, step(t.Context()), fails)
	}
}
