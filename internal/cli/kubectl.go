package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// SetPluginName sets the name of a command in its help and errors to "kubectl NAME" if the file that was started is named like the kubectl plugin NAME: kubectl
// runs kubectl-validate_values as `kubectl validate-values`.
// https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#names-with-dashes-and-underscores
func SetPluginName(command *cobra.Command, started string) {
	file := strings.TrimSuffix(filepath.Base(started), ".exe")
	plugin, found := strings.CutPrefix(file, "kubectl-")
	if !found || strings.ReplaceAll(plugin, "_", "-") != command.Name() {
		return
	}
	if command.Annotations == nil {
		command.Annotations = map[string]string{}
	}
	command.Annotations[cobra.CommandDisplayNameAnnotation] = "kubectl " + command.Name()
}
