package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"gitops-runtime/localcluster/images/ocilayer"
)

// Layer writes the tar file of one image layer: everything is owned by root, without times, so that the same content produces the same bytes. Paths are
// relative to the image's root; missing parent directories are created. After an error all further calls do nothing, and Close returns it.
type Layer struct {
	file    *os.File
	entries []ocilayer.Entry
	err     error
}

// Create begins a layer in a new file.
func Create(file string) (*Layer, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return &Layer{file: f}, nil
}

// Dir adds a directory.
func (l *Layer) Dir(name string, mode fs.FileMode) {
	l.add(name, ocilayer.Entry{Dir: true, Mode: int64(mode.Perm()) | stickyBit(mode)})
}

func stickyBit(mode fs.FileMode) int64 {
	if mode&fs.ModeSticky != 0 {
		return 0o1000
	}
	return 0
}

// Text adds a file with the given content.
func (l *Layer) Text(name string, mode fs.FileMode, content string) {
	l.add(name, ocilayer.Entry{Mode: int64(mode), Content: content})
}

// Copy adds a copy of a file on this machine, which is read when the layer is closed.
func (l *Layer) Copy(name string, mode fs.FileMode, source string) {
	l.add(name, ocilayer.Entry{Mode: int64(mode), HostFile: source})
}

// Link adds a symbolic link.
func (l *Layer) Link(name, target string) {
	l.add(name, ocilayer.Entry{Link: target})
}

// Close writes the layer's file and returns the first error of all calls.
func (l *Layer) Close() error {
	if l.err == nil {
		l.err = ocilayer.WriteTar(l.file, l.entries)
	}
	return errors.Join(l.err, l.file.Close())
}

func (l *Layer) add(name string, entry ocilayer.Entry) {
	if l.err == nil && path.IsAbs(name) {
		l.err = fmt.Errorf("layer path %s is not relative", name)
	}
	entry.Path = "/" + name
	l.entries = append(l.entries, entry)
}
