// Package kubectlname sets the name of a program to that of a kubectl plugin if it runs as one.
package kubectlname

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Set sets the name of a command in its help and errors to "kubectl NAME" if the file that was started is named like the kubectl plugin NAME: kubectl
// runs kubectl-validate_values as `kubectl validate-values`.
// https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#names-with-dashes-and-underscores
func Set(command *cobra.Command, started string) {
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
