package validatecmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gitops-runtime/validator/checks"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

func explainCommand(system System) *cobra.Command {
	return &cobra.Command{
		Use: "explain [CODE...]", Short: "Explain a code and how to fix it; without a code, list all codes",
		ValidArgsFunction: cobra.FixedCompletions(codes(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(_ *cobra.Command, codes []string) error { return explain(system, codes) },
	}
}

func explain(system System, codes []string) error {
	var text strings.Builder
	if len(codes) == 0 {
		for _, check := range system.checks() {
			fmt.Fprintf(&text, "%s  %s\n", check.Code, check.Title)
			for _, definition := range findings.Table() {
				if definition.Code[:4] == check.Code[:4] && definition.Code != check.Code {
					fmt.Fprintf(&text, "  %s  %s\n", definition.Code, pattern(definition.Sentence))
				}
			}
		}
	}
	for i, code := range codes {
		definition, known := findings.Lookup(strings.ToUpper(code))
		if !known {
			return usage(fmt.Errorf("unknown code %q; `validate-values explain` lists them", code))
		}
		if i > 0 {
			text.WriteString("\n")
		}
		text.WriteString(system.explanation(definition))
	}
	return show(system.Out, text.String())
}

// show writes a text; an error has the exit code ExitError.
func show(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil {
		return broken(fmt.Errorf("the answer cannot be written: %w", reason(err)))
	}
	return nil
}

// checks returns the checks of an install, and those of a running runtime that this build has.
func (s System) checks() []engine.Check { return append(checks.Table(checks.Subject{}), s.Running...) }

// explanation returns the output of `explain` for one code.
func (s System) explanation(definition findings.Definition) string {
	var text strings.Builder
	check := s.titleOf(definition.Code)
	fmt.Fprintf(&text, "%s (%s)\n", definition.Code, definition.Level)
	fmt.Fprintf(&text, "  check  %s\n", check)
	if definition.Level != findings.Inconclusive {
		fmt.Fprintf(&text, "  says   %s\n", pattern(definition.Sentence))
	}
	fmt.Fprintf(&text, "  why    %s\n", definition.Why)
	if definition.Fix != "" {
		fmt.Fprintf(&text, "  fix    %s\n", strings.ReplaceAll(definition.Fix, "{value}", "the value"))
	}
	return text.String()
}

// titleOf returns the title of the check that a code belongs to.
func (s System) titleOf(code string) string {
	for _, check := range s.checks() {
		if check.Code[:4] == code[:4] {
			return check.Title
		}
	}
	return ""
}

// pattern replaces the verbs of a format with an ellipsis.
func pattern(sentence string) string {
	return strings.NewReplacer("%q", `"..."`, "%s", "...", "%d", "...").Replace(sentence)
}
