package images

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

// instructions are the lines of a Dockerfile's last stages by their first word,
// continued lines as one.
func instructions(t *testing.T, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	found := map[string][]string{}
	for _, line := range strings.Split(strings.ReplaceAll(string(text), "\\\n", " "), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		if word != "" && !strings.HasPrefix(word, "#") {
			found[word] = append(found[word], strings.Join(strings.Fields(rest), " "))
		}
	}
	return found
}

// The Dockerfiles of this module's programs copy every folder that the program
// is made of, and make the images that the local cluster runs.
func TestDockerfilesMakeWhatIsBuiltHere(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	for name, main := range map[string]string{"validate-values": "./validator/cmd/validate-hook", "image-override": "./imageoverride/cmd/image-override"} {
		t.Run(name, func(t *testing.T) {
			folder, _, _ := strings.Cut(strings.TrimPrefix(main, "./"), "/")
			made := own(name, main)
			file := instructions(t, filepath.Join(root, folder, "Dockerfile"))

			list := exec.CommandContext(context.Background(), "go", "list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{.Dir}}{{end}}{{end}}", main)
			list.Dir = root
			out, err := list.Output()
			require.NoError(t, err)
			var needed, copied []string
			for _, directory := range strings.Fields(string(out)) {
				relative, err := filepath.Rel(root, directory)
				require.NoError(t, err)
				top, _, _ := strings.Cut(relative, string(filepath.Separator))
				needed = append(needed, top)
			}
			slices.Sort(needed)
			for _, arguments := range file["COPY"] {
				if from, to, _ := strings.Cut(arguments, " "); from == to {
					copied = append(copied, from)
				}
			}
			slices.Sort(copied)
			require.Equal(t, slices.Compact(needed), copied)

			require.Contains(t, file["RUN"][1], "go build -trimpath -buildvcs=false -ldflags \"-s -w")
			require.True(t, strings.HasSuffix(file["RUN"][1], "-o /"+name+" "+main), file["RUN"][1])
			require.Equal(t, "scratch", file["FROM"][1])
			require.Contains(t, file["COPY"], "--from=build /"+name+" "+made.config.Entrypoint[0])
			require.Contains(t, file["COPY"], "--from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt")
			require.Equal(t, []string{`["` + made.config.Entrypoint[0] + `"]`}, file["ENTRYPOINT"])
			require.Equal(t, []string{made.config.User + ":" + made.config.User}, file["USER"])
		})
	}
}
