package validatecmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gitops-runtime/validator/checks"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

func docsCommand(system System) *cobra.Command {
	return &cobra.Command{
		Use: "checks-page", Short: "Write the page of all checks (CHECKS.md)", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return show(system.Out, Page(system.Running)) },
	}
}

// Page returns the page of all checks and findings, in Markdown: those of an install, then those of a running runtime.
func Page(running []engine.Check) string {
	var page strings.Builder
	page.WriteString("# Checks of validate-values\n\nGenerated from the table of findings by `validate-values checks-page`.\n" +
		"A code that ends in 00 means that the check is inconclusive: it got no response.\n" +
		"`--skip CODE` and `installer.skipChecks` skip a whole check or one finding.\n")
	group := ""
	install := len(checks.Table(checks.Subject{}))
	for i, check := range append(checks.Table(checks.Subject{}), running...) {
		if i == install {
			page.WriteString("\n# Checks of a running runtime\n\n`validate-values doctor` ([docs/doctor.md](../docs/doctor.md)) runs these, and those of the cluster above.\n")
		}
		if check.Group != group {
			group = check.Group
			fmt.Fprintf(&page, "\n## %s%s\n", strings.ToUpper(group[:1]), group[1:])
		}
		fmt.Fprintf(&page, "\n### %s %s\n\n", check.Code, check.Title)
		if len(check.Needs) > 0 {
			fmt.Fprintf(&page, "Needs %s. ", strings.Join(check.Needs, ", "))
		}
		definition, _ := findings.Lookup(check.Code)
		fmt.Fprintf(&page, "%s\n\n| code | level | message | why | how to fix it |\n| --- | --- | --- | --- | --- |\n", definition.Why)
		for _, row := range slices.Concat(findings.Table(), findings.RunningTable()) {
			if row.Code[:4] == check.Code[:4] && row.Code != check.Code {
				fmt.Fprintf(&page, "| %s | %s | %s | %s | %s |\n", row.Code, row.Level,
					cell(pattern(row.Sentence)), cell(row.Why), cell(strings.ReplaceAll(row.Fix, "{value}", "the value")))
			}
		}
	}
	return page.String()
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;").Replace(text)
}
