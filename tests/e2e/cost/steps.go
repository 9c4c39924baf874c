package cost

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Step is the usage of containers during one step of a measurement.
type Step struct {
	Name   string
	Usages []Usage
}

// WriteSteps writes two tables in Markdown, with a row for each container and a column for each step: its memory, as an amount in its first step and
// as a multiple of that in later steps, and its CPU.
func WriteSteps(out io.Writer, steps []Step) error {
	lines := table("memory", steps, func(first, now Usage) string {
		if first.Memory == 0 {
			return mebi(float64(now.Memory))
		}
		return fmt.Sprintf("%.1f", float64(now.Memory)/float64(first.Memory))
	})
	lines = append(lines, "")
	lines = append(lines, table("CPU", steps, func(_, now Usage) string { return milli(now.CPU) })...)
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return fmt.Errorf("write the tables of steps: %w", err)
		}
	}
	return nil
}

// table returns the lines of a table with a cell for each usage; first is the usage in the container's first step, and empty in that step.
func table(title string, steps []Step, cell func(first, now Usage) string) []string {
	head, rule := "| "+title+" of | in |", "| --- | --- |"
	rows := map[[2]string]string{}
	first := map[[2]string]Usage{}
	for _, step := range steps {
		for _, now := range step.Usages {
			rows[key(now)] = fmt.Sprintf("| %s | %s |", now.Container, now.Workload)
		}
	}
	for _, step := range steps {
		head, rule = head+" "+step.Name+" |", rule+" ---: |"
		for of := range rows {
			at := slices.IndexFunc(step.Usages, func(u Usage) bool { return key(u) == of })
			if at < 0 {
				rows[of] += " |"
				continue
			}
			now := step.Usages[at]
			rows[of] += " " + cell(first[of], now) + " |"
			if _, seen := first[of]; !seen {
				first[of] = now
			}
		}
	}
	lines := []string{head, rule}
	for _, of := range slices.SortedFunc(maps.Keys(rows), func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	}) {
		lines = append(lines, rows[of])
	}
	return lines
}

// key identifies a container.
func key(of Usage) [2]string { return [2]string{of.Workload, of.Container} }
