//go:build !race

package doctorcmd_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"gitops-runtime/validator/findings"
)

// Each fault is named with its code, its place and a fix; testdata/faults.txtar has the whole outputs.
func TestFaults(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile(faultsFile)
	require.NoError(t, err)
	want := map[string]string{}
	for _, one := range archive.Files {
		want[one.Name] = string(one.Data)
	}
	got, seen := &txtar.Archive{}, map[string]bool{}
	var mutex sync.Mutex
	t.Run("one", func(t *testing.T) { // until all have ended
		for _, name := range slices.Sorted(maps.Keys(faults())) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w, one := healthy(t, "tunnel"), faults()[name]
				one.with(t, w)
				file := filepath.Join(t.TempDir(), "report.json")
				code, out := examine(t, w, "-o", "json="+file)
				text, codes := printed(t, file)
				mutex.Lock()
				defer mutex.Unlock()
				assert.Equal(t, one.codes, strings.Join(codes, " "), out)
				assert.NotContains(t, out+text, "canary")
				assert.NotContains(t, out+text, "content-of-")
				if len(codes) > 0 {
					assert.NotZero(t, code+map[bool]int{true: 1}[warnsOnly(codes)])
				}
				for _, code := range codes {
					seen[code] = true
				}
				text = fmt.Sprintf("exit %d\n%s", code, text)
				got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(text)})
				if !*update {
					assert.Equal(t, want[name], text)
				}
			})
		}
	})
	slices.SortFunc(got.Files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	for _, row := range findings.RunningTable() {
		assert.True(t, seen[row.Code] || row.Code == "REL100", "no case finds %s", row.Code) // that one is of a fleet
	}
	if *update {
		require.NoError(t, os.WriteFile(faultsFile, txtar.Format(got), 0o600))
	}
	assert.True(t, *update || len(want) == len(got.Files), "the file has other cases")
}
