package preview_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/validator/preview"
)

// A value is hidden because of its name or its form; names of what only refers to a credential are shown, so that reports can say which Secret is meant.
func TestWhatIsHidden(t *testing.T) {
	t.Parallel()
	const shown = false
	tests := map[string]struct {
		values map[string]any
		text   string
		hidden bool
	}{
		"password":                       {map[string]any{"redis": map[string]any{"password": "correct horse"}}, "correct horse", true},
		"token of a list":                {map[string]any{"tokens": []any{"first token", "second token"}}, "second token", true},
		"name of an existing Secret":     {map[string]any{"redis": map[string]any{"existingSecret": "redis-credentials"}}, "redis-credentials", shown},
		"key in an existing Secret":      {map[string]any{"existingSecretPasswordKey": "redis-password"}, "redis-password", shown},
		"path of a key":                  {map[string]any{"privateKeyFile": "/etc/tls/server.pem"}, "/etc/tls/server.pem", shown},
		"short":                          {map[string]any{"password": "admin"}, "admin", shown},
		"form of a token":                {map[string]any{"note": "ghp_abcdefghijklmnop1234"}, "ghp_abcdefghijklmnop1234", true},
		"password in the URL of a proxy": {map[string]any{"proxy": "http://user:hunter22@proxy.example.com"}, "http://user:hunter22@proxy.example.com", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hidden := preview.NewHidden()
			hidden.Add(test.values)
			want := "before " + test.text + " after"
			if test.hidden {
				want = "before (hidden) after"
			}
			assert.Equal(t, want, hidden.Text("before "+test.text+" after"))
		})
	}
}
