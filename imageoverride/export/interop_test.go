package export_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	crane "github.com/google/go-containerregistry/cmd/crane/cmd"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/export"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror/mirrortest"
	"gitops-runtime/internal/registry/registrytest"
)

// TestMain runs crane if the program has that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "crane" {
		os.Exit(m.Run())
	}
	if err := crane.Root.ExecuteContext(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// filled starts two registries and returns the mapping of three images in the first one to the second: by tag, by digest, and by both.
func filled(t *testing.T) []mapping.Pair {
	t.Helper()
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 3, 0)
	digest := registrytest.DigestAt(t, pairs[2].Source)
	pairs[2].Source, pairs[2].Target = pairs[2].Source+"@"+digest, pairs[2].Target+"@"+digest
	return pairs
}

// write writes the files of a format into a folder.
func write(t *testing.T, format string, pairs []mapping.Pair) string {
	t.Helper()
	files, err := export.Write(format, pairs)
	require.NoError(t, err)
	folder := t.TempDir()
	for name, data := range files {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, data, 0o755))
	}
	return folder
}

// run runs a program and returns what it prints.
func run(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Env = append(os.Environ(), env...)
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	require.NoError(t, err, said.String())
	return string(out)
}

func copied(t *testing.T, pairs []mapping.Pair) {
	t.Helper()
	for _, pair := range pairs {
		want := registrytest.DigestAt(t, pair.Source)
		require.NotEmpty(t, want)
		require.Equal(t, want, registrytest.DigestAt(t, strings.SplitN(pair.Target, "@", 2)[0]), pair.Target)
	}
}

// TestCraneRunsTheScript runs the script with crane, which is a package of the registry library.
func TestCraneRunsTheScript(t *testing.T) {
	pairs := filled(t)
	bin := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "crane")))
	run(t, []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, filepath.Join(write(t, "crane", pairs), "mirror-crane.sh"))
	copied(t, pairs)
}

// TestRegsyncRunsTheFile runs regsync, pinned in hack/tools/go.mod, with the file.
func TestRegsyncRunsTheFile(t *testing.T) {
	pairs := filled(t)
	path := filepath.Join(write(t, "regsync", pairs), "regsync.yaml")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	for i, host := range []string{pairs[0].Source, pairs[0].Target} {
		name, _, _ := strings.Cut(host, "/")
		_, err = file.WriteString([]string{"creds:\n", ""}[i] + "  - {registry: \"" + name + "\", tls: disabled}\n")
		require.NoError(t, err)
	}
	require.NoError(t, file.Close())
	run(t, nil, "go", "-C", "../../hack/tools", "tool", "regsync", "once", "--config", path)
	copied(t, pairs)
}

// TestContainerdReadsTheHosts reads the folder with containerd's library, in hack/tools/containerd-hosts.
func TestContainerdReadsTheHosts(t *testing.T) {
	root := filepath.Join(write(t, "hosts", pairs(t, mapping.HostPrefix, "nats:2", "quay.io/a/b:v1")), "certs.d")
	require.Equal(t, "docker.io https://r.io/v2/x/docker.io\ndocker.io https://registry-1.docker.io/v2\n"+
		"quay.io https://r.io/v2/x/quay.io\nquay.io https://quay.io/v2\n",
		run(t, nil, "go", "-C", "../../hack/tools", "run", "./containerd-hosts", root, "docker.io", "quay.io"))
}

// TestSkopeoKnowsTheFields parses the file with the fields that skopeo-sync(1) documents, because skopeo's parser is not a separate package.
func TestSkopeoKnowsTheFields(t *testing.T) {
	type registry struct {
		Images        map[string][]string `json:"images"`
		ImagesByRegex map[string]string   `json:"images-by-tag-regex"`
		Credentials   map[string]string   `json:"credentials"`
		TLSVerify     *bool               `json:"tls-verify"`
		CertDir       string              `json:"cert-dir"`
	}
	path := filepath.Join(write(t, "skopeo", pairs(t, mapping.HostPrefix, "nats:2", "nats:3.1", "quay.io/a/b@"+sum)), "skopeo.yaml")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var content map[string]registry
	require.NoError(t, yaml.UnmarshalStrict(data, &content))
	require.Equal(t, map[string]registry{
		"docker.io": {Images: map[string][]string{"library/nats": {"2", "3.1"}}},
		"quay.io":   {Images: map[string][]string{"a/b": {sum}}},
	}, content)
}

// TestSkopeoRunsTheFile runs skopeo if it is installed, with quay.io and docker.io redirected to a registry of this process, since it syncs public
// names.
func TestSkopeoRunsTheFile(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	var conf strings.Builder
	for _, host := range []string{"docker.io", "quay.io"} {
		fmt.Fprintf(&conf, "[[registry]]\nprefix = %q\nlocation = %q\ninsecure = true\n", host, from.Name+"/"+host)
		for _, image := range []string{"/team/app:v1", "/team/app:v2", "/team/deep/side:v1"} {
			registrytest.Push(t, from.Name+"/"+host+image, registrytest.List(t, host+image, 0))
		}
	}
	pinned := registrytest.DigestAt(t, from.Name+"/quay.io/team/deep/side:v1")
	var table []mapping.Pair
	for _, image := range []string{"docker.io/team/app:v1", "docker.io/team/app:v2", "quay.io/team/app:v1", "quay.io/team/deep/side@" + pinned} {
		table = append(table, mapping.Pair{Source: image, Target: to.Name + "/x/" + image})
	}
	folder := write(t, "skopeo", table)
	path, settings := filepath.Join(folder, "skopeo.yaml"), filepath.Join(folder, ".config", "containers", "registries.conf")
	require.NoError(t, os.MkdirAll(filepath.Dir(settings), 0o700))
	require.NoError(t, os.WriteFile(settings, []byte(conf.String()), 0o600))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	heading, _, _ := strings.Cut(string(data), "\n")
	command := strings.Fields(strings.TrimPrefix(heading, "# "))
	require.Equal(t, []string{"skopeo", "sync", "--all", "--preserve-digests", "--scoped", "--src", "yaml", "--dest", "docker", "skopeo.yaml", to.Name + "/x"}, command)
	if _, err := exec.LookPath("skopeo"); err != nil {
		t.Log("skopeo is not installed: its command was read, not run")
		return
	}
	command[9] = path
	run(t, []string{"HOME=" + folder, "XDG_CONFIG_HOME=" + filepath.Join(folder, ".config")}, command[0], append(command[1:], "--dest-tls-verify=false", "--src-tls-verify=false")...)
	for _, pair := range table {
		want := registrytest.DigestAt(t, from.Name+"/"+pair.Source)
		require.NotEmpty(t, want)
		require.Equal(t, want, registrytest.DigestAt(t, pair.Target), pair.Target)
	}
}
