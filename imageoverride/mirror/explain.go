package mirror

import (
	"context"
	"errors"
	"fmt"

	"gitops-runtime/internal/registry/fault"
)

// explain returns an error that describes in one sentence what failed for an image and how to fix it. A journalError stays as it is.
func explain(doing, image string, err error) error {
	var known *journalError
	if errors.As(err, &known) {
		return known
	}
	return fault.Explain(doing, image, err)
}

// summary returns one error for all failures of a run.
func summary(ctx context.Context, failures []error, total int) error {
	var journal *journalError
	cause := context.Cause(ctx)
	switch {
	case len(failures) == 0:
		return nil
	case errors.As(cause, &journal):
		return journal
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
