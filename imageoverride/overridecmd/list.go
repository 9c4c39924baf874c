package overridecmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/cli"
)

// placeholderRegistry is the registry that list and why use if none is given, since they only inspect.
const placeholderRegistry = "registry.invalid"

var columns = []string{"image", "object", "path", "values", "template", "scenario", "target"}

// origins runs the solver and returns one row per image.
func origins(command *cobra.Command, flags *chartFlags, chart string) ([]generate.Row, error) {
	given := flags.options.Registry != ""
	if !given {
		flags.options.Registry = placeholderRegistry
	}
	options, err := flags.complete(command, chart)
	if err != nil {
		return nil, err
	}
	rows, err := generate.Rows(command.Context(), options)
	if !given {
		for i := range rows {
			rows[i].Target = ""
		}
	}
	return rows, err
}

func listCommand(streams Streams) *cobra.Command {
	flags := chartFlags{extend: streams.Extend}
	var format string
	command := &cobra.Command{
		Use:   "list CHART [-f values.yaml] [--format table|json|csv]",
		Short: "List every image reference of a chart, where it is and which values produce it",
		Args:  needs(chartArgument),
		RunE: func(command *cobra.Command, args []string) error {
			write, ok := formats[format]
			if !ok {
				return usage{fmt.Errorf("--format %q is unknown; choose table, json or csv", format)}
			}
			rows, err := origins(command, &flags, args[0])
			if err != nil {
				return err
			}
			return write(streams.Out, rows)
		},
	}
	flags.register(command)
	command.Flags().StringVar(&format, "format", "table", "table, json or csv")
	cli.Complete(command, "format", []string{"table", "json", "csv"})
	return command
}

var formats = map[string]func(io.Writer, []generate.Row) error{"table": writeTable, "json": writeJSON, "csv": writeCSV}

func cells(row generate.Row) []string {
	all := []string{row.Image, row.Object, row.Path, strings.Join(row.Values, " "), row.Template, row.Scenario, row.Target}
	for i, text := range all {
		all[i] = cleantext.Line(text)
	}
	return all
}

func writeTable(out io.Writer, rows []generate.Row) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	p := printer{out: table}
	p.line("IMAGE\tOBJECT\tPATH\tVALUES")
	for _, row := range rows {
		p.line("%s", strings.Join(cells(row)[:4], "\t"))
	}
	if p.err != nil {
		return p.err
	}
	return table.Flush()
}

func writeJSON(out io.Writer, rows []generate.Row) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(rows); err != nil {
		return err
	}
	_, err := io.WriteString(out, cleantext.JSON(text.String()))
	return err
}

func writeCSV(out io.Writer, rows []generate.Row) error {
	table := csv.NewWriter(out)
	all := [][]string{columns}
	for _, row := range rows {
		all = append(all, cells(row))
	}
	return table.WriteAll(all)
}

func whyCommand(streams Streams) *cobra.Command {
	flags := chartFlags{extend: streams.Extend}
	command := &cobra.Command{
		Use:   "why CHART IMAGE [-f values.yaml]",
		Short: "Show where an image comes from: object and path, values, template",
		Args:  needs(chartArgument, imageArgument),
		RunE: func(command *cobra.Command, args []string) error {
			rows, err := origins(command, &flags, args[0])
			if err != nil {
				return err
			}
			p := printer{out: streams.Out}
			found := false
			for _, row := range rows {
				if !matches(row.Image, args[1]) {
					continue
				}
				found = true
				p.line("%s", row.Image)
				p.line("  in       %s %s (scenario %s)", row.Object, row.Path, row.Scenario)
				p.line("  because  %s", row.Rule)
				p.line("  values   %s", orNone(strings.Join(row.Values, ", ")))
				if row.Partial != "" {
					p.line("  template %s by %s%s", row.Template, row.Partial, lines(row.Lines))
					continue
				}
				p.line("  template %s%s", row.Template, lines(row.Lines))
			}
			if !found {
				return fmt.Errorf("chart %s renders no image %s with these values; `image-override list %s` shows what it renders", args[0], args[1], args[0])
			}
			return p.err
		},
	}
	flags.register(command)
	return command
}

func orNone(text string) string {
	if text == "" {
		return "none, the template writes it"
	}
	return text
}

func lines(numbers []int) string {
	if len(numbers) == 0 {
		return ""
	}
	texts := make([]string, len(numbers))
	for i, number := range numbers {
		texts[i] = fmt.Sprint(number)
	}
	return ", line " + strings.Join(texts, ", ")
}

// matches reports whether a user's argument names an image: by the whole reference, or by the name with or without host and tag.
func matches(image, typed string) bool {
	if image == typed {
		return true
	}
	a, errA := mapping.Parse(image)
	b, errB := mapping.Parse(typed)
	if errA != nil || errB != nil {
		return false
	}
	if b.Suffix() != "" && a.Suffix() != b.Suffix() {
		return false
	}
	name, _, _ := strings.Cut(typed, "@")
	name = strings.TrimSuffix(name, ":"+b.Tag)
	return a.Name() == b.Name() || a.Path == name || strings.HasSuffix(a.Path, "/"+name)
}
