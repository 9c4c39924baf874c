package cli_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/cli"
)

func TestRefuseFlagFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("--skip=RUN102", nil, 0o600))
	require.NoError(t, os.Symlink("nowhere", "-o"))
	const end = " is a flag and also a file in this directory; write -- before the names of files, or "
	assert.EqualError(t, cli.RefuseFlagFiles([]string{"a.yaml", "--skip=RUN102"}), "--skip=RUN102"+end+"./--skip=RUN102 for the file, or remove the file")
	assert.EqualError(t, cli.RefuseFlagFiles([]string{"-o", "short"}), "-o"+end+"./-o for the file, or remove the file")
	for _, args := range [][]string{{"--", "--skip=RUN102"}, {"-", "--strict", "./--skip=RUN102"}, nil} {
		assert.NoError(t, cli.RefuseFlagFiles(args), args)
	}
}
