package gitserver

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // Git names its objects by SHA-1
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// kind is the number of an object's type in packs.
type kind byte

const (
	commitObject kind = 1
	treeObject   kind = 2
	blobObject   kind = 3
)

func (k kind) String() string { return [...]string{"", "commit", "tree", "blob"}[k] }

// object is a Git object; its id is the SHA-1 of "<kind> <size>\0<content>".
type object struct {
	kind    kind
	content []byte
}

// objects are a repository's objects by id (20 bytes).
type objects map[string]object

func (o objects) add(k kind, content []byte) string {
	sum := sha1.New() //nolint:gosec // as above
	fmt.Fprintf(sum, "%s %d\x00", k, len(content))
	sum.Write(content)
	id := string(sum.Sum(nil))
	o[id] = object{kind: k, content: content}
	return id
}

// tree adds the files (slash-separated paths) as blobs and trees, and returns the root tree's id.
func (o objects) tree(files map[string][]byte) string {
	type entry struct{ mode, name, id string }
	var entries []entry
	folders := map[string]map[string][]byte{}
	for path, content := range files {
		folder, rest, nested := strings.Cut(path, "/")
		if !nested {
			entries = append(entries, entry{"100644", path, o.add(blobObject, content)})
			continue
		}
		if folders[folder] == nil {
			folders[folder] = map[string][]byte{}
		}
		folders[folder][rest] = content
	}
	for name, content := range folders {
		entries = append(entries, entry{"40000", name, o.tree(content)})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(sortName(a.mode, a.name), sortName(b.mode, b.name)) })
	var content bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&content, "%s %s\x00%s", e.mode, e.name, e.id)
	}
	return o.add(treeObject, content.Bytes())
}

// sortName returns the name by which Git sorts a tree entry: folders as if they ended with a slash.
func sortName(mode, name string) string {
	if mode == "40000" {
		return name + "/"
	}
	return name
}

// commit adds a commit of files on top of parent (empty for the first) and returns its id.
func (o objects) commit(parent string, files map[string][]byte, message string, when time.Time) string {
	var content strings.Builder
	fmt.Fprintf(&content, "tree %x\n", o.tree(files))
	if parent != "" {
		fmt.Fprintf(&content, "parent %x\n", parent)
	}
	signature := fmt.Sprintf("stand-in <stand-in@example.com> %d +0000", when.Unix())
	fmt.Fprintf(&content, "author %s\ncommitter %s\n\n%s\n", signature, signature, message)
	return o.add(commitObject, []byte(content.String()))
}

// pack writes all objects as a version 2 pack without deltas.
func (o objects) pack() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("PACK")
	_ = binary.Write(&out, binary.BigEndian, [2]uint32{2, uint32(len(o))}) //nolint:gosec // a test's repository
	for _, id := range slices.Sorted(maps.Keys(o)) {
		out.Write(packHeader(o[id].kind, len(o[id].content)))
		compressor := zlib.NewWriter(&out)
		if _, err := compressor.Write(o[id].content); err != nil {
			return nil, fmt.Errorf("compressing the object %s: %w", hex.EncodeToString([]byte(id)), err)
		}
		if err := compressor.Close(); err != nil {
			return nil, fmt.Errorf("compressing the object %s: %w", hex.EncodeToString([]byte(id)), err)
		}
	}
	sum := sha1.Sum(out.Bytes()) //nolint:gosec // as above
	out.Write(sum[:])
	return out.Bytes(), nil
}

// packHeader returns the encoding of an object's kind and size: four bits of the size in the first byte, then seven per byte, low ones first.
func packHeader(k kind, size int) []byte {
	first, rest := byte(k)<<4|byte(size&15), size>>4 //nolint:gosec // masked
	header := []byte{first}
	for rest > 0 {
		header[len(header)-1] |= 0x80
		header = append(header, byte(rest&0x7f)) //nolint:gosec // masked
		rest >>= 7
	}
	return header
}
