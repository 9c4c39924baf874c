//go:build !race

// These tests feed inputs to a process of its own, which is built without the race detector.

package main_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/hostile"
)

// input is a chart, or other files, with the expected output of the program.
type input struct {
	name  string
	files map[string]string
	args  []string // instead of generating for the chart
	code  int
	want  string // part of the output
}

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: %s}]}\n"

func template(text string) map[string]string {
	return map[string]string{"templates/t.yaml": text}
}

func manifest(image string) map[string]string { return template(fmt.Sprintf(pod, image)) }

func with(files map[string]string, more ...string) map[string]string {
	for i := 0; i+1 < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return files
}

// inputs returns the inputs by kind.
func inputs() map[string][]input {
	brackets := strings.Repeat("[", 3000) + strings.Repeat("]", 3000)
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for i, last := 'b', 'a'; i <= 'i'; i, last = i+1, i {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", i, i, strings.TrimSuffix(strings.Repeat("*"+string(last)+", ", 10), ", "))
	}
	zero := strings.Repeat("0", 64)
	return map[string][]input{
		"endless templates": endless(),
		"renders":           renders(),
		"archives":          archives(),
		"schemas":           schemas(),
		"addresses":         addresses(),
		"templates": {
			{"repeat", template(`a: {{ repeat 2000000000 "x" }}`), nil, 1, "repeat makes more than 24 MiB"},
			{"repeat of a negative number", template(`a: {{ repeat -1 "x" }}`), nil, 1, "repeat"},
			{"until", template(`a: {{ until 2000000000 }}`), nil, 1, "until makes more than"},
			{"until of a negative number", template(`a: {{ until -2000000000 }}`), nil, 1, "until makes more than"},
			{"untilStep", template(`a: {{ untilStep 0 2000000000 1 }}`), nil, 1, "untilStep makes more than"},
			{"loops in loops", template(`{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}`), nil, 1, "more than 1000000 steps"},
			{"endless output", template(`{{ $x := repeat 100000 "x" }}{{ range until 1000 }}{{ $x }}{{ end }}`), nil, 1, "write more than 24 MiB"},
			{"an include of itself", template(`{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`), nil, 1, "includes itself without end"},
			{"a template of itself", template(`{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`), nil, 1, "takes more than 50 MiB of stack"},
			{"mutual includes", template(`{{ define "a" }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`), nil, 1, "includes itself without end"},
			{"tpl of itself", with(template(`{{ tpl .Values.a . }}`), "values.yaml", `a: "{{ tpl .Values.a . }}"`), nil, 1, "a value that is a template includes itself"},
			{"mutual tpl", with(template(`{{ tpl .Values.a . }}`), "values.yaml", "a: \"{{ tpl .Values.b . }}\"\nb: \"{{ tpl .Values.a . }}\""), nil, 1, "a value that is a template includes itself"},
			{"tpl and include of itself", with(template(`{{ define "a" }}{{ tpl .Values.a . }}{{ end }}{{ include "a" . }}`), "values.yaml", `a: '{{ include "a" . }}'`), nil, 1, "includes itself"},
			{"a failing template", template(`{{ fail "no\u001b[31m" }}`), nil, 1, "no"},
			{"a template that does not parse", template(`{{ if`), nil, 1, "does not render"},
			{"an unknown function", template(`{{ nothing }}`), nil, 1, `function "nothing" not defined`},
			{"the environment", template(`a: {{ env "HOME" }}`), nil, 1, `function "env" not defined`},
			{"an index out of range", template(`a: {{ index (list) 3 }}`), nil, 1, "out of range"},
			{"a nil pointer", template(`a: {{ .Values.a.b.c }}`), nil, 1, "nil pointer"},
			{"a division by zero", template(`a: {{ div 1 0 }}`), nil, 1, "divide by zero"},
			{"a bad regular expression", template(`a: {{ mustRegexMatch "(" "x" }}`), nil, 1, "missing closing )"},
			{"a wrong type", template(`a: {{ trunc "x" 1 }}`), nil, 1, "expected integer"},
		},
		"manifests": {
			{"invalid YAML", template("a: [b"), nil, 1, "renders invalid YAML"},
			{"a tab", template("a:\n\tb: c"), nil, 1, "renders invalid YAML"},
			{"deep nesting", template("a: " + brackets), nil, 1, "invalid YAML"},
			{"an alias bomb", template(bomb), nil, 1, "aliases"},
			{"an unknown alias", template("a: *b"), nil, 1, "unknown anchor"},
			{"an alias of itself", template("a: &a {b: *a}"), nil, 1, "invalid YAML"},
			{"a list as manifest", template("[1, 2]"), nil, 0, "0 image references"},
			{"a scalar as manifest", template("text"), nil, 0, "0 image references"},
			{"map keys", template("? {a: b}\n: c"), nil, 0, "0 image references"},
			{"a binary scalar", template("a: !!binary AAECAw=="), nil, 0, "0 image references"},
			{"other base64 data in a Secret", template("kind: Secret\ndata: {a: " + base64.StdEncoding.EncodeToString([]byte{0, 1, 2}) + ", b: '%%%', c: 1}"), nil, 0, "0 image references"},
			{"YAML in YAML in YAML", template("kind: ConfigMap\ndata: {a: \"{b: \\\"{c: 'image: quay.io/a/b:1'}\\\"}\"}"), nil, 3, "quay.io/a/b:1"},
			{"an alias bomb in a ConfigMap", template("kind: ConfigMap\ndata:\n  a: |\n    " + strings.ReplaceAll(bomb, "\n", "\n    ")), nil, 0, "0 image references"},
			{"no templates", map[string]string{}, nil, 0, "0 image references"},
		},
		"images": {
			{"an upper-case image", manifest("Quay.io/A/B:1"), nil, 3, "not an image reference"},
			{"an image with spaces", manifest("'a b'"), nil, 3, "not an image reference"},
			{"an image with an escape", manifest(`"a\u001b[31mb"`), nil, 3, `\x1b`},
			{"an image with a workflow command", manifest(`"a\n::stop-commands::x"`), nil, 3, "unread"},
			{"an image with an IPv6 host", manifest("'[::1]:5000/a:1'"), nil, 3, "unread"},
			{"an image with a scheme", manifest("https://quay.io/a:1"), nil, 3, "unread"},
			{"a very long image", manifest(strings.Repeat("a", 5000)), nil, 3, "unread"},
			{"a truncated digest", manifest("quay.io/a/b@sha256:00"), nil, 3, "unread"},
			{"64 hexadecimal digits", manifest("'" + zero + "'"), nil, 3, "unread"},
			{"a parameter", manifest("'{{ \"{{\" }}image{{ \"}}\" }}'"), nil, 3, "unread"},
			{"a shell variable", manifest("'${IMAGE}'"), nil, 3, "unread"},
			{"an empty image", manifest(`""`), nil, 0, "0 image references"},
			{"an image that is a number", manifest("5"), nil, 0, "0 image references"},
			{"an image that is a list", manifest("[a]"), nil, 3, "suspected"},
		},
		"values and charts": {
			{"values that are a list", map[string]string{"values.yaml": "[1]"}, nil, 1, "values.yaml"},
			{"values that are text", map[string]string{"values.yaml": "text"}, nil, 1, "values.yaml"},
			{"values that are not YAML", map[string]string{"values.yaml": "a: [b"}, nil, 1, "values.yaml"},
			{"deep values", map[string]string{"values.yaml": "a: " + brackets}, nil, 1, "nest more than 100 levels deep"},
			{"values with an alias bomb", map[string]string{"values.yaml": bomb}, nil, 1, "aliases followed"},
			{"a values file of fifteen megabytes", map[string]string{"../large.yaml": strings.Repeat("- {a: b, c: [1, 2, 3], text: some text}\n", 370_000)}, []string{"generate", "CHART", "--registry", "reg.corp", "-f", "CHART/../large.yaml"}, 2, "hold more than 200000 keys and values"},
			{"a chart without a name", map[string]string{"Chart.yaml": "apiVersion: v2\nversion: 1.0.0\n"}, nil, 1, "chart.metadata.name is required"},
			{"a Chart.yaml that is not YAML", map[string]string{"Chart.yaml": "{"}, nil, 1, "Chart.yaml"},
			{"a chart without a version", map[string]string{"Chart.yaml": "apiVersion: v2\nname: a\n"}, nil, 1, "version"},
			{"a dependency on itself", map[string]string{"Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies: [{name: b, version: 1.0.0, repository: 'file://.'}]\n"}, nil, 1, "depends on itself"},
			{"a missing dependency", map[string]string{"Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies: [{name: b, version: 1.0.0, repository: 'https://127.0.0.1:1'}]\n"}, nil, 1, "needs its dependency b"},
			{"a dependency in a missing folder", map[string]string{"Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies: [{name: b, version: 1.0.0, repository: 'file://../../nothing'}]\n"}, nil, 1, "cannot be read"},
			{"a Kubernetes version that does not exist", map[string]string{"Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\nkubeVersion: '<1.2.0'\n"}, nil, 2, "does not allow Kubernetes"},
			{"an invalid Kubernetes version", map[string]string{"Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\nkubeVersion: 'many'\n"}, nil, 2, "does not allow Kubernetes"},
			{"a schema that is not JSON", with(template("a: 1"), "values.schema.json", "{"), nil, 1, "schema"},
			{"a schema with remote references", with(template("a: 1"), "values.schema.json", `{"$ref": "http://127.0.0.1:1/x.json"}`), nil, 0, "not fetched"},
			{"a schema with a reference to a local file", with(template("a: 1"), "values.schema.json", `{"$ref": "file:///etc/hostname"}`), nil, 0, "not fetched"},
			{"a schema that rejects the chart defaults", with(template("a: 1"), "values.schema.json", `{"required": ["b"]}`), nil, 2, "rejects the values"},
			{"a file instead of the templates folder", map[string]string{"templates": "x"}, nil, 0, "0 image references"},
		},
		"command lines and tables": {
			{"no chart", nil, []string{"generate", "--registry", "reg.corp"}, 2, "CHART is missing"},
			{"no registry", nil, []string{"generate", "."}, 2, "no registry given"},
			{"a registry with a scheme", nil, []string{"generate", ".", "--registry", "https://reg.corp"}, 2, "has a scheme"},
			{"a registry with an IPv6 host", nil, []string{"generate", ".", "--registry", "[::1]:5000"}, 2, "is not a registry"},
			{"an invalid port", nil, []string{"generate", ".", "--registry", "reg.corp:99999"}, 2, "has no port 99999"},
			{"an invalid version", nil, []string{"generate", ".", "--registry", "reg.corp", "--kube-version", "x"}, 2, "is not a version"},
			{"a password in a URL", nil, []string{"generate", "CHART", "--registry", "reg.corp", "-f", "http://user:canary@127.0.0.1:1/v.yaml"}, 2, "127.0.0.1:1/v.yaml"},
			{"a file that is not a mirror table", map[string]string{"table.csv": "a,b,c\n"}, []string{"mirror", "CHART/table.csv"}, 1, "is not a mirror table"},
			{"a table with IPv6", map[string]string{"table.csv": "source_image,target_image\n[::1]:5000/a:1,reg.corp/a:1\n"}, []string{"mirror", "CHART/table.csv"}, 1, "IPv6"},
			{"a table with two sources for one target", map[string]string{"table.csv": "source_image,target_image\na.io/aa:1,reg.corp/aa:1\nb.io/aa:1,reg.corp/aa:1\n"}, []string{"mirror", "CHART/table.csv"}, 1, "would both become"},
			{"a file that is not a lock file", map[string]string{"table.csv": "source_image,target_image\n", "lock": `[{"digest": "x"}]`}, []string{"verify-mirror", "CHART/table.csv", "--lock", "CHART/lock"}, 1, "is not a lock file"},
		},
	}
}

// play runs the program on the input, in a folder in which prepare has made what is no file with a text.
func (i input) play(t *testing.T, program string, prepare func(*testing.T, string)) hostile.Ending {
	t.Helper()
	folder := t.TempDir()
	chart := filepath.Join(folder, "chart")
	write(t, filepath.Join(chart, "Chart.yaml"), "apiVersion: v2\nname: hostile\nversion: 0.1.0\n")
	for name, text := range i.files {
		write(t, filepath.Join(chart, name), text)
	}
	if prepare != nil {
		prepare(t, folder)
	}
	args := i.args
	if args == nil {
		args = []string{"generate", "CHART", "--registry", "reg.corp", "-o", "out"}
	}
	given := make([]string, len(args))
	for at, arg := range args {
		given[at] = strings.Replace(arg, "CHART", chart, 1)
	}
	end := hostile.Run(t, program, folder, given...)
	hostile.Decent(t, end)
	assert.Equal(t, i.code, end.Code, hostile.Clip(end.Text))
	assert.Contains(t, end.Text, i.want)
	t.Logf("exit %d, %d MiB, %s: %s", end.Code, end.Memory>>20, end.Took, hostile.Clip(strings.TrimSpace(end.Text)))
	return end
}

// TestHostileInputs: each run ends with the exit code and output of the table, within the limits, and prints nothing unescaped.
func TestHostileInputs(t *testing.T) {
	const name = "image-override"
	program, worst, counts := hostile.Build(t, "."), hostile.Worst{}, map[string]int{}
	for kind, list := range inputs() {
		counts[kind] = len(list)
		for _, one := range list {
			t.Run(kind+"/"+one.name, func(t *testing.T) { worst.Add(kind, one.play(t, program, nil)) })
		}
	}
	for kind, list := range prepared() {
		counts[kind] = len(list)
		for _, one := range list {
			t.Run(kind+"/"+one.name, func(t *testing.T) { worst.Add(kind, one.play(t, program, one.prepare)) })
		}
	}
	worst.Log(t, name)
	hostile.Listed(t, name, counts)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}
