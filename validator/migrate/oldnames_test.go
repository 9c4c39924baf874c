package migrate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/valueschema"
	"gitops-runtime/validator/local"
	"gitops-runtime/validator/migrate"
)

// chartOf returns a chart of this build, the umbrella chart or one of its parts.
func chartOf(t testing.TB, name string) *helmchart.Chart {
	t.Helper()
	umbrella, err := local.BuiltIn(t.Context())
	require.NoError(t, err)
	for _, part := range umbrella.Dependencies {
		if part.Title == name {
			return part.Chart
		}
	}
	require.Equal(t, umbrella.Title, name)
	return umbrella
}

// samples are values that a dropped value may have had.
func samples(value dropped.Value) []any {
	list := []any{map[string]any{"name": "a", "server": "https://a"}, map[string]any{"name": "b", "server": "https://b"}}
	switch value.As {
	case "hosts", "first":
		return []any{[]any{"a.example.com", "b.example.com"}}
	case "keyed":
		return []any{list}
	case "text", "seconds":
		return []any{20}
	case "true=aws", "true=gke", "true=debug":
		return []any{true}
	case "false=0":
		return []any{false}
	}
	tls := []any{map[string]any{"hosts": []any{"a.example.com"}, "secretName": "s"}}
	if value.List {
		return []any{tls}
	}
	paths := []any{map[string]any{"path": "/", "pathType": "Prefix", "backend": map[string]any{"service": map[string]any{"name": "a", "port": map[string]any{"number": 80}}}}}
	return []any{
		"Always", "Prefix", tls, paths, true, 8090, []any{"a"}, list, []any{map[string]any{"key": "a"}}, map[string]any{"a": "b"}, map[string]any{"repository": "r"}, map[string]any{"privileged": false},
		map[string]any{"runAsNonRoot": true}, map[string]any{"limits": map[string]any{"cpu": 1}}, map[string]any{"serviceType": "NodePort"}, map[string]any{"nodeAffinity": map[string]any{}},
	}
}

// Every name of an earlier version is rejected with its sentence, or is a warning, and is moved or removed such that the chart accepts the file.
func TestOldNames(t *testing.T) {
	t.Parallel()
	for _, name := range migrate.Charts() {
		all, err := dropped.Of(name)
		require.NoError(t, err)
		judge := judgeOf(t, name, all)
		for _, value := range all {
			t.Run(name+" "+value.Path.String(), func(t *testing.T) {
				t.Parallel()
				accepted := false
				for _, sample := range samples(value) {
					accepted = accepted || judge.settles(t, value, sample)
				}
				assert.True(t, accepted, "no sample is accepted under %s", value.Renamed)
			})
		}
	}
}

// settles reports whether a file with the sample is accepted after its migration, and was rejected, or accepted with a warning, with the value's sentence
// before. It requires that no file is accepted in silence.
func (j judge) settles(t *testing.T, value dropped.Value, sample any) bool {
	t.Helper()
	text, err := yaml.Marshal(nested(value.Path, sample))
	require.NoError(t, err)
	rejected, doubtful := j.check(t, text)
	problems := rejected
	if value.Harmless {
		require.Empty(t, rejected)
		problems = doubtful
	}
	require.NotEmpty(t, problems, "%s is accepted in silence", text)
	if !strings.Contains(problems[0].Message, value.Reason+". "+value.Instead) {
		return false // a wrong type
	}
	migrated, changes, err := migrate.File(text, j.gone)
	require.NoError(t, err)
	require.NotEmpty(t, changes)
	want := migrate.Dropped
	if value.Renamed != nil {
		want = migrate.Moved
	}
	assert.Equal(t, want, changes[0].Verdict, "%s", text)
	rejected, doubtful = j.check(t, migrated)
	return len(rejected)+len(doubtful) == 0
}

// judge migrates and checks the values of one chart.
type judge struct {
	chart *helmchart.Chart
	cache *valueschema.Cache
	gone  []dropped.Value
}

func judgeOf(t testing.TB, name string, gone []dropped.Value) judge {
	t.Helper()
	return judge{chartOf(t, name), &valueschema.Cache{}, gone}
}

func (j judge) check(t testing.TB, text []byte) (rejected, doubtful []valueschema.Problem) {
	t.Helper()
	rejected, doubtful, err := migrate.Check(t.Context(), text, j.chart, j.cache)
	require.NoError(t, err)
	return rejected, doubtful
}

func nested(path dropped.Path, value any) map[string]any {
	for i := len(path) - 1; i >= 0; i-- {
		value = map[string]any{path[i]: value}
	}
	return value.(map[string]any)
}
