package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxSize is the maximum size of the program, in bytes.
const maxSize = 12_000_000

// forbidden are prefixes of import paths of libraries that a pod does not need.
var forbidden = []string{
	"github.com/docker/", "github.com/google/go-containerregistry/", "oras.land/", "k8s.io/client-go/",
	"gitops-runtime/internal/registry", "gitops-runtime/validator/local", "gitops-runtime/charts", "gitops-runtime/tests/",
}

func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func TestLinksOnlyWhatAPodNeeds(t *testing.T) {
	linked := strings.Fields(goCommand(t, "list", "-deps", "."))
	require.Contains(t, linked, "gitops-runtime/validator/validatecmd")
	for _, path := range linked {
		for _, prefix := range forbidden {
			assert.False(t, strings.HasPrefix(path, prefix), path)
		}
	}
}

// The program, built as in hack/release/image, does not exceed maxSize, and its errors about missing features refer to the full build.
func TestProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "validate-values")
	goCommand(t, "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, ".")
	info, err := os.Stat(program)
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), int64(maxSize))

	cases := map[string]struct {
		args []string
		want string
	}{
		"a chart from a registry": {
			[]string{"--chart", "oci://registry.example.com/charts/gitops-runtime", "--no-cluster", "-n", "ns"},
			"validate-values: chart oci://registry.example.com/charts/gitops-runtime: this program does not pull charts; fetch it with `helm pull` first\n",
		},
		"a kubeconfig": {
			[]string{"--kubeconfig", "config", "-n", "ns"},
			"validate-values: this build of validate-values is for pods and reads no kubeconfig; run the released program on your machine\n",
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), program, test.args...)
			command.Dir, command.Env = t.TempDir(), []string{}
			out, err := command.CombinedOutput()
			var ended *exec.ExitError
			require.ErrorAs(t, err, &ended)
			assert.Equal(t, 2, ended.ExitCode())
			assert.Equal(t, test.want, string(out))
		})
	}
}
