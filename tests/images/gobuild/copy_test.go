package gobuild

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEditFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, want, err string
	}{
		"once":      {text: "import (\nrun()\n", want: "import (\n\"context\"\nrun(ctx)\n"},
		"not there": {text: "import (\nrun(a)\n", err: `"run()" occurs 0 times instead of once: adapt the replacement to this version of the module`},
		"twice":     {text: "import (\nrun(); run()\n", err: `"run()" occurs 2 times instead of once: adapt the replacement to this version of the module`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "main.go")
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
			err := editFile(file, []Replacement{{Old: "import (\n", New: "import (\n\"context\"\n"}, {Old: "run()", New: "run(ctx)"}})
			written, readErr := os.ReadFile(file)
			require.NoError(t, readErr)
			if c.err != "" {
				assert.EqualError(t, err, c.err)
				assert.Equal(t, c.text, string(written), "a failed edit changes nothing")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, string(written))
		})
	}
}
