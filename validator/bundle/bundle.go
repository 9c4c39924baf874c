// Package bundle packs what helps to find a fault in a runtime into one archive: findings, objects, events, logs, metrics and versions, with an index page.
// Credentials are removed by the schema of each kind and by value: the content of every Secret of the namespace is searched for in everything else. The
// same input gives the same bytes.
package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/release"
)

// Cluster contains the requests for what a bundle contains. All of them read.
type Cluster interface {
	List(ctx context.Context, collection string, query url.Values) ([]json.RawMessage, error)
	Text(ctx context.Context, resource, path string, query url.Values, limit int64) ([]byte, error)
	Version(ctx context.Context) (string, error)
}

// Input is what a bundle is made of.
type Input struct {
	Cluster Cluster
	Release *release.Release
	// Reports are the reports of the findings by file name.
	Reports map[string][]byte
	// Version is that of the program, and Now the time on this machine.
	Version string
	Now     time.Time
	// Since limits the age of events and log lines.
	Since time.Duration
	// Components are names of workloads whose logs and metrics are packed; all if there are none.
	Components []string
	// MaxSize is the maximum size of the archive in bytes.
	MaxSize int64
}

// bundle is an archive that is being made.
type bundle struct {
	Input
	redact    *redactor
	namespace string
	files     map[string][]byte
	left      []string
}

// Write writes the archive, and returns what was left out. It fails if the Secrets of the namespace cannot be read, since their content could then not be
// removed from the rest.
func Write(ctx context.Context, out io.Writer, in Input) ([]string, error) {
	b := &bundle{Input: in, redact: newRedactor(), namespace: in.Release.Namespace, files: map[string][]byte{}}
	if err := b.learn(ctx); err != nil {
		return nil, err
	}
	for name, text := range in.Reports {
		b.add(name, string(text))
	}
	b.release()
	b.objects(ctx)
	b.events(ctx)
	b.pods(ctx)
	b.versions(ctx)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("the bundle is incomplete: %w", err)
	}
	packed, err := b.fit()
	if err != nil {
		return nil, err
	}
	if _, err := out.Write(packed); err != nil {
		return nil, fmt.Errorf("write the bundle: %w", err)
	}
	return b.left, nil
}

// add adds a file without credentials.
func (b *bundle) add(name, text string) { b.files[name] = []byte(b.redact.text(text)) }

// leave records what was left out.
func (b *bundle) leave(format string, args ...any) {
	b.left = append(b.left, b.redact.text(fmt.Sprintf(format, args...)))
}

// lines are the sizes to which each log is cut, one after the other, until the archive is small enough.
var lines = []int{256 << 10, 64 << 10, 16 << 10, 4 << 10}

// fit packs the files. If the archive is too large, the beginnings of logs are left out first, then metrics, then the largest files.
func (b *bundle) fit() ([]byte, error) {
	before := slices.Clone(b.left)
	for _, most := range lines {
		cut := 0
		for _, name := range slices.Sorted(maps.Keys(b.files)) {
			if text := b.files[name]; strings.HasPrefix(name, "logs/") && len(text) > most {
				text = text[len(text)-most:]
				_, text, _ = bytes.Cut(text, []byte("\n"))
				b.files[name] = text
				cut++
			}
		}
		if cut > 0 {
			b.left = append(slices.Clone(before), fmt.Sprintf("the beginnings of %d logs: each was cut to its last %d KiB", cut, most>>10))
		}
		packed, err := b.pack()
		if err != nil || int64(len(packed)) <= b.MaxSize {
			return packed, err
		}
		before = b.left
	}
	for {
		largest := ""
		for _, name := range slices.Sorted(maps.Keys(b.files)) {
			if !strings.HasPrefix(name, "findings.") && (largest == "" || len(b.files[name]) > len(b.files[largest])) {
				largest = name
			}
		}
		if largest == "" {
			return nil, fmt.Errorf("--max-size %d leaves no room for the findings", b.MaxSize)
		}
		b.leave("%s, whose %d KiB exceed --max-size", largest, len(b.files[largest])>>10)
		delete(b.files, largest)
		packed, err := b.pack()
		if err != nil || int64(len(packed)) <= b.MaxSize {
			return packed, err
		}
	}
}

// pack writes the files in the order of their names, after the index page. Times are left out, so that the same files give the same bytes.
func (b *bundle) pack() ([]byte, error) {
	index, err := b.index()
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	write := func(name string, text []byte) error {
		const mode = 0o644
		if err := archive.WriteHeader(&tar.Header{Name: "bundle/" + name, Mode: mode, Size: int64(len(text)), Format: tar.FormatPAX}); err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
		_, err := archive.Write(text)
		return err
	}
	if err := write("index.html", index); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		if err := write(name, b.files[name]); err != nil {
			return nil, err
		}
	}
	if err := write("left-out.txt", []byte(strings.Join(append(slices.Clone(b.left), always...), "\n")+"\n")); err != nil {
		return nil, err
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("pack the bundle: %w", err)
	}
	if err := zipped.Close(); err != nil {
		return nil, fmt.Errorf("pack the bundle: %w", err)
	}
	return packed.Bytes(), nil
}

// always is what no bundle contains.
var always = []string{
	"the content of Secrets; names and keys are in objects/secrets.yaml",
	"the texts of Secrets, and what looks like a credential, in all files: (hidden) stands in their place",
	"credentials with fewer than 6 characters where they are not a whole Secret entry: they cannot be told from words",
	"logs of Workflows, and of pods of others in the namespace",
	"the schemas of CustomResourceDefinitions, and the managed fields of objects",
}
