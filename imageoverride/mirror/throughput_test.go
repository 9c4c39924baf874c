package mirror_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	crane "github.com/google/go-containerregistry/cmd/crane/cmd"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/imageoverride/mirror/mirrortest"
	"gitops-runtime/internal/registry/registrytest"
)

// The programs of the benchmark run as processes.
const programs = "IMAGE_OVERRIDE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(programs) {
	case "crane":
		if err := crane.Root.ExecuteContext(context.Background()); err != nil {
			log.Fatal(err)
		}
	case "image-override":
		if err := copyArguments(os.Args[1:]); err != nil {
			log.Fatal(err)
		}
	default:
		os.Exit(m.Run())
	}
}

// copyArguments mirrors "source target source target ...", with a journal.
func copyArguments(args []string) error {
	var pairs []mapping.Pair
	for i := 0; i+1 < len(args); i += 2 {
		pairs = append(pairs, mapping.Pair{Source: args[i], Target: args[i+1]})
	}
	folder, err := os.MkdirTemp("", "journal-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	journal, err := mirror.OpenJournal(filepath.Join(folder, "journal"))
	if err != nil {
		return err
	}
	return errors.Join(mirror.Copier{Journal: journal}.Copy(context.Background(), pairs), journal.Close())
}

// BenchmarkThroughput copies fifty images of two platforms that share a layer between two registries of this machine, with this program, with crane
// and, if it is installed, with skopeo: the latter two as in common scripts, one image after the other. "ours/theirs" is the ratio of the times.
func BenchmarkThroughput(b *testing.B) {
	const images, size = 50, 1 << 20
	from := registrytest.Start(b)
	self, err := os.Executable()
	require.NoError(b, err)
	ways := []struct {
		name string
		copy func(b *testing.B, pairs []mapping.Pair)
	}{
		{"image-override", func(b *testing.B, pairs []mapping.Pair) {
			var args []string
			for _, pair := range pairs {
				args = append(args, pair.Source, pair.Target)
			}
			start(b, self, "image-override", args...)
		}},
		{"crane", func(b *testing.B, pairs []mapping.Pair) {
			for _, pair := range pairs {
				start(b, self, "crane", "copy", pair.Source, pair.Target)
			}
		}},
		{"skopeo", func(b *testing.B, pairs []mapping.Pair) {
			for _, pair := range pairs {
				start(b, "skopeo", "", "copy", "--all", "--insecure-policy", "--src-tls-verify=false", "--dest-tls-verify=false", "docker://"+pair.Source, "docker://"+pair.Target)
			}
		}},
	}
	pairs := mirrortest.Fill(b, from, from, images, size)
	var ours float64
	for _, way := range ways {
		if _, err := exec.LookPath(way.name); way.name == "skopeo" && err != nil {
			b.Log("skopeo is not installed here")
			continue
		}
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(2 * size * (images + 1)) // one layer for each platform of each image, and the shared ones
			for b.Loop() {
				b.StopTimer()
				to := target(b)
				moved := make([]mapping.Pair, len(pairs))
				for i, pair := range pairs {
					moved[i] = mapping.Pair{Source: pair.Source, Target: strings.Replace(pair.Target, from.Name, to, 1)}
				}
				b.StartTimer()
				way.copy(b, moved)
			}
			each := b.Elapsed().Seconds() / float64(b.N)
			if way.name == "image-override" {
				ours = each
			}
			b.ReportMetric(ours/each, "ours/theirs")
		})
	}
}

// target starts an empty registry.
func target(b *testing.B) string {
	b.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	b.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// start runs a program and waits for it.
func start(b *testing.B, program, as string, args ...string) {
	b.Helper()
	command := exec.CommandContext(b.Context(), program, args...)
	command.Env = append(os.Environ(), programs+"="+as)
	out, err := command.CombinedOutput()
	require.NoError(b, err, string(out))
}
