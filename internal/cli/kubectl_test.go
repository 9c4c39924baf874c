package cli_test

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/cli"
)

func TestSetPluginName(t *testing.T) {
	for _, test := range []struct{ started, usage, below string }{
		{"/root/.krew/bin/kubectl-validate_values", "kubectl validate-values FILE", "kubectl validate-values explain"},
		{"kubectl-validate_values.exe", "kubectl validate-values FILE", "kubectl validate-values explain"},
		{"/usr/local/bin/kubectl-validate-values", "kubectl validate-values FILE", "kubectl validate-values explain"},
		{"/usr/local/bin/validate-values", "validate-values FILE", "validate-values explain"},
		{"kubectl-values", "validate-values FILE", "validate-values explain"},
		{"", "validate-values FILE", "validate-values explain"},
	} {
		command := &cobra.Command{Use: "validate-values FILE", DisableFlagsInUseLine: true}
		below := &cobra.Command{Use: "explain"}
		command.AddCommand(below)
		cli.SetPluginName(command, test.started)
		require.Equal(t, test.usage, command.UseLine(), test.started)
		require.Equal(t, test.below, below.CommandPath(), test.started)
	}
}
