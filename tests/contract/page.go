package contract

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

// Path is the path of the page, relative to the repository's root.
const Path = "charts/gitops-runtime/docs/contract.md"

//go:embed page.md.tmpl
var page string

type count struct {
	Count   int
	Meaning string
}

type program struct{ Program, Image string }

type difference struct {
	Scenario, Object, Aspect, Key, Reason string
	Facts                                 int
}

// Page returns the page that lists the closed set, the differences from the published chart with their reasons, and what is unknown.
func Page(result Result) (string, error) {
	entries, err := Allowed()
	if err != nil {
		return "", err
	}
	reasons, unexpected, _ := Reasons(entries, result.Findings)
	if len(unexpected) > 0 {
		return "", fmt.Errorf("%d facts differ without a reason in tests/contract/allow.tsv, the first: %s", len(unexpected), unexpected[0])
	}
	parsed, err := template.New("page").Parse(page)
	if err != nil {
		return "", fmt.Errorf("template of the page: %w", err)
	}
	data := struct {
		Version   string
		Scenarios int
		Images    []program
		Counts    []count
		Entries   []difference
	}{Version, len(result.Table.Scenarios) - 1, programs(), counts(result, reasons), differences(entries, reasons)}
	var out strings.Builder
	if err := parsed.Execute(&out, data); err != nil {
		return "", fmt.Errorf("template of the page: %w", err)
	}
	return out.String(), nil
}

// programs returns the closed programs and the enrichers, which run as steps of workflows.
func programs() []program {
	var found []program
	for line := range strings.Lines(images) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		closed := slices.Contains(closedImages(), repository(columns[1])) || strings.HasPrefix(columns[0], "image enrichment")
		if closed && columns[4] != "-" {
			found = append(found, program{columns[0], columns[1] + ":" + columns[4]})
		}
	}
	return found
}

func counts(result Result, reasons map[int]Entry) []count {
	all := map[string]int{}
	for i, finding := range result.Findings {
		switch _, allowed := reasons[i]; {
		case allowed && finding.Outcome == More:
			all["given to a closed program beyond the contract, for a reason below"]++
		case allowed:
			all["different, for a reason below"]++
		case finding.Outcome == Satisfied:
			all["the same"]++
		case finding.Outcome == Equivalent:
			all["the same value, name or port in another way"]++
		case finding.Outcome == Ignored:
			all["not compared: tuning, timing of probes, scripts, names and labels of RBAC objects"]++
		}
	}
	var found []count
	for meaning, n := range all {
		found = append(found, count{n, meaning})
	}
	slices.SortFunc(found, func(a, b count) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Meaning, b.Meaning)) })
	return found
}

func differences(entries []Entry, reasons map[int]Entry) []difference {
	used := map[int]int{}
	for _, entry := range reasons {
		used[entry.line]++
	}
	var found []difference
	for _, entry := range entries {
		scenario := entry.Scenario
		if scenario == "*" {
			scenario = "all"
		}
		found = append(found, difference{cell(scenario), cell(entry.Object), cell(entry.Aspect), cell(entry.Key), cell(entry.Reason), used[entry.line]})
	}
	return found
}

// cell returns a text in a table, with the pattern's escapes replaced by the characters they match.
func cell(text string) string {
	return strings.NewReplacer("[[]", "[", "[*]", `\*`, "*", `\*`, "|", `\|`, "<", `\<`).Replace(text)
}
