package migrate_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/tests/compat"
	"gitops-runtime/validator/local"
	"gitops-runtime/validator/migrate"
)

var gone = []dropped.Value{
	{Path: dropped.Path{"old"}, Reason: "It is gone", Instead: "Remove it"},
	{Path: dropped.Path{"a", "here"}, Reason: "It has another name", Instead: "Set b.there", Renamed: dropped.Path{"b", "there"}},
}

func TestFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want, report string }{
		"nothing changes": {
			text: "# head\n\na:   {x: 1}  # odd spaces stay\n", want: "# head\n\na:   {x: 1}  # odd spaces stay\n", report: "unchanged a.x",
		},
		"dropped": {
			text: "# of x\nx: 1 # one\n# of old\nold: {a: 1}\n# of y\ny: 2\n", want: "# of x\nx: 1 # one\n# of y\ny: 2\n", report: "dropped old\nunchanged x\nunchanged y",
		},
		"moved": {
			text: "a:\n  # of here\n  here: [1] # one\n  x: 1\n", want: "a:\n  x: 1\nb:\n  # of here\n  there: [1] # one\n", report: "moved a.here b.there\nunchanged a.x",
		},
		"moved into an existing map": {
			text: "b:\n  c: 1\na:\n  here: 2\n", want: "b:\n  c: 1\n  there: 2\n", report: "moved a.here b.there\nunchanged b.c",
		},
		"the new name is already set": {
			text: "b: {there: 1}\na: {here: 2}\n", want: "b: {there: 1}\n", report: "dropped a.here\nunchanged b.there",
		},
		"an anchor in a removed value is kept": {
			text: "old:\n  env: &env {A: b}\nx: *env\ny: *env\n", want: "x: &env {A: b}\ny: *env\n", report: "dropped old\nunchanged x.A\nunchanged y.A",
		},
		"through an alias": {
			text: "c: &c {here: 1, x: 2}\na: *c\n", want: "c: &c {here: 1, x: 2}\na: {x: 2}\nb:\n  there: 1\n", report: "moved a.here b.there\nunchanged c.here\nunchanged c.x\nunchanged a.x",
		},
		"through a merge key": {
			text: "c: &c\n  here: 1\n  x: 2\na:\n  <<: *c\n  y: 3\n", want: "c: &c\n  here: 1\n  x: 2\na:\n  y: 3\n  x: 2\nb:\n  there: 1\n", report: "moved a.here b.there\nunchanged c.here\nunchanged c.x\nunchanged a.y\nunchanged a.x",
		},
		"list indentation is kept": {
			text: "old: 1\nx:\n- 1\n- 2\n", want: "x:\n- 1\n- 2\n", report: "dropped old\nunchanged x",
		},
		"every value is removed": {text: "old: 1\n", want: "{}\n", report: "dropped old\nunchanged "},
		"empty":                  {text: "", want: "", report: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, changes, err := migrate.File([]byte(test.text), gone)
			require.NoError(t, err)
			assert.Equal(t, test.want, string(got))
			var report []string
			for _, change := range changes {
				to := ""
				for _, path := range change.To {
					to += " " + path.String()
				}
				report = append(report, string(change.Verdict)+" "+change.Path.String()+to)
			}
			assert.Equal(t, test.report, strings.Join(report, "\n"))
			again, changes, err := migrate.File(got, gone)
			require.NoError(t, err)
			assert.Equal(t, string(got), string(again), "migrating again changes nothing")
			for _, change := range changes {
				assert.Equal(t, migrate.Unchanged, change.Verdict)
			}
		})
	}
}

// Complete values files of the published chart and of the community charts are migrated to files that render and need no further changes. The tables
// have no values of 0.29: its file combines those of 0.28 and of 0.30.
func TestPublishedValuesFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chart    string
		versions []string
		changed  int
	}{
		"0.24":           {"gitops-runtime", []string{"0.24.0"}, 11},
		"0.26":           {"gitops-runtime", []string{"0.26"}, 8},
		"0.28":           {"gitops-runtime", []string{"0.28"}, 7},
		"0.29":           {"gitops-runtime", []string{"0.28", "0.30.0"}, 7},
		"0.30":           {"gitops-runtime", []string{"0.30.0"}, 7},
		"any of them":    {"gitops-runtime", []string{"0.24.0", "0.26", "0.28", "0.30.0"}, 14},
		"argo-cd":        {"argo-cd", []string{""}, 11},
		"argo-events":    {"argo-events", []string{""}, 0},
		"argo-rollouts":  {"argo-rollouts", []string{""}, 1},
		"argo-workflows": {"argo-workflows", []string{""}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, err := migrate.Of(test.chart)
			require.NoError(t, err)
			values := map[string]any{}
			for _, version := range test.versions {
				published, err := compat.Published(test.chart, version)
				require.NoError(t, err)
				values = chartutil.CoalesceTables(published, values)
			}
			text, err := yaml.Marshal(values)
			require.NoError(t, err)
			made, changes, err := migrate.File(text, all)
			require.NoError(t, err)
			requireEveryValue(t, values, changes)
			changed := slices.DeleteFunc(slices.Clone(changes), func(c migrate.Change) bool { return c.Verdict == migrate.Unchanged })
			assert.Len(t, changed, test.changed)
			assertRenders(t, test.chart, made, all)
			again, changes, err := migrate.File(made, all)
			require.NoError(t, err)
			assert.Equal(t, string(made), string(again))
			for _, change := range changes {
				assert.Equal(t, migrate.Unchanged, change.Verdict, change.Path)
			}
		})
	}
}

// requireEveryValue requires that the report contains every value.
func requireEveryValue(t *testing.T, values any, changes []migrate.Change) {
	t.Helper()
	var walk func(value any, path dropped.Path)
	walk = func(value any, path dropped.Path) {
		if table, ok := value.(map[string]any); ok && len(table) > 0 {
			for key, below := range table {
				walk(below, append(slices.Clone(path), key))
			}
			return
		}
		require.True(t, slices.ContainsFunc(changes, func(c migrate.Change) bool { return path.Within(c.Path) }), "%s is not reported", path)
	}
	walk(values, nil)
}

// assertRenders asserts that a migrated file contains no dropped values, and that it renders together with the required values.
func assertRenders(t *testing.T, name string, made []byte, gone []dropped.Value) {
	t.Helper()
	values := map[string]any{}
	require.NoError(t, yaml.Unmarshal(made, &values))
	for _, value := range gone {
		assert.True(t, value.List || !has(values, value.Path), value.Path)
	}
	if name == "gitops-runtime" {
		values = chartutil.CoalesceTables(map[string]any{"global": map[string]any{
			"codefresh": map[string]any{"accountId": "a1", "userToken": map[string]any{"token": "t"}},
			"runtime":   map[string]any{"name": "production"},
		}}, values)
	}
	chart, err := compat.Load("../..", name)
	require.NoError(t, err)
	_, err = chart.Render(values)
	assert.NoError(t, err)
}

// The published values files since 0.26 define an anchor in a dropped key and merge it, in a list and with a tag, into the environment of every
// component. The merged values are kept.
func TestAnchorsOfThePublishedFilesAreKept(t *testing.T) {
	t.Parallel()
	all, err := migrate.Of("gitops-runtime")
	require.NoError(t, err)
	text := `anchors:
  common-envs:
    - &otel-config
      # where signals go
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317'
app-proxy:
  env:
    !!merge <<:
      - *otel-config
    # how much it says
    CF_TELEMETRY_LOGS_LEVEL: 'debug'
gitops-operator:
  env:
    !!merge <<:
      - *otel-config
event-reporters:
  runtime-event-reporter:
    env:
      <<: *otel-config
`
	made, changes, err := migrate.File([]byte(text), all)
	require.NoError(t, err)
	before, after := map[string]any{}, map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &before))
	require.NoError(t, yaml.Unmarshal(made, &after), string(made))
	delete(before, "anchors")
	assert.Equal(t, before, after, string(made))
	assert.Contains(t, string(made), "# how much it says")
	assert.Contains(t, string(made), "# where signals go")
	assert.Equal(t, "anchors", changes[0].Path.String())
	again, _, err := migrate.File(made, all)
	require.NoError(t, err)
	assert.Equal(t, string(made), string(again))
}

func has(values any, path dropped.Path) bool {
	for _, key := range path {
		table, _ := values.(map[string]any)
		below, ok := table[key]
		if !ok {
			return false
		}
		values = below
	}
	return true
}

func TestCommand(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "values.yaml")
	write := func(name, text string) string {
		name = filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	write("values.yaml", "global: {codefresh: {apiEventsPath: /events}} # gone\napp-proxy: {replicaCount: 1}\n")
	report := "dropped    global.codefresh.apiEventsPath: The event reporters know the path of events on the platform; only the Sensors of 0.24 took it from the values. Remove it.\n" +
		"unchanged  app-proxy.replicaCount\n0 moved, 1 dropped, 1 unchanged\n"
	for _, test := range []struct {
		name           string
		args           []string
		in             string
		out, err, fail string
	}{
		{name: "to standard output", args: []string{file}, out: "app-proxy: {replicaCount: 1}\n", err: report},
		{name: "only changes", args: []string{file, "--changes"}, out: "app-proxy: {replicaCount: 1}\n", err: strings.Replace(report, "unchanged  app-proxy.replicaCount\n", "", 1)},
		{name: "from standard input", args: []string{"-", "--chart", "argo-rollouts"}, in: "crds: {install: false}\n", out: "installCRDs: false\n", err: "moved      crds.install to installCRDs: The community chart has it under another name.\n1 moved, 0 dropped, 0 unchanged\n"},
		{name: "another effect", args: []string{"-"}, in: "argo-gateway: {serviceAccount: {create: false}}\nglobal: {tolerations: [], runtime: {singleNamespace: false}}\n",
			out: "argo-gateway: {serviceAccount: {create: false}}\nglobal: {tolerations: [], runtime: {singleNamespace: false}}\n",
			err: "differs    argo-gateway.serviceAccount.create: It takes effect here, and the upgrade deletes the account that the published chart created. Remove it, or create the account after the upgrade.\n" +
				"differs    global.tolerations: They apply to Argo Workflows and sealed-secrets, too. Set tolerations of a component to keep its pods where they are.\n" +
				"unchanged  global.runtime.singleNamespace\n0 moved, 0 dropped, 1 unchanged, 2 differs\n"},
		{name: "quotes", args: []string{"-", "--chart", "argo-cd"}, in: "server:\n  replicas: \"2\"\n  readinessProbe: {periodSeconds: \"5\"} # five\n  ingress: {enabled: \"true\"}\n",
			out: "server:\n  replicas: \"2\"\n  readinessProbe: {periodSeconds: 5} # five\n  ingress: {enabled: true}\n",
			err: "unquoted   server.ingress.enabled: It is written without quotes, since it is not a string.\n" +
				"unquoted   server.readinessProbe.periodSeconds: It is written without quotes, since it is not a string.\n" +
				"unchanged  server.replicas\n0 moved, 0 dropped, 1 unchanged, 2 unquoted\n"},
		{name: "a quoted false, which the published templates take for true", args: []string{"-", "--chart", "argo-cd"}, in: "dex: {enabled: \"false\"}\n", fail: "the chart rejects the new file"},
		{name: "no file", args: nil, fail: "migrate takes one values file; see validate-values migrate --help"},
		{name: "no such file", args: []string{"none.yaml"}, fail: "values file none.yaml: no such file"},
		{name: "no such chart", args: []string{file, "--chart", "argo"}, fail: `--chart: unknown chart "argo"; there are gitops-runtime, argo-cd, argo-events, argo-rollouts, argo-workflows, tunnel-client`},
		{name: "invalid YAML", args: []string{write("broken.yaml", "a: [\n")}, fail: "it is not YAML"},
		{name: "a list", args: []string{write("list.yaml", "- a\n")}, fail: "its top level is not a map of values"},
		{name: "two documents", args: []string{write("two.yaml", "a: 1\n---\nb: 1\n")}, fail: "it contains more than one YAML document"},
		{name: "two outputs", args: []string{file, "--in-place", "-o", "x"}, fail: "--in-place requires a FILE and cannot be combined with --output"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, report bytes.Buffer
			command := migrate.Command(strings.NewReader(test.in), local.BuiltIn, func(exit int, err error) error { return fmt.Errorf("exit %d: %w", exit, err) })
			command.SetArgs(append([]string{}, test.args...))
			command.SetOut(&out)
			command.SetErr(&report)
			err := command.ExecuteContext(t.Context())
			if test.fail != "" {
				assert.ErrorContains(t, err, test.fail)
				assert.NotContains(t, err.Error(), "\n")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.out, out.String())
			assert.Equal(t, test.err, report.String())
		})
	}
	other := filepath.Join(folder, "new.yaml")
	for _, args := range [][]string{{file, "-o", other}, {file, "--in-place"}} {
		command := migrate.Command(nil, local.BuiltIn, func(_ int, err error) error { return err })
		command.SetArgs(args)
		command.SetOut(&bytes.Buffer{})
		command.SetErr(&bytes.Buffer{})
		require.NoError(t, command.ExecuteContext(t.Context()))
	}
	for _, name := range []string{file, other} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, "app-proxy: {replicaCount: 1}\n", string(text))
	}
}
