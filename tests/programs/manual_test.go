package programs

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	images "gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/cli"
	values "gitops-runtime/validator/validatecmd"
)

func TestManual(t *testing.T) {
	folder := t.TempDir()
	programs := func() []*cobra.Command {
		return []*cobra.Command{values.Command(values.Process("")), images.Command(images.Streams{Out: io.Discard, Err: io.Discard})}
	}
	require.NoError(t, cli.WriteManual(folder, time.Unix(0, 0).UTC(), programs()...))
	page, err := os.ReadFile(filepath.Join(folder, "man", "validate-values.1"))
	require.NoError(t, err)
	require.Contains(t, string(page), `.TH "VALIDATE-VALUES" "1" "Jan 1970" "gitops-runtime" "Commands"`)
	require.Contains(t, string(page), "validate-values-explain(1)")
	for _, name := range []string{"image-override.1", "image-override-generate.1", "image-override-mirror.1", "validate-values-explain.1"} {
		require.FileExists(t, filepath.Join(folder, "man", name))
	}
	for _, program := range []string{"validate-values", "image-override"} {
		for _, ending := range []string{"bash", "zsh", "fish", "ps1"} {
			text, err := os.ReadFile(filepath.Join(folder, "completions", program+"."+ending))
			require.NoError(t, err)
			require.Contains(t, string(text), program)
		}
		output, err := exec.CommandContext(t.Context(), "bash", "-n", filepath.Join(folder, "completions", program+".bash")).CombinedOutput()
		require.NoError(t, err, string(output))
	}

	again := t.TempDir()
	require.NoError(t, cli.WriteManual(again, time.Unix(0, 0).UTC(), programs()...))
	second, err := os.ReadFile(filepath.Join(again, "man", "validate-values.1"))
	require.NoError(t, err)
	require.Equal(t, strings.Count(string(page), "\n"), strings.Count(string(second), "\n"))
	require.Equal(t, string(page), string(second), "the same sources produce other pages")
}
