package kindcluster

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/docker"
	"gitops-runtime/tests/e2e/internal/process"
)

const listedImages = `REF                TYPE                     DIGEST       SIZE    PLATFORMS   LABELS
registry:5000/a:1  application/vnd.manifest sha256:old   1.0 MiB linux/amd64 io.cri-containerd.image=managed
registry:5000/b:1  application/vnd.manifest sha256:same  1.0 MiB linux/amd64 io.cri-containerd.image=managed
registry:5000/c:1  application/vnd.manifest sha256:other 1.0 MiB linux/amd64 io.cri-containerd.image=managed
`

func TestForget(t *testing.T) {
	for name, test := range map[string]struct {
		digests map[string]string
		fails   error
		removed string
		err     string
	}{
		"outdated":        {map[string]string{"registry:5000/a:1": "sha256:new", "registry:5000/b:1": "sha256:same"}, nil, "registry:5000/a:1", ""},
		"up to date":      {map[string]string{"registry:5000/b:1": "sha256:same"}, nil, "", ""},
		"not in the node": {map[string]string{"registry:5000/d:1": "sha256:new"}, nil, "", ""},
		"no node":         {nil, errors.New("no such container"), "", "list the images of the node: no such container"},
	} {
		t.Run(name, func(t *testing.T) {
			removed := ""
			run := func(_ context.Context, c process.Command) (string, error) {
				if at := slices.Index(c.Args, "remove"); at >= 0 {
					removed = strings.Join(c.Args[at+1:], " ")
					return "", nil
				}
				return listedImages, test.fails
			}
			c := &Cluster{Engine: docker.At("", run)}
			err := c.Forget(t.Context(), test.digests)
			if test.err != "" {
				require.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.removed, removed)
		})
	}
}

func TestForgetRegistry(t *testing.T) {
	listed := listedImages + "sha256:1            application/vnd.manifest sha256:old   1.0 MiB linux/amd64 -\nelsewhere/d:1       application/vnd.manifest sha256:else  1.0 MiB linux/amd64 -\n"
	for host, want := range map[string]string{
		"registry:5000": "remove --sync registry:5000/a:1 registry:5000/b:1 registry:5000/c:1 sha256:1",
		"elsewhere":     "remove --sync elsewhere/d:1",
		"else":          "",
	} {
		removed := ""
		run := func(_ context.Context, c process.Command) (string, error) {
			if at := slices.Index(c.Args, "remove"); at >= 0 {
				removed = strings.Join(c.Args[at:], " ")
			}
			return listed, nil
		}
		require.NoError(t, (&Cluster{Engine: docker.At("", run)}).ForgetRegistry(t.Context(), host))
		assert.Equal(t, want, removed)
	}
	c := &Cluster{Engine: docker.At("", func(context.Context, process.Command) (string, error) { return "", errors.New("no such container") })}
	require.EqualError(t, c.ForgetRegistry(t.Context(), "registry:5000"), "list the images of the node: no such container")
}
