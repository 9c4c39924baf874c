// Package outfile writes the output files of a program. Files are written atomically, and never through a symbolic link: otherwise anyone with write
// access to the folder could make the program overwrite a file elsewhere.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is a file that is being written under a temporary name.
type File struct {
	io.Writer
	file *os.File
	// name is the final name of the file, "" for a pipe or a device, which is written in place.
	name string
	mode fs.FileMode
}

// Create creates a file for writing. A symbolic link of that name is an error, except in /dev, as for /dev/stdout; devices, and pipes that a program
// reads, are written in place.
func Create(name string, mode fs.FileMode) (*File, error) {
	info, err := os.Lstat(name)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0 && !device(name):
		return nil, fmt.Errorf("%s cannot be written: it is a symbolic link; name the file that it points to", name)
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s cannot be written: it is a directory", name)
	case err == nil && !info.Mode().IsRegular():
		file, err := os.OpenFile(name, os.O_WRONLY|noWait, 0)
		if errors.Is(err, noReader) {
			return nil, fmt.Errorf("%s cannot be written: no program reads from this pipe", name)
		}
		if err != nil {
			return nil, unwritten(name, err)
		}
		return &File{Writer: file, file: file}, nil
	}
	// CreateTemp uses a name that does not exist and opens it with O_EXCL.
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return nil, unwritten(name, err)
	}
	return &File{Writer: file, file: file, name: name, mode: mode}, nil
}

// device reports whether a name is one of the system's own links to devices.
func device(name string) bool {
	absolute, err := filepath.Abs(name)
	return err == nil && strings.HasPrefix(absolute, "/dev/")
}

// Finish renames the file to its final name. A link that was created there in the meantime is replaced, not followed.
func (f *File) Finish() error {
	if f.name == "" {
		return f.file.Close()
	}
	err := errors.Join(f.file.Chmod(f.mode), f.file.Close())
	if err == nil {
		err = os.Rename(f.file.Name(), f.name)
	}
	if err != nil {
		return unwritten(f.name, errors.Join(reason(err), os.Remove(f.file.Name())))
	}
	return nil
}

// Abandon removes the temporary file.
func (f *File) Abandon() error {
	err := f.file.Close()
	if f.name == "" {
		return err
	}
	return errors.Join(err, os.Remove(f.file.Name()))
}

// Write writes a whole file.
func Write(name string, data []byte, mode fs.FileMode) error {
	file, err := Create(name, mode)
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return unwritten(name, errors.Join(reason(err), file.Abandon()))
	}
	return file.Finish()
}

func unwritten(name string, err error) error {
	return fmt.Errorf("%s cannot be written: %w", name, reason(err))
}

// reason returns an error of the file system without the name of the temporary file.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
