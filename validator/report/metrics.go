package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/validator/engine"
)

// Metrics writes the numbers of checks and findings in the text format of Prometheus, for a Pushgateway or the textfile collector of the node exporter:
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format.
type Metrics struct{}

// Write writes the metrics of one runtime.
func (m Metrics) Write(out io.Writer, report Report) error {
	batch := m.Batch(out)
	if err := batch.Add(report); err != nil {
		return err
	}
	return batch.End(Total{})
}

// Batch collects the metrics of several runtimes, since the lines of a metric belong together.
func (Metrics) Batch(out io.Writer) Batch { return &metricsBatch{out: out} }

type metricsBatch struct {
	out      io.Writer
	checks   []string
	findings []string
}

func (b *metricsBatch) Add(report Report) error {
	labels := fmt.Sprintf(`runtime="%s",namespace="%s"`, label(report.Target.Runtime), label(report.Target.Namespace))
	counts := report.Counts()
	for _, status := range []engine.Status{engine.Passed, engine.Warned, engine.Failed, engine.Skipped, engine.Inconclusive} {
		b.checks = append(b.checks, fmt.Sprintf(`gitops_runtime_doctor_checks{%s,status="%s"} %d`, labels, status, counts[status]))
	}
	found := map[string]int{}
	for _, one := range report.Findings() {
		found[fmt.Sprintf(`gitops_runtime_doctor_findings{%s,code="%s",level="%s"}`, labels, one.Code, one.Level)]++
	}
	for _, series := range slices.Sorted(maps.Keys(found)) {
		b.findings = append(b.findings, fmt.Sprintf("%s %d", series, found[series]))
	}
	return nil
}

func (b *metricsBatch) End(Total) error {
	w := bufio.NewWriter(b.out)
	fmt.Fprintln(w, "# HELP gitops_runtime_doctor_checks Checks of the last run of validate-values doctor, by status.\n# TYPE gitops_runtime_doctor_checks gauge")
	for _, line := range b.checks {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w, "# HELP gitops_runtime_doctor_findings Findings of the last run of validate-values doctor, by code.\n# TYPE gitops_runtime_doctor_findings gauge")
	for _, line := range b.findings {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

// label escapes the value of a label.
func label(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text)
}
