package registry

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// maxAgain is the maximum number of retries for a blob or manifest that arrived damaged.
const maxAgain = 4

// maxBusy is the maximum number of times that a request is repeated after 429 if the transport could not wait because its body was being sent.
const maxBusy = 200

// Again repeats an operation that may succeed the next time: a transfer of content that did not match its digest, or a request to a registry that
// throttles.
func (a Access) Again(ctx context.Context, do func() error) error {
	first := cmp.Or(a.Pause, time.Second)
	pause, damaged, busy := first, 0, 0
	for {
		err := do()
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case isBusy(err) && busy < maxBusy:
			busy++
		case isDamaged(err) && damaged < maxAgain:
			damaged++
		default:
			return err
		}
		if isBusy(err) && a.Waiting != nil {
			a.Waiting(Wait{Host: hostOf(err), For: pause})
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, 30*first)
	}
}

func isBusy(err error) bool {
	var answer *transport.Error
	return errors.As(err, &answer) && answer.StatusCode == http.StatusTooManyRequests
}

// isDamaged reports whether content did not match its digest: detected here, or by the registry that received it.
func isDamaged(err error) bool {
	var answer *transport.Error
	if errors.As(err, &answer) {
		for _, one := range answer.Errors {
			if one.Code == transport.DigestInvalidErrorCode || one.Code == transport.SizeInvalidErrorCode {
				return true
			}
		}
	}
	text := err.Error()
	return slices.ContainsFunc([]string{"error verifying", "unexpected EOF", "does not match expected size"}, func(part string) bool { return strings.Contains(text, part) })
}

func hostOf(err error) string {
	var answer *transport.Error
	if errors.As(err, &answer) && answer.Request != nil && answer.Request.URL != nil {
		return answer.Request.URL.Host
	}
	return "the registry"
}
