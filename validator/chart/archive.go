package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
)

// maxArchive bounds what a packaged chart may unpack to, in bytes.
const maxArchive = 64 << 20

// unpack reads a .tgz file from disk.
func unpack(name string) (memory, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return untar(data)
}

// untar reads the files of a packaged chart into memory, without the leading
// folder that `helm package` puts around them, and without the templates.
func untar(data []byte) (memory, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a packaged chart (.tgz): %w", err)
	}
	files := memory{}
	reader := tar.NewReader(io.LimitReader(unzipped, maxArchive))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("not a packaged chart (.tgz): %w", err)
		}
		_, name, nested := strings.Cut(path.Clean(header.Name), "/")
		if !nested || header.Typeflag != tar.TypeReg || strings.Contains(name, "templates/") {
			continue
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			return nil, fmt.Errorf("file %s: %w", header.Name, err)
		}
		files[name] = text
	}
}

// memory is the files of an unpacked archive by their slash-separated names.
type memory map[string][]byte

func (m memory) read(name string) ([]byte, error) {
	text, exists := m[name]
	if !exists {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return text, nil
}

func (m memory) match(pattern string) []string {
	var names []string
	for name := range m {
		if ok, _ := path.Match(pattern, name); ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

func (m memory) below(folder string) tree {
	inside := memory{}
	for name, text := range m {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			inside[rest] = text
		}
	}
	return inside
}
