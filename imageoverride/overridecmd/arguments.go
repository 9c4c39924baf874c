package overridecmd

import (
	"fmt"

	"github.com/spf13/cobra"
)

// argument is a required argument of a command, with its description.
type argument struct{ name, meaning string }

var (
	chartArgument = argument{"CHART", "a chart's directory, an archive, or oci://host/path[:version]"}
	imageArgument = argument{"IMAGE", "a reference as `image-override list` shows it, or its name"}
	tableArgument = argument{"image-mirror.csv", "the table that generate wrote"}

	bundleArgument = argument{"BUNDLE", "a folder or an archive that bundle wrote"}
)

// needs returns a check for exactly these arguments, which reports a missing or superfluous one.
func needs(wanted ...argument) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		for i, one := range wanted {
			if i >= len(args) || args[i] == "" {
				return fmt.Errorf("%s is missing: %s", one.name, one.meaning)
			}
		}
		if len(args) > len(wanted) {
			return fmt.Errorf("%q is one argument too many", args[len(wanted)])
		}
		return nil
	}
}
