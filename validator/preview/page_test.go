package preview_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/webpage/webpagetest"
	"gitops-runtime/validator/preview"
)

var update = flag.Bool("update", false, "write the pages below testdata")

// hostile is text that would have an effect in a page, or in Markdown, that does not escape it.
const hostile = "</code></p><script>alert(1)</script><img src=x onerror=alert(2)>\"'`` **@all** | [a](javascript:x)"

func hostileReport() preview.Report {
	value := hostile
	item := preview.Item{
		Change: "restarts", Component: hostile, Object: "Deployment/" + hostile, Message: hostile, Alarms: []string{"restarts", "gaps"},
		Details: []preview.Detail{{Path: hostile, Before: &value, After: &value, Cause: hostile}},
	}
	return preview.Report{
		Schema: preview.Schema, Version: "1.0.0", Before: hostile, After: hostile, Namespace: "ns", Release: "demo", Kubernetes: hostile,
		Sections: []preview.Section{
			{Name: "restarts", Title: "Which pods restart", Items: []preview.Item{item}, Notes: []string{hostile}, Unknown: []string{hostile}},
			{Name: "reach", Title: "Who can reach what", Items: []preview.Item{{Change: "gains", Object: hostile, Alarms: []string{"rights"}}, {Change: "loses", Object: hostile}}},
			{Name: "images", Title: "Which images change"},
		},
	}
}

// The page and the Markdown escape what a report contains.
func TestHostileText(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"html": "preview.html", "markdown": "preview.md"} {
		var out bytes.Buffer
		require.NoError(t, preview.Formats(false)[name](&out, hostileReport()))
		if name == "html" {
			assert.Empty(t, webpagetest.Faults(out.String()))
			for _, raw := range []string{"<script>alert", "<img"} {
				assert.NotContains(t, out.String(), raw)
			}
		}
		golden := filepath.Join("testdata", file)
		if *update {
			require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o600))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, string(want), out.String())
	}
}
