package overridecmd_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/imageoverride/overridecmd"
)

// Shells complete each flag with a closed set of values, and no files there.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"generate --strategy ": "host-prefix\nkeep-path\nflat\n:4\n",
		"export --format ":     "annotations\ncrane\nhosts\nregsync\nskopeo\n:4\n",
		"list --format ":       "table\njson\ncsv\n:4\n",
	} {
		t.Run(line, func(t *testing.T) {
			var out bytes.Buffer
			assert.Zero(t, overridecmd.Main(append([]string{"__complete"}, strings.Split(line, " ")...), overridecmd.Streams{Out: &out, Err: &bytes.Buffer{}, Version: "0.1.0"}))
			assert.Equal(t, want, out.String())
		})
	}
}
