package mirror

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"gitops-runtime/internal/registry/fault"
)

// stopError ends a run, since all further images would fail for the same reason.
type stopError struct {
	message string
	err     error
}

func (s *stopError) Error() string { return s.message }

func (s *stopError) Unwrap() error { return s.err }

// full returns a stopError if a disk or a quota has no room for a file below a folder; otherwise the error as it is.
func full(folder string, err error) error {
	for _, reason := range []error{syscall.ENOSPC, syscall.EFBIG, syscall.EDQUOT} {
		if errors.Is(err, reason) {
			return &stopError{fmt.Sprintf("bundle %s cannot be written: %v; free some space, or choose another location with -o, and run the command again to continue", folder, reason), err}
		}
	}
	return err
}

// explain returns an error that describes in one sentence what failed for an image and how to fix it. A stopError stays as it is.
func explain(doing, image string, err error) error {
	var stop *stopError
	if errors.As(err, &stop) {
		return stop
	}
	return fault.Explain(doing, image, err)
}

// summary returns one error for all failures of a run.
func summary(ctx context.Context, failures []error, total int) error {
	var stop *stopError
	cause := context.Cause(ctx)
	switch {
	case len(failures) == 0:
		return nil
	case errors.As(cause, &stop):
		return stop
	case cause != nil:
		return &fault.UserError{Message: fmt.Sprintf("interrupted, %d of %d images are not done yet; run the command again to continue", len(failures), total), Err: cause}
	case len(failures) == 1:
		return failures[0]
	}
	count := fmt.Sprintf("%d of %d images failed, the others are done", len(failures), total)
	if len(failures) == total {
		count = fmt.Sprintf("all %d images failed", total)
	}
	return &fault.UserError{Message: fmt.Sprintf("%s; the first: %v", count, failures[0]), Err: errors.Join(failures...)}
}
