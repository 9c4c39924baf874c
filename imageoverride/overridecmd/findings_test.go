package overridecmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"gitops-runtime/internal/testkit"
)

// TestFindings: each chart of findings.txtar is reported as its file "want" says, with the values and the mirror table that are written.
func TestFindings(t *testing.T) {
	const path = "testdata/findings.txtar"
	archive, err := txtar.ParseFile(path)
	require.NoError(t, err)
	folder, wanted := t.TempDir(), map[string]string{}
	var order []string
	var kept []txtar.File
	for _, file := range archive.Files {
		name, below, _ := strings.Cut(file.Name, "/")
		if _, known := wanted[name]; !known {
			order, wanted[name] = append(order, name), ""
			testkit.WriteFile(t, filepath.Join(folder, name, "Chart.yaml"), "apiVersion: v2\nname: "+name+"\nversion: 0.1.0\n")
		}
		if below == "want" {
			wanted[name] = string(file.Data)
			continue
		}
		kept = append(kept, file)
		testkit.WriteFile(t, filepath.Join(folder, file.Name), string(file.Data))
	}
	require.GreaterOrEqual(t, len(order), 12)
	for _, name := range order {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			got := run(t, "generate", filepath.Join(folder, name), "--registry", "reg.corp", "--kube-version", "1.33", "-o", out)
			text := strings.ReplaceAll(got.out+got.err, out, "out")
			for _, file := range []string{"values-images-no-tags.yaml", "image-mirror.csv"} {
				data, err := os.ReadFile(filepath.Join(out, file))
				require.NoError(t, err)
				_, data2, _ := strings.Cut(string(data), "\n\n")
				if file == "image-mirror.csv" {
					_, data2, _ = strings.Cut(string(data), "\n")
				}
				text += data2
			}
			if *update {
				kept = append(kept, txtar.File{Name: name + "/want", Data: []byte(text)})
				return
			}
			assert.Equal(t, wanted[name], text)
		})
	}
	if *update {
		require.NoError(t, os.WriteFile(path, txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: kept}), 0o600))
	}
}
