package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Layer writes the tar file of one image layer: everything owned by root, without times, so that the same content gives
// the same bytes. Paths are relative to the image's root; the directories above a path come into being with it. After
// an error all further calls do nothing, and Close returns it.
type Layer struct {
	file *os.File
	tar  *tar.Writer
	seen map[string]bool
	err  error
}

// Create begins a layer in a new file.
func Create(file string) (*Layer, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return &Layer{file: f, tar: tar.NewWriter(f), seen: map[string]bool{}}, nil
}

// Dir adds a directory.
func (l *Layer) Dir(name string, mode fs.FileMode) {
	l.parents(name)
	l.header(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: int64(mode.Perm()) | stickyBit(mode)})
	l.seen[name] = true
}

func stickyBit(mode fs.FileMode) int64 {
	if mode&fs.ModeSticky != 0 {
		return 0o1000
	}
	return 0
}

// Text adds a file with the given content.
func (l *Layer) Text(name string, mode fs.FileMode, content string) {
	l.parents(name)
	l.header(&tar.Header{Name: name, Mode: int64(mode), Size: int64(len(content))})
	if l.err == nil {
		_, l.err = io.WriteString(l.tar, content)
	}
}

// Copy adds a copy of a file on this machine.
func (l *Layer) Copy(name string, mode fs.FileMode, source string) {
	if l.err != nil {
		return
	}
	file, err := os.Open(source)
	if err != nil {
		l.err = err
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		l.err = err
		return
	}
	l.parents(name)
	l.header(&tar.Header{Name: name, Mode: int64(mode), Size: info.Size()})
	if l.err == nil {
		_, l.err = io.Copy(l.tar, file)
	}
}

// Link adds a symbolic link.
func (l *Layer) Link(name, target string) {
	l.parents(name)
	l.header(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target, Mode: 0o777})
}

// Close finishes the layer's file and returns the first error of all calls.
func (l *Layer) Close() error {
	if l.err == nil {
		l.err = l.tar.Close()
	}
	return errors.Join(l.err, l.file.Close())
}

func (l *Layer) parents(name string) {
	if l.err == nil && path.IsAbs(name) {
		l.err = fmt.Errorf("layer path %s is not relative", name)
	}
	parent := path.Dir(name)
	if l.err != nil || parent == "." || l.seen[parent] {
		return
	}
	l.Dir(parent, 0o755)
}

func (l *Layer) header(h *tar.Header) {
	if l.err != nil {
		return
	}
	l.err = l.tar.WriteHeader(h)
}
