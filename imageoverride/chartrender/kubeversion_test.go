package chartrender_test

import (
	"context"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/chartrender"
)

// TestKubernetesVersionIsHelms: the default version is that of the client-go of the module, which Helm uses as well.
func TestKubernetesVersionIsHelms(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	minor := regexp.MustCompile(`k8s\.io/client-go v0\.(\d+)\.`).FindSubmatch(text)
	require.NotNil(t, minor)
	require.Equal(t, "v1."+string(minor[1])+".0", chartrender.DefaultKubeVersion)
}

func TestKubeVersion(t *testing.T) {
	cases := []struct {
		constraint, given, want, fail string
	}{
		{"", "", chartrender.DefaultKubeVersion, ""},
		{">=1.25.0-0", "", chartrender.DefaultKubeVersion, ""},
		{"<1.30.0", "", "v1.29.0", ""},
		{">=1.38.0-0", "", "v1.45.0", ""},
		{"", "1.33.0", "v1.33.0", ""},
		{"", "v1.33.4", "v1.33.4", ""},
		{"<1.30.0", "1.33.0", "", `chart small: its kubeVersion "<1.30.0" does not allow Kubernetes v1.33.0; give another with --kube-version`},
		{"<1.5.0", "", "", `chart small: its kubeVersion "<1.5.0" does not allow Kubernetes ` + chartrender.DefaultKubeVersion + `; give another with --kube-version`},
		{"", "latest", "", `chart small: --kube-version "latest" is not a version; write one such as 1.33`},
	}
	for _, test := range cases {
		c := small("a: {{ .Capabilities.KubeVersion.Version }}")
		c.Metadata.KubeVersion = test.constraint
		r, err := chartrender.NewRenderer(c, chartrender.Settings{KubeVersion: test.given})
		if test.fail != "" {
			require.EqualError(t, err, test.fail)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, test.want, r.KubeVersion())
		output, err := r.Render(context.Background(), nil)
		require.NoError(t, err)
		require.Equal(t, "a: "+test.want, output.Documents[0].Text)
	}
}

// TestSchemasFetchNothing: references to other documents are reported and ignored; the rest of the schema is still checked.
func TestSchemasFetchNothing(t *testing.T) {
	c := small("a: 1")
	c.Schema = []byte(`{"$schema": "http://127.0.0.1:1/draft", "properties": {"a": {"$ref": "http://127.0.0.1:1/a.json"}, "b": {"$ref": "#/$defs/b"}, "c": {"$ref": "file:///etc/hostname"}}, "$defs": {"b": {"type": "string"}}}`)
	r, err := chartrender.NewRenderer(c, chartrender.Settings{})
	require.NoError(t, err)
	require.Equal(t, []string{"file:///etc/hostname", "http://127.0.0.1:1/a.json", "http://127.0.0.1:1/draft"}, r.RemoteSchemas())
	require.NoError(t, r.Check(t.Context(), map[string]any{"a": 1, "b": "x"}))
	require.ErrorContains(t, r.Check(t.Context(), map[string]any{"b": 1}), "the schema refuses them\nsmall:\n- at '/b': got number, want string")
}

// TestDecodeTakesTheLastOfTwoKeys: the last of two duplicate keys is used, as in Helm.
func TestDecodeTakesTheLastOfTwoKeys(t *testing.T) {
	parts, err := chartrender.Decode("a: 1\na: {x: two, x: three}\n<<: {a: 4, b: merged}\n---\n[1, null, ~, 2024-01-01]\n")
	require.NoError(t, err)
	require.Equal(t, []any{
		map[string]any{"a": map[string]any{"x": "three"}, "b": "merged"},
		[]any{chartrender.Literal("1"), nil, nil, "2024-01-01"},
	}, parts)
}
