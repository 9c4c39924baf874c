package outfile

import (
	"errors"
	"io/fs"
)

// Reason describes in a few words why a file cannot be read, without its name.
func Reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "its permissions do not let you read it"
	}
	return Cause(err)
}

// Cause returns the text of a file's error without the operation and the name of the file.
func Cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
