package migrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/cli"
	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/internal/valueschema"
)

const description = `Rewrites a values file of the published chart gitops-runtime 0.24 to 0.30, or of the community's chart of an Argo project, for the chart
of this project: what has another name here moves, what has no effect here goes, and the rest stays as it is, comments included. "unchanged" is the same
value with the same effect; "differs" is the same value with another effect, and says which.

The new file is printed, and the report, one line for each value, goes to standard error. Migrating again changes nothing.

The new file is checked against the schema of the chart built into this program. If the chart rejects a value, the report names its line and the fix,
and the exit code is 3.`

const examples = `  validate-values migrate values.yaml -o new-values.yaml
  validate-values migrate values.yaml --in-place
  validate-values migrate argo-cd-values.yaml --chart argo-cd > new-values.yaml`

type options struct {
	umbrella      func(context.Context) (*helmchart.Chart, error)
	chart, output string
	inPlace       bool
	changes       bool
}

const exitUsage = 2

// ExitUnsettled is the exit code if the chart rejects values of the new file.
const ExitUnsettled = 3

// Command returns the command `validate-values migrate`. The chart is the umbrella chart, whose schemas the new file has to pass; failed turns an error
// into one with an exit code.
func Command(in io.Reader, chart func(context.Context) (*helmchart.Chart, error), failed func(exit int, err error) error) *cobra.Command {
	o := options{umbrella: chart}
	command := &cobra.Command{
		Use: "migrate FILE", Short: "Rewrite a values file of the published chart or of a community chart", Long: description, Example: examples,
		SilenceUsage: true, SilenceErrors: true,
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) != 1 {
				return failed(exitUsage, errors.New("migrate takes one values file; see validate-values migrate --help"))
			}
			unsettled, err := o.run(command.Context(), args[0], in, command.OutOrStdout(), command.ErrOrStderr())
			switch {
			case err != nil:
				return failed(exitUsage, err)
			case unsettled > 0:
				return failed(ExitUnsettled, fmt.Errorf("the chart rejects the new file: fix what the report calls unsettled (%d)", unsettled))
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.chart, "chart", umbrella, "chart that the values are for: "+strings.Join(Charts(), ", "))
	cli.Complete(command, "chart", Charts())
	flags.StringVarP(&o.output, "output", "o", "", "file to write the new values to (default: standard output)")
	flags.BoolVar(&o.inPlace, "in-place", false, "write the new values to FILE")
	flags.BoolVar(&o.changes, "changes", false, "report only changes")
	return command
}

// run migrates a file and returns the number of values that the chart rejects in the new one.
func (o options) run(ctx context.Context, file string, in io.Reader, out, report io.Writer) (unsettled int, err error) {
	if o.inPlace && (o.output != "" || file == "-") {
		return 0, errors.New("--in-place requires a FILE and cannot be combined with --output")
	}
	obsolete, err := Of(o.chart)
	if err != nil {
		return 0, fmt.Errorf("--chart: %w; there are %s", err, strings.Join(Charts(), ", "))
	}
	text, err := read(ctx, file, in)
	if err != nil {
		return 0, err
	}
	migrated, changes, err := File(text, obsolete)
	if err != nil {
		return 0, fmt.Errorf("values file %s: %w", file, err)
	}
	whole, err := o.umbrella(ctx)
	if err != nil {
		return 0, err
	}
	part, err := partOf(whole, o.chart)
	if err != nil {
		return 0, err
	}
	rejected, doubtful, err := Check(ctx, migrated, part, &valueschema.Cache{})
	if err != nil {
		return 0, err
	}
	if len(rejected) > 0 {
		plain, unquoted, err := unquote(migrated, rejected)
		if err != nil {
			return 0, err
		}
		if rejected, doubtful, err = Check(ctx, plain, part, nil); err != nil {
			return 0, err
		}
		migrated, changes = plain, replaced(changes, unquoted)
	}
	if o.chart == umbrella {
		if changes, err = differ(changes, migrated); err != nil {
			return 0, err
		}
	}
	if o.inPlace {
		o.output = file
	}
	if err := o.write(migrated, out); err != nil {
		return 0, err
	}
	return len(rejected), o.report(settle(changes, rejected, doubtful), report)
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
	if info, err := os.Stat(file); file != "-" && err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("values file %s: it is not a regular file; pipe it to standard input, and name -", file)
	}
	if _, err := helmvalues.Load(ctx, reading); err != nil {
		return nil, err
	}
	if file == "-" {
		return reading.Text, nil
	}
	text, err := os.ReadFile(file) // it was just read, within the limit
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

// longest is the maximum number of characters of a line of the report, which quotes names of values.
const longest = 1000

// report writes one line for each value, unsettled values first and unchanged ones last.
func (o options) report(changes []Change, out io.Writer) error {
	count := map[Verdict]int{}
	var lines strings.Builder
	say := func(format string, args ...any) {
		lines.WriteString(cleantext.Line(cleantext.Cut(fmt.Sprintf(format, args...), longest)) + "\n")
	}
	for _, change := range changes {
		count[change.Verdict]++
		switch {
		case change.Line > 0:
			say("%-10s line %d: %s", change.Verdict, change.Line, change.Reason)
		case change.Verdict == Moved:
			say("moved      %s to %s: %s", change.Path, joined(change.To), change.Reason)
		case change.Verdict != Unchanged:
			say("%-10s %s: %s", change.Verdict, change.Path, change.Reason)
		case !o.changes:
			say("unchanged  %s", change.Path)
		}
	}
	fmt.Fprintf(&lines, "%d moved, %d dropped, %d unchanged", count[Moved], count[Dropped], count[Unchanged])
	for _, verdict := range []Verdict{Unquoted, Differs, Doubtful, Unsettled} {
		if count[verdict] > 0 {
			fmt.Fprintf(&lines, ", %d %s", count[verdict], verdict)
		}
	}
	_, err := fmt.Fprintln(out, lines.String())
	return err
}

func joined(paths []dropped.Path) string {
	var words []string
	for _, path := range paths {
		words = append(words, path.String())
	}
	return strings.Join(words, " and ")
}
