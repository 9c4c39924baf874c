package mirror_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mirror"
)

// Reading a journal or a lock file does not panic, and a journal that can be read can be read again.
func FuzzFiles(f *testing.F) {
	digest := "sha256:" + strings.Repeat("1", 64)
	f.Add(`{"source":"quay.io/a:1","target":"reg.corp/a:1","digest":"` + digest + `"}` + "\n" + `{"target":"reg.corp/a:1","blob":"` + digest + `","begun":true}` + "\n{")
	f.Add(`[{"source":"quay.io/a:1","target":"reg.corp/a:1","digest":"` + digest + `","platforms":{"linux/amd64":"` + digest + `"}}]`)
	f.Add("null\n")
	path := filepath.Join(f.TempDir(), "file")
	f.Fuzz(func(t *testing.T, text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, _ = mirror.ReadLock(path)
		for range 2 {
			journal, err := mirror.OpenJournal(path)
			if err != nil {
				return
			}
			require.NoError(t, journal.Close())
		}
	})
}
