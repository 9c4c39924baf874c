// Package backup saves what a runtime consists of besides its chart into one encrypted archive, and restores a runtime from it onto an empty cluster.
package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"filippo.io/age"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/validator/store"
)

// Archive is the content of a backup.
type Archive struct {
	// Format is the version of the format.
	Format int `json:"format"`
	// Made is the time of the backup, by the clock of the machine that made it.
	Made time.Time `json:"made"`
	// Runtime is the name of the runtime in the account.
	Runtime string `json:"runtime"`
	// Release and Namespace identify the Helm release, Chart and Version its chart.
	Release   string `json:"release"`
	Namespace string `json:"namespace"`
	Chart     string `json:"chart"`
	Version   string `json:"version"`
	// Application is the namespace and the name of the Application of Argo CD that installs the runtime; empty for a Helm release.
	Application string `json:"application,omitempty"`
	// Kubernetes is the version of the cluster.
	Kubernetes string `json:"kubernetes"`
	// Contains are the numbers of objects by kind, and Lacks what the backup does not contain.
	Contains map[string]int `json:"contains"`
	Lacks    []string       `json:"lacks"`
	// Values are the values that the release was installed with.
	Values map[string]any `json:"-"`
	// Objects are in the order in which they are restored.
	Objects []Object `json:"-"`
	// Digest identifies the archive; it is set when it is opened.
	Digest string `json:"-"`
}

// Object is a Kubernetes object, without what the API server and controllers write.
type Object map[string]any

const format = 1

// names of the files in an archive.
const (
	aboutFile, valuesFile, objectsFile = "backup.json", "values.json", "objects.json"
)

// Seal writes an archive that only the recipients can read: a tar archive, compressed by gzip and encrypted in the format of age (https://age-encryption.org/v1).
func (a Archive) Seal(out io.Writer, recipients ...age.Recipient) error {
	a.Format = format
	sealed, err := age.Encrypt(out, recipients...)
	if err != nil {
		return fmt.Errorf("encrypt the backup: %w", err)
	}
	zipped := gzip.NewWriter(sealed)
	packed := tar.NewWriter(zipped)
	left := store.MaxArchive
	for _, file := range []struct {
		name    string
		content any
	}{{aboutFile, a}, {valuesFile, a.Values}, {objectsFile, a.Objects}} {
		text, err := json.MarshalIndent(file.content, "", " ")
		if err != nil {
			return fmt.Errorf("write %s of the backup: %w", file.name, err)
		}
		if left -= len(text); left < 0 {
			return fmt.Errorf("the backup exceeds %d MiB, which no restore reads", store.MaxArchive>>20)
		}
		const mode = 0o600
		if err := packed.WriteHeader(&tar.Header{Name: file.name, Mode: mode, Size: int64(len(text)), ModTime: a.Made, Format: tar.FormatPAX}); err != nil {
			return fmt.Errorf("write the backup: %w", err)
		}
		if _, err := packed.Write(text); err != nil {
			return fmt.Errorf("write the backup: %w", err)
		}
	}
	if err := errors.Join(packed.Close(), zipped.Close(), sealed.Close()); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	return nil
}

// Open decrypts and verifies a whole archive. An archive that was changed, cut or extended is refused, and so is one for other keys.
func Open(sealed []byte, identities ...age.Identity) (*Archive, error) {
	plain, err := age.Decrypt(bytes.NewReader(sealed), identities...)
	var other *age.NoIdentityMatchError
	switch {
	case errors.As(err, &other):
		return nil, errors.New("the backup cannot be decrypted with this key: give the identity, or the passphrase, that it was made for")
	case err != nil:
		return nil, fmt.Errorf("the backup cannot be decrypted: %w", err)
	}
	var text bytes.Buffer
	text.Grow(len(sealed) + bytes.MinRead)
	if _, err := text.ReadFrom(plain); err != nil {
		return nil, fmt.Errorf("the backup was changed or is incomplete: %w", err)
	}
	unzipped, err := gzip.NewReader(&text)
	if err != nil {
		return nil, fmt.Errorf("the backup is not compressed by gzip: %w", err)
	}
	files, err := unpack(unzipped)
	if err != nil {
		return nil, err
	}
	made := &Archive{}
	for name, into := range map[string]any{aboutFile: made, valuesFile: &made.Values, objectsFile: &made.Objects} {
		if err := json.Unmarshal(files[name], into); err != nil {
			return nil, fmt.Errorf("%s of the backup: %w", name, err)
		}
	}
	if made.Format != format {
		return nil, fmt.Errorf("the backup has format %d, and this program reads format %d: use the version of validate-values that made it", made.Format, format)
	}
	// anyone who knows the public key can make an archive, and these are arguments of helm and parts of paths
	if !name.MatchString(made.Release) || !name.MatchString(made.Namespace) || strings.HasPrefix(made.Version, "-") {
		return nil, fmt.Errorf("%s of the backup: the release %q, the namespace %q or the version %q is not valid: the archive was not made by validate-values backup",
			aboutFile, cleantext.Short(made.Release), cleantext.Short(made.Namespace), cleantext.Short(made.Version))
	}
	made.Digest = fmt.Sprintf("%x", sha256.Sum256(sealed))
	return made, nil
}

// name matches the name of a release or of a namespace.
var name = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$`)

// unpack returns the files of an archive. Other files than those that Seal writes are an error.
func unpack(from io.Reader) (map[string][]byte, error) {
	files, left := map[string][]byte{}, int64(store.MaxArchive)
	for packed := tar.NewReader(from); ; {
		head, err := packed.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the backup is not a tar archive: %w", err)
		}
		if left -= head.Size; left < 0 {
			return nil, fmt.Errorf("%q of the backup exceeds %d MiB", cleantext.Short(head.Name), store.MaxArchive>>20)
		}
		if files[head.Name] != nil || !slices.Contains([]string{aboutFile, valuesFile, objectsFile}, head.Name) {
			return nil, fmt.Errorf("the backup contains the file %q, which validate-values backup does not write there", cleantext.Short(head.Name))
		}
		text := make([]byte, head.Size)
		if _, err := io.ReadFull(packed, text); err != nil {
			return nil, fmt.Errorf("%s of the backup cannot be read: %w", head.Name, err)
		}
		files[head.Name] = text
	}
}

func (o Object) text(keys ...string) string {
	var node any = map[string]any(o)
	for _, key := range keys {
		tree, _ := node.(map[string]any)
		node = tree[key]
	}
	text, _ := node.(string)
	return text
}

func (o Object) sub(keys ...string) map[string]any {
	tree := map[string]any(o)
	for _, key := range keys {
		tree, _ = tree[key].(map[string]any)
	}
	return tree
}

// annotate sets an annotation.
func (o Object) annotate(key, value string) {
	metadata := o.sub("metadata")
	notes, _ := metadata["annotations"].(map[string]any)
	if notes == nil {
		notes = map[string]any{}
		metadata["annotations"] = notes
	}
	notes[key] = value
}

// Name returns the kind, the namespace and the name of an object.
func (o Object) Name() string {
	return o.text("kind") + " " + strings.TrimPrefix(o.text("metadata", "namespace")+"/"+o.text("metadata", "name"), "/")
}
