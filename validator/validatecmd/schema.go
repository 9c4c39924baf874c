package validatecmd

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/outfile"
)

const schemaDescription = `Prints one JSON schema of the chart's values with those of every chart that it depends on, for editors: descriptions, defaults, and what is
refused. A values file names it in its first line:

  # yaml-language-server: $schema=gitops-runtime.values.schema.json`

func schemaCommand(system System) *cobra.Command {
	var options Options
	var output string
	command := &cobra.Command{
		Use: "schema", Short: "Print the schema of all values, for editors", Long: schemaDescription, Args: cobra.NoArgs,
		Example: "  validate-values schema -o gitops-runtime.values.schema.json",
		RunE: func(command *cobra.Command, _ []string) error {
			chart, err := options.chart(command.Context(), system)
			if err == nil && chart == nil {
				err = errors.New("there is no chart here; name one with --chart")
			}
			if err != nil {
				return usage(err)
			}
			text, err := system.Schema(chart)
			if err != nil {
				return usage(err)
			}
			if output == "" {
				return show(system.Out, string(text))
			}
			if err := outfile.Write(output, text, os.FileMode(0o644)); err != nil {
				return broken(fmt.Errorf("write the schema: %w", err))
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&options.Chart, "chart", "", "chart directory, .tgz file or oci:// reference (default: charts/gitops-runtime in this or a parent directory, otherwise the built-in chart)")
	flags.StringVar(&options.ChartVersion, "version", "", "required version of the chart, or version to pull from the registry (default there: the newest release)")
	flags.StringVarP(&output, "output", "o", "", "file to write the schema to (default: standard output)")
	if system.Registries != nil {
		system.Registries.Register(flags)
	}
	return command
}

// Schema creates one schema of a chart's values and those of its dependencies.
type Schema func(chart *helmchart.Chart) ([]byte, error)
