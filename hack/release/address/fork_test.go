//go:build fork

package address_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"

	"gitops-runtime/hack/release/version"
	"gitops-runtime/internal/gomodule"
)

// fork is a copy of the checkout's files, with another address.
type fork struct{ root, module string }

func (f fork) run(t *testing.T, environment []string, program string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir = f.root
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false -trimpath", "GOGC=400"), environment...)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", program, arguments, out)
	return string(out)
}

func newFork(t *testing.T) fork {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	f := fork{t.TempDir(), "git.example.com/acme/runtime"}
	list, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-z").Output()
	require.NoError(t, err)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		from := filepath.Join(root, name)
		info, err := os.Stat(from)
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(f.root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(f.root, name), text, info.Mode()))
	}
	f.run(t, nil, "git", "init", "-q")
	f.run(t, nil, "git", "add", "-A")
	f.run(t, nil, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a")
	require.NoError(t, os.MkdirAll(filepath.Join(f.root, "bin"), 0o755))
	for _, tool := range []string{"helm", "benchstat"} {
		require.NoError(t, os.Symlink(filepath.Join(root, "bin", tool), filepath.Join(f.root, "bin", tool)))
	}
	return f
}

// A fork with an address of its own, generated again, builds and passes its tests, and Go installs its programs from a module proxy that consists of
// files. TESTS selects the packages; by default those that read what an address changes.
func TestFork(t *testing.T) {
	f := newFork(t)
	f.run(t, nil, "make", "address", "REPOSITORY="+f.module, "REGISTRY=oci://ghcr.io/acme/runtime", "ARGS=--maintainer=Ada")
	f.run(t, nil, "git", "add", "-A")
	f.run(t, nil, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "b")
	f.run(t, nil, "make", "generate")
	require.Empty(t, f.run(t, nil, "git", "status", "--porcelain"), "a second run of make generate changes files")
	f.run(t, nil, "go", "vet", "./...")
	f.run(t, nil, "go", "-C", "tests/e2e", "vet", "./...")
	tests := strings.Fields(os.Getenv("TESTS"))
	if len(tests) == 0 {
		tests = []string{"./hack/release/address", "./hack/release/version", "./hack/release/chartpack", "./internal/...", "./tests/readme", "./tests/artifacthub", "./tests/commands", "./tests/programs", "./validator/validatecmd"}
	}
	t.Log(f.run(t, nil, "go", append([]string{"test"}, tests...)...))

	proxy, bin := f.proxy(t), t.TempDir()
	cache := strings.TrimSpace(f.run(t, nil, "go", "env", "GOMODCACHE"))
	for program, folder := range map[string]string{"validate-values": "validator/cmd", "image-override": "imageoverride/cmd"} {
		line := "$ go install " + f.module + "/" + folder + "/" + program + "@v" + f.version(t)
		f.documented(t, line)
		f.run(t, []string{
			"GOPROXY=file://" + proxy + ",file://" + filepath.Join(cache, "cache", "download"), "GONOSUMDB=*", "GONOSUMCHECK=1", "GOFLAGS=-modcacherw -trimpath -buildvcs=false",
			"GOMODCACHE=" + filepath.Join(t.TempDir(), "modules"), "GOBIN=" + bin,
		}, "sh", "-c", "cd "+bin+" && "+strings.TrimPrefix(line, "$ "))
		require.Contains(t, f.run(t, nil, filepath.Join(bin, program), "--version"), f.version(t))
	}
}

func (f fork) version(t *testing.T) string {
	t.Helper()
	found, err := version.Read(f.root)
	require.NoError(t, err)
	return found
}

// documented tests that a page of the fork shows a command.
func (f fork) documented(t *testing.T, line string) {
	t.Helper()
	require.NotEmpty(t, f.run(t, nil, "git", "grep", "-lF", line, "--", "*.md"))
}

// proxy returns a folder with the fork's module in the layout of a module proxy: https://go.dev/ref/mod#goproxy-protocol
func (f fork) proxy(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	named := module.Version{Path: f.module, Version: "v" + f.version(t)}
	at := filepath.Join(folder, filepath.FromSlash(f.module), "@v")
	require.NoError(t, os.MkdirAll(at, 0o755))
	file, err := os.Create(filepath.Join(at, named.Version+".zip"))
	require.NoError(t, err)
	require.NoError(t, modzip.CreateFromVCS(file, named, f.root, "HEAD", ""))
	require.NoError(t, file.Close())
	info, err := json.Marshal(map[string]string{"Version": named.Version})
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(f.root, "go.mod"))
	require.NoError(t, err)
	for name, content := range map[string][]byte{named.Version + ".info": info, named.Version + ".mod": text, "list": []byte(named.Version + "\n")} {
		require.NoError(t, os.WriteFile(filepath.Join(at, name), content, 0o600))
	}
	return folder
}
