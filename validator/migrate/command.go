package migrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/outfile"
)

const description = `Rewrites a values file of the published chart gitops-runtime 0.24 to 0.30, or of the community's chart of an Argo project, for the chart
of this project: what has another name here moves, what has no effect here goes, and the rest stays as it is, comments included.

The new file is printed, and the report, one line for each value, goes to standard error. Migrating again changes nothing.`

const examples = `  validate-values migrate values.yaml -o new-values.yaml
  validate-values migrate values.yaml --in-place
  validate-values migrate argo-cd-values.yaml --chart argo-cd > new-values.yaml`

type options struct {
	chart, output string
	inPlace       bool
	changes       bool
}

// Command returns the command `validate-values migrate`; failed turns an error into a usage error.
func Command(in io.Reader, failed func(error) error) *cobra.Command {
	var o options
	command := &cobra.Command{
		Use: "migrate FILE", Short: "Rewrite a values file of the published chart or of a community chart", Long: description, Example: examples,
		SilenceUsage: true, SilenceErrors: true,
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) != 1 {
				return failed(errors.New("migrate takes one values file; see validate-values migrate --help"))
			}
			if err := o.run(command.Context(), args[0], in, command.OutOrStdout(), command.ErrOrStderr()); err != nil {
				return failed(err)
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.chart, "chart", umbrella, "chart that the values are for: "+strings.Join(Charts(), ", "))
	flags.StringVarP(&o.output, "output", "o", "", "file to write the new values to (default: standard output)")
	flags.BoolVar(&o.inPlace, "in-place", false, "write the new values to FILE")
	flags.BoolVar(&o.changes, "changes", false, "report only changes")
	return command
}

func (o options) run(ctx context.Context, file string, in io.Reader, out, report io.Writer) error {
	if o.inPlace && (o.output != "" || file == "-") {
		return errors.New("--in-place requires a FILE and cannot be combined with --output")
	}
	obsolete, err := Of(o.chart)
	if err != nil {
		return fmt.Errorf("--chart: %w; there are %s", err, strings.Join(Charts(), ", "))
	}
	text, err := read(ctx, file, in)
	if err != nil {
		return err
	}
	migrated, changes, err := File(text, obsolete)
	if err != nil {
		return fmt.Errorf("values file %s: %w", file, err)
	}
	if o.inPlace {
		o.output = file
	}
	if err := o.write(migrated, out); err != nil {
		return err
	}
	return o.report(changes, report)
}

// read returns the text of a file that Helm can read as values.
func read(ctx context.Context, file string, in io.Reader) ([]byte, error) {
	reading := helmvalues.Options{Files: []string{file}, In: in}
	if file == "-" {
		text, err := reading.Input(ctx)
		if err != nil {
			return nil, err
		}
		reading.Text = append([]byte{}, text...)
	}
	if _, err := helmvalues.Load(ctx, reading); err != nil {
		return nil, err
	}
	if file == "-" {
		return reading.Text, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("values file %s cannot be read", file)
	}
	return text, nil
}

func (o options) write(text []byte, out io.Writer) error {
	if o.output == "" {
		_, err := out.Write(text)
		return err
	}
	mode := os.FileMode(0o600) // values may contain secrets
	if info, err := os.Stat(o.output); err == nil {
		mode = info.Mode().Perm()
	}
	return outfile.Write(o.output, text, mode)
}

// report writes one line for each value, changed values first.
func (o options) report(changes []Change, out io.Writer) error {
	count := map[Verdict]int{}
	var lines strings.Builder
	for _, change := range changes {
		count[change.Verdict]++
		switch {
		case change.Verdict == Moved:
			fmt.Fprintf(&lines, "moved      %s to %s: %s\n", change.Path, change.To, change.Reason)
		case change.Verdict == Dropped:
			fmt.Fprintf(&lines, "dropped    %s: %s\n", change.Path, change.Reason)
		case !o.changes:
			fmt.Fprintf(&lines, "unchanged  %s\n", change.Path)
		}
	}
	_, err := fmt.Fprintf(out, "%s%d moved, %d dropped, %d unchanged\n", lines.String(), count[Moved], count[Dropped], count[Unchanged])
	return err
}
