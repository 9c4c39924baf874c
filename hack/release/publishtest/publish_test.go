//go:build publish

package publishtest

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

// world is a registry that stores its blobs in a folder, with a key pair and the programs.
type world struct {
	root, place, blobs, keys, release string
	mu                                sync.Mutex
	writes                            int
	killAt                            int
	kill                              func()
	// tampered is what the registry serves instead of some blobs, by digest; it verifies what it stores.
	tampered map[string][]byte
}

// counting counts the writes to a registry.
func (w *world) counting(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodGet && request.Method != http.MethodHead {
			w.mu.Lock()
			w.writes++
			if w.writes == w.killAt {
				w.kill()
			}
			w.mu.Unlock()
		}
		w.mu.Lock()
		other, is := w.tampered[path.Base(request.URL.Path)]
		w.mu.Unlock()
		if is && request.Method == http.MethodGet {
			_, _ = answer.Write(other)
			return
		}
		inner.ServeHTTP(answer, request)
	})
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	w := &world{root: root, blobs: t.TempDir(), keys: t.TempDir(), release: filepath.Join(t.TempDir(), "release")}
	server := httptest.NewServer(w.counting(registry.New(registry.WithBlobHandler(registry.NewDiskBlobHandler(w.blobs)), registry.Logger(log.New(io.Discard, "", 0)))))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	require.NoError(t, err)
	w.place = "localhost:" + port + "/team/runtime"
	w.run(t, w.keys, filepath.Join(root, "bin", "cosign"), "generate-key-pair")
	w.generatePGP(t)
	w.run(t, root, "go", "build", "-o", w.release, "./hack/release/cmd/release")
	return w
}

// command runs in a folder, without the environment variables for keys.
func (w *world) command(t *testing.T, folder, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir = folder
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "COSIGN_") {
			command.Env = append(command.Env, pair)
		}
	}
	command.Env = append(command.Env, "COSIGN_PASSWORD=", "OFFLINE=1")
	return command
}

func (w *world) run(t *testing.T, folder, program string, arguments ...string) string {
	t.Helper()
	out, err := w.command(t, folder, program, arguments...).CombinedOutput()
	require.NoError(t, err, "%s %v: %s", program, arguments, out)
	return string(out)
}

func (w *world) publishing() []string {
	return []string{"publish", w.place, "--dirty", "--by-tag", "--key", filepath.Join(w.keys, "cosign.key"), "--pgp-keyring", filepath.Join(w.keys, "private.gpg"), "--pgp-key", "Release"}
}

func (w *world) verifying() []string {
	return []string{"verify", w.place, "--allow-dirty", "--public-key", filepath.Join(w.keys, "cosign.pub")}
}

func (w *world) written() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.writes
}

// A published release is verified by cosign and Helm, a second run writes nothing, a run that was killed is completed, and a changed byte is
// reported.
func TestPublish(t *testing.T) {
	w := newWorld(t)
	killed := w.command(t, w.root, w.release, w.publishing()...)
	var said bytes.Buffer
	killed.Stdout, killed.Stderr = &said, &said
	w.killAt, w.kill = 60, func() { _ = killed.Process.Kill() }
	require.ErrorContains(t, killed.Run(), "killed", said.String())

	begun := time.Now()
	first := w.run(t, w.root, w.release, w.publishing()...)
	t.Logf("the rest took %.0f s:\n%s", time.Since(begun).Seconds(), first)
	require.Regexp(t, `(?m)^  present   \S+/gitops-runtime-installer:`, first, "a complete artifact is published again")
	require.Equal(t, 12, strings.Count(first, "@sha256:"))
	before := w.written()
	second := w.run(t, w.root, w.release, w.publishing()...)
	require.Equal(t, before, w.written(), second)
	require.Equal(t, 12, strings.Count(second, "  present   "))
	require.Equal(t, 12, strings.Count(w.run(t, w.root, w.release, w.verifying()...), "  ok   "))

	w.docs(t)
	w.tamper(t)
}

var fenced = regexp.MustCompile("(?s)```console\n(.*?)```")

// documented is the registry in the documentation for users.
const documented = "registry.example.com/gitops"

// docs runs the commands with a key in the documentation for users.
func (w *world) docs(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(w.root, "docs", "verify.md"))
	require.NoError(t, err)
	ran := 0
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		for _, line := range strings.Split(block[1], "\n") {
			typed, is := strings.CutPrefix(line, "$ cosign ")
			if !is || !strings.Contains(typed, "--key") || !strings.Contains(typed, documented) {
				continue // commands for keyless signatures, or for released binaries, which binarytest verifies
			}
			typed = strings.ReplaceAll(typed, documented, w.place)
			w.run(t, w.keys, filepath.Join(w.root, "bin", "cosign"), append(strings.Fields(typed), "--insecure-ignore-tlog=true")...)
			ran++
		}
	}
	require.Equal(t, 3, ran)
	rendered := w.run(t, w.root, filepath.Join(w.root, "bin", "helm"), "template", "a", "oci://"+w.place+"/gitops-runtime", "--version", strings.TrimSpace(read(t, w.root, "VERSION")),
		"--set", "global.runtime.name=a,global.codefresh.accountId=b,global.codefresh.userToken.token=c")
	w.plugin(t)
	for _, helm := range []string{"helm", "helm-4"} {
		w.run(t, t.TempDir(), filepath.Join(w.root, "bin", helm), "pull", "oci://"+w.place+"/gitops-runtime", "--version", strings.TrimSpace(read(t, w.root, "VERSION")), "--plain-http",
			"--verify", "--keyring", filepath.Join(w.keys, "public.gpg"))
	}
	require.Regexp(t, `image: "?`+regexp.QuoteMeta(w.place)+`/gitops-runtime-installer@sha256:[0-9a-f]{64}`, rendered)
}

// generatePGP writes a key pair of OpenPGP, older than the commit, into the folder of keys.
func (w *world) generatePGP(t *testing.T) {
	t.Helper()
	key, err := openpgp.NewEntity("Release", "", "release@example.com", &packet.Config{
		Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) },
	})
	require.NoError(t, err)
	var private, public bytes.Buffer
	require.NoError(t, key.SerializePrivateWithoutSigning(&private, nil))
	require.NoError(t, key.Serialize(&public))
	require.NoError(t, os.WriteFile(filepath.Join(w.keys, "private.gpg"), private.Bytes(), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(w.keys, "public.gpg"), public.Bytes(), 0o600))
}

// plugin installs the plugin with Helm 4, which verifies its provenance file.
func (w *world) plugin(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	helm := func(arguments ...string) string {
		command := w.command(t, home, filepath.Join(w.root, "bin", "helm-4"), arguments...)
		command.Env = append(command.Env, "HELM_DATA_HOME="+home, "HELM_PLUGINS="+filepath.Join(home, "plugins"))
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	helm("plugin", "install", "oci://"+w.place+"/image-override-plugin:"+strings.TrimSpace(read(t, w.root, "VERSION")), "--verify", "--keyring", filepath.Join(w.keys, "public.gpg"), "--plain-http")
	require.Regexp(t, `(?m)^image-override\s+1\.`, helm("plugin", "list"))
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

// tamper changes one byte of the largest blob, a program, and then of a packaged chart, in what the registry serves.
func (w *world) tamper(t *testing.T) {
	t.Helper()
	for _, test := range []struct {
		pick func(size int64, content []byte) bool
		want string
	}{
		{func(size int64, _ []byte) bool { return size > 5<<20 }, `(?m)^  FAIL \S+/image-override:\S+: its platform linux/\S+ does not match its digest`},
		{func(size int64, content []byte) bool {
			return size < 1<<20 && bytes.HasPrefix(content, []byte{0x1f, 0x8b})
		}, `(?m)^  FAIL \S+: the chart does not match its digest`},
	} {
		file := w.blob(t, test.pick)
		changed, err := os.ReadFile(file)
		require.NoError(t, err)
		changed[len(changed)/2] ^= 1
		w.serve("sha256:"+filepath.Base(file), changed)
		out, err := w.command(t, w.root, w.release, w.verifying()...).CombinedOutput()
		require.Error(t, err)
		require.Regexp(t, test.want, string(out))
		require.Contains(t, string(out), "of 12 images and charts at "+w.place+" are not what was released; do not install them")
		w.serve("", nil)
	}
	require.Equal(t, 12, strings.Count(w.run(t, w.root, w.release, w.verifying()...), "  ok   "))
}

// serve serves other content for the blob with a digest, and only for that one.
func (w *world) serve(digest string, content []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tampered = map[string][]byte{digest: content}
}

// blob returns the path of the largest blob in the registry's storage that pick accepts.
func (w *world) blob(t *testing.T, pick func(size int64, content []byte) bool) string {
	t.Helper()
	found, largest := "", int64(0)
	require.NoError(t, filepath.WalkDir(w.blobs, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if size := int64(len(content)); err == nil && size > largest && pick(size, content) {
			found, largest = path, size
		}
		return err
	}))
	require.NotEmpty(t, found)
	return found
}
