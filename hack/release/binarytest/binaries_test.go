//go:build binaries

package binarytest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/statement"
	"gitops-runtime/hack/release/version"
	"gitops-runtime/internal/gomodule"
)

// made has the files of make binaries, by path below out/dist.
type made struct {
	root, version, keys string
	files               map[string][]byte
}

var programs = []string{"validate-values", "image-override"}

// platforms are those of every release.
var platforms = []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64", "windows_arm64"}

// source is the repository of the test's release.
const source = "https://github.com/example/gitops-runtime"

// build runs make binaries, signed with a key of the test, and reads the files of the release.
func build(t *testing.T, keys string) made {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	current, err := version.Read(root)
	require.NoError(t, err)
	run(t, root, "make", "binaries", "COSIGN_KEY="+filepath.Join(keys, "cosign.key"), "OFFLINE=1", "ARGS=")
	m := made{root: root, version: current, keys: keys, files: map[string][]byte{}}
	dist := filepath.Join(root, "out", "dist")
	for _, pattern := range []string{"*.tar.gz", "*.zip", "*.spdx.json", "checksums.txt", "checksums.txt.sigstore.json", "homebrew/Casks/*.rb", "krew/*.yaml", "../manual/*.schema.json"} {
		found, err := filepath.Glob(filepath.Join(dist, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		for _, file := range found {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			relative, err := filepath.Rel(dist, file)
			require.NoError(t, err)
			m.files[strings.TrimPrefix(filepath.ToSlash(relative), "../manual/")] = content
		}
	}
	return m
}

// run runs a program without the environment variables for keys and repositories.
func run(t *testing.T, folder, program string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir = folder
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "COSIGN_") && !strings.HasPrefix(pair, "MAKE") {
			command.Env = append(command.Env, pair)
		}
	}
	command.Env = append(command.Env, "COSIGN_PASSWORD=", "SOURCE_URL="+source)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", program, arguments, out)
	return string(out)
}

func (m made) archive(program, platform string) string {
	ending := "tar.gz"
	if strings.HasPrefix(platform, "windows") {
		ending = "zip"
	}
	return fmt.Sprintf("%s_%s_%s.%s", program, m.version, platform, ending)
}

// A release has both programs for every platform, signed checksums, SBOMs and manifests; a second build produces the same bytes.
func TestBinaries(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	keys := t.TempDir()
	commit := func() string { return run(t, root, "git", "rev-parse", "HEAD") }
	before := commit()
	run(t, keys, filepath.Join(root, "bin", "cosign"), "generate-key-pair")
	first := build(t, keys)
	t.Run("archives", first.archives)
	t.Run("checksums", first.checksums)
	t.Run("SBOMs", first.sboms)
	t.Run("Homebrew", first.homebrew)
	t.Run("Krew", first.krew)
	t.Run("plugin of kubectl", first.plugin)

	second := build(t, keys)
	require.Equal(t, before, commit(), "the commit of the checkout changed during the test, and the files have its time")
	for name, content := range first.files {
		if name != "checksums.txt.sigstore.json" { // ECDSA signs with a random number
			require.Equal(t, sum(content), sum(second.files[name]), "%s differs between builds", name)
		}
	}
	require.Len(t, second.files, len(first.files))
}

// content returns the files of an archive by name.
func (m made) content(t *testing.T, archive string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	if strings.HasSuffix(archive, ".zip") {
		opened, err := zip.NewReader(bytes.NewReader(m.files[archive]), int64(len(m.files[archive])))
		require.NoError(t, err, archive)
		for _, entry := range opened.File {
			file, err := opened.Open(entry.Name)
			require.NoError(t, err)
			found[entry.Name], err = io.ReadAll(file)
			require.NoError(t, err)
		}
		return found
	}
	plain, err := gzip.NewReader(bytes.NewReader(m.files[archive]))
	require.NoError(t, err, archive)
	opened := tar.NewReader(plain)
	for {
		header, err := opened.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		require.Equal(t, []any{"root", "root", 0, 0}, []any{header.Uname, header.Gname, header.Uid, header.Gid}, "%s contains the user of the build", header.Name)
		mode := int64(0o644)
		if !strings.Contains(header.Name, ".") && header.Name != "LICENSE" {
			mode = 0o755
		}
		require.Equal(t, mode, header.Mode, header.Name)
		found[header.Name], err = io.ReadAll(opened)
		require.NoError(t, err)
	}
}

// manual returns the names of the files that are packaged with a program.
func (m made) manual(t *testing.T, program string) []string {
	t.Helper()
	names := []string{"LICENSE"}
	for folder, pattern := range map[string]string{"man": program + "*.1", "completions": program + ".*"} {
		found, err := filepath.Glob(filepath.Join(m.root, "out", "manual", folder, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, found)
		for _, file := range found {
			names = append(names, folder+"/"+filepath.Base(file))
		}
	}
	return names
}

func (m made) archives(t *testing.T) {
	for _, program := range programs {
		for _, platform := range platforms {
			name, executable := m.archive(program, platform), program
			if strings.HasPrefix(platform, "windows") {
				executable += ".exe"
			}
			content := m.content(t, name)
			want := append(m.manual(t, program), executable)
			slices.Sort(want)
			require.Equal(t, want, slices.Sorted(maps.Keys(content)), name)
			require.NotContains(t, string(content[executable]), m.root, "%s contains a path of the build machine", name)
			info, err := buildinfo.Read(bytes.NewReader(content[executable]))
			require.NoError(t, err, name)
			settings := map[string]string{}
			for _, setting := range info.Settings {
				settings[setting.Key] = setting.Value
			}
			require.Equal(t, []string{strings.Replace(platform, "_", "/", 1), "0", "true"},
				[]string{settings["GOOS"] + "/" + settings["GOARCH"], settings["CGO_ENABLED"], settings["-trimpath"]}, name)
		}
	}
	for _, program := range programs {
		require.Equal(t, m.version+"\n", run(t, m.root, m.unpack(t, program, program), "version"))
	}
}

// unpack writes a program for this machine to a folder under a name, and returns its path.
func (m made) unpack(t *testing.T, program, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	content := m.content(t, m.archive(program, runtime.GOOS+"_"+runtime.GOARCH))
	require.NoError(t, os.WriteFile(file, content[program], 0o700))
	return file
}

func sum(content []byte) string {
	made := sha256.Sum256(content)
	return hex.EncodeToString(made[:])
}

// checksums compares the list with every file of a release except itself and its signature, which cosign verifies as the documentation describes.
func (m made) checksums(t *testing.T) {
	listed := map[string]string{}
	for line := range strings.Lines(string(m.files["checksums.txt"])) {
		digest, name, found := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		require.True(t, found, line)
		listed[name] = digest
	}
	want := map[string]string{}
	for name, content := range m.files {
		if path.Dir(name) == "." && !strings.HasPrefix(name, "checksums.txt") {
			want[name] = sum(content)
		}
	}
	require.Equal(t, want, listed)
	require.Len(t, listed, 2*len(programs)*len(platforms)+1) // and the schema of all values

	page, err := os.ReadFile(filepath.Join(m.root, "docs", "verify.md"))
	require.NoError(t, err)
	shown := regexp.MustCompile(`(?m)^\$ cosign (verify-blob .*--key .*checksums\.txt)$`).FindStringSubmatch(string(page))
	require.NotNil(t, shown)
	folder := t.TempDir()
	for _, name := range []string{"checksums.txt", "checksums.txt.sigstore.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), m.files[name], 0o600))
	}
	key, err := os.ReadFile(filepath.Join(m.keys, "cosign.pub"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "cosign.pub"), key, 0o600))
	cosign := filepath.Join(m.root, "bin", "cosign")
	verify := append(strings.Fields(shown[1]), "--insecure-ignore-tlog=true")
	require.Contains(t, run(t, folder, cosign, verify...), "Verified OK")
	archive := m.archive("validate-values", "linux_amd64")
	require.NoError(t, os.WriteFile(filepath.Join(folder, archive), m.files[archive], 0o600))
	require.Contains(t, string(page), "\n$ sha256sum --check --ignore-missing checksums.txt\n")
	require.Equal(t, archive+": OK\n", run(t, folder, "sha256sum", "--check", "--ignore-missing", "checksums.txt"))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "checksums.txt"), append(m.files["checksums.txt"], '\n'), 0o600))
	command := exec.CommandContext(t.Context(), cosign, verify...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	require.Error(t, err, string(out))
}

func (m made) sboms(t *testing.T) {
	for _, program := range programs {
		for _, platform := range platforms {
			executable := program
			if strings.HasPrefix(platform, "windows") {
				executable += ".exe"
			}
			content := m.content(t, m.archive(program, platform))
			document, err := statement.CheckSBOM(m.files[fmt.Sprintf("%s_%s_%s.spdx.json", program, m.version, platform)], sum(content[executable]))
			require.NoError(t, err, "%s for %s", program, platform)
			require.Greater(t, len(document.Packages), 20)
		}
	}
}

// homebrew compares each cask with the archives of every platform except Windows. https://docs.brew.sh/Cask-Cookbook
func (m made) homebrew(t *testing.T) {
	for _, program := range programs {
		text := string(m.files["homebrew/Casks/"+program+".rb"])
		require.Contains(t, text, `cask "`+program+`" do`)
		require.Contains(t, text, `version "`+m.version+`"`)
		found := map[string]string{}
		for _, match := range regexp.MustCompile(`sha256 "([0-9a-f]{64})"\s+url "([^"]+)"`).FindAllStringSubmatch(text, -1) {
			found[strings.ReplaceAll(match[2], "#{version}", m.version)] = match[1]
		}
		want := map[string]string{}
		for _, platform := range platforms[:4] {
			archive := m.archive(program, platform)
			want[source+"/releases/download/v"+m.version+"/"+archive] = sum(m.files[archive])
		}
		require.Equal(t, want, found)
		named := []string{}
		for _, match := range regexp.MustCompile(`(?m)^  (?:manpage|\w+_completion) "([^"]+)"$`).FindAllStringSubmatch(text, -1) {
			named = append(named, match[1])
		}
		// what a cask cannot contain
		beside := slices.DeleteFunc(m.manual(t, program), func(name string) bool { return name == "LICENSE" || strings.HasSuffix(name, ".ps1") })
		require.ElementsMatch(t, beside, named)
	}
}

// krew compares each manifest with the archives of every platform. https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/
func (m made) krew(t *testing.T) {
	type platform struct {
		URI, SHA256, Bin string
		Selector         struct{ MatchLabels map[string]string }
	}
	for _, program := range programs {
		var manifest struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
			Spec             struct {
				Version, Homepage, ShortDescription, Description string
				Platforms                                        []platform
			}
		}
		require.NoError(t, yaml.UnmarshalStrict(m.files["krew/"+program+".yaml"], &manifest))
		require.Equal(t, []string{"krew.googlecontainertools.github.com/v1alpha2", "Plugin", program, "v" + m.version},
			[]string{manifest.APIVersion, manifest.Kind, manifest.Metadata.Name, manifest.Spec.Version})
		require.NotEmpty(t, manifest.Spec.ShortDescription)
		require.LessOrEqual(t, len(manifest.Spec.ShortDescription), 50)
		var want []platform
		for _, one := range platforms {
			archive := m.archive(program, one)
			system, architecture, _ := strings.Cut(one, "_")
			row := platform{URI: source + "/releases/download/v" + m.version + "/" + archive, SHA256: sum(m.files[archive]), Bin: program}
			if system == "windows" {
				row.Bin += ".exe"
			}
			row.Selector.MatchLabels = map[string]string{"os": system, "arch": architecture}
			want = append(want, row)
		}
		require.ElementsMatch(t, want, manifest.Spec.Platforms)
	}
}

// plugin runs each program through kubectl as Krew installs it: with the file name of a plugin, which has underscores instead of dashes.
func (m made) plugin(t *testing.T) {
	for _, program := range programs {
		file := m.unpack(t, program, "kubectl-"+strings.ReplaceAll(program, "-", "_"))
		command := exec.CommandContext(t.Context(), filepath.Join(m.root, "bin", "kubectl"), program, "version")
		command.Env = append(os.Environ(), "PATH="+filepath.Dir(file)+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, m.version+"\n", string(out))
		require.Contains(t, run(t, m.root, file, "--help"), "kubectl "+program)
	}
}
