//go:build !race

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/testkit"
	"gitops-runtime/tests/hostile"
)

// podMemory is the limit of the hook's pod in the chart's values, in bytes.
const podMemory = 64 << 20

// TestHostileInputs: values of at most a megabyte, which is as much as the hook's Secret holds, do not use more memory than the hook's pod has.
func TestHostileInputs(t *testing.T) {
	const name, kind = "validate-hook", "values"
	numbered := func(format string, count int) string {
		var text strings.Builder
		for i := range count {
			fmt.Fprintf(&text, format, i)
		}
		return text.String()
	}
	program, worst := hostile.Build(t, "."), hostile.Worst{}
	inputs := map[string]struct{ text, want string }{
		"very many keys":              {"a:\n" + numbered("  key%d: v\n", 35_000), "RUN101"},
		"very many items":             {"a: [" + strings.Repeat("1,", 400_000) + "]\n", "keys and values"},
		"items near the limit":        {"a: [" + strings.Repeat("1,", 190_000) + "]\n", ""},
		"maps in lists":               {"a:\n" + strings.Repeat("- {b: {c: {d: e}}}\n", 40_000), ""},
		"copies of a text":            {"a: &a " + strings.Repeat("x", 30_000) + "\nb: [" + strings.Repeat("*a, ", 6000) + "]\n", "the aliases in the files"},
		"copies within the limit":     {"a: &a " + strings.Repeat("x", 30_000) + "\nb: [" + strings.Repeat("*a, ", 130) + "]\n", ""},
		"a text of a megabyte":        {"a: " + strings.Repeat("x", 1_000_000) + "\n", "RUN101"},
		"brackets":                    {"a: " + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000), "keys and values"},
		"a host of a megabyte":        {"global: {runtime: {name: local, ingress: {enabled: true, hosts: [" + strings.Repeat("a-", 500_000) + "]}}}\n", "MOD302"},
		"very many hosts":             {"global: {runtime: {name: local, ingress: {enabled: true, hosts: [" + strings.Repeat("A,", 150_000) + "]}}}\n", "this run takes more than 44 MiB of memory"},
		"a name with control letters": {"global: {runtime: {name: \"\\e[31m\\n::error::x\"}}\n", "RUN102"},
	}
	for title, input := range inputs {
		t.Run(title, func(t *testing.T) {
			folder := t.TempDir()
			values := filepath.Join(folder, "values.yaml")
			testkit.WriteFile(t, values, input.text)
			end := hostile.Run(t, program, folder, "--no-cluster", "--namespace", "codefresh", "--values", values)
			hostile.Decent(t, end)
			assert.Contains(t, end.Text, input.want)
			assert.LessOrEqual(t, end.Memory, int64(podMemory), "bytes of memory")
			t.Logf("exit %d, %d MiB, %s: %s", end.Code, end.Memory>>20, end.Took, hostile.Clip(strings.TrimSpace(end.Text)))
			worst.Add(kind, end)
		})
	}
	worst.Log(t, name)
	hostile.Listed(t, name, map[string]int{kind: len(inputs)})
}
