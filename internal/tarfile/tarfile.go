// Package tarfile writes regular files into tar archives.
package tarfile

import (
	"archive/tar"
	"io"
	"os"
	"strings"
)

// WriteText writes a header with the size of a text, and the text.
func WriteText(out *tar.Writer, header *tar.Header, text string) error {
	return write(out, header, int64(len(text)), strings.NewReader(text))
}

// WriteFile writes a header with the size of a file of this machine, and its content. A file that changes its size meanwhile is an error.
func WriteFile(out *tar.Writer, header *tar.Header, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return write(out, header, info.Size(), file)
}

func write(out *tar.Writer, header *tar.Header, size int64, content io.Reader) error {
	header.Size = size
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(out, content)
	return err
}
