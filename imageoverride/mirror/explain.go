package mirror

import (
	"context"
	"errors"
	"fmt"

	"gitops-runtime/internal/registry/fault"
)

// explain describes in one sentence what went wrong with an image and how to fix it.
func explain(doing, image string, err error) error {
	var known *journalError
	if errors.As(err, &known) {
		return known
	}
	return fault.Explain(doing, image, err)
}

// summary is one sentence on all failures of a run.
func summary(ctx context.Context, failures []error, total int) error {
	var lost *journalError
	cause := context.Cause(ctx)
	switch {
	case len(failures) == 0:
		return nil
	case errors.As(cause, &lost):
		return lost
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
