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

func TestFaults(t *testing.T) {
	t.Parallel()
	for want, do := range map[string]func(*Cluster, context.Context) error{
		"exec gitops-runtime-control-plane pkill --signal STOP --exact kube-apiserver": func(c *Cluster, ctx context.Context) error { return c.Freeze(ctx, "kube-apiserver") },
		"exec gitops-runtime-control-plane pkill --signal CONT --exact kube-apiserver": func(c *Cluster, ctx context.Context) error { return c.Thaw(ctx, "kube-apiserver") },
		"restart gitops-runtime-control-plane":                                         (*Cluster).Restart,
	} {
		var ran string
		var fails error
		cluster := &Cluster{Engine: docker.At("", func(_ context.Context, c process.Command) (string, error) {
			ran = strings.Join(c.Args, " ")
			return "", fails
		})}
		require.NoError(t, do(cluster, t.Context()))
		assert.Equal(t, want, ran)
		fails = errors.New("no such process")
		require.ErrorIs(t, do(cluster, t.Context()), fails)
	}
}
