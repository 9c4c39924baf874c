package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Open opens a file for reading. Pipes and devices, which may never end, and directories are errors.
func Open(name string) (*os.File, error) {
	switch info, err := os.Stat(name); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New("it is not a regular file")}
	}
	return os.Open(name)
}

// Read reads a file, or what comes through a pipe, up to a number of bytes; more is an error.
func Read(name string, most int64) ([]byte, error) {
	type result struct {
		file *os.File
		err  error
	}
	opened := make(chan result, 1)
	go func() { // until a program opens the other end of a pipe
		file, err := os.Open(name)
		opened <- result{file, err}
	}()
	select {
	case got := <-opened:
		if got.err != nil {
			return nil, got.err
		}
		return read(got.file, most)
	case <-time.After(patience):
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New("no program writes to this pipe")}
	}
}

// patience is how long Read waits for a program that writes to a pipe.
const patience = 10 * time.Second

// ReadRegular is Read for a regular file; anything else is an error.
func ReadRegular(name string, most int64) ([]byte, error) {
	file, err := Open(name)
	if err != nil {
		return nil, err
	}
	return read(file, most)
}

func read(file *os.File, most int64) ([]byte, error) {
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("it is larger than %d MiB", most>>20)
	}
	return data, err
}
