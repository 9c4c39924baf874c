package registry

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"gitops-runtime/internal/registry/fault"
)

// Wait is a pause that a registry requested.
type Wait struct {
	Host string
	// For is the duration of the pause; Asked means that the registry specified it.
	For   time.Duration
	Asked bool
}

// retryingTransport waits when a registry responds that there are too many requests. All requests to a host wait together.
type retryingTransport struct {
	base  http.RoundTripper
	pause time.Duration
	// total limits the sum of the waits of one request.
	total  time.Duration
	report func(Wait)
	hosts  *hosts
}

// Limits on waiting: the longest pause that a registry can request, and the total time that a request waits, in pauses of the first length.
const (
	maxAsked  = time.Hour
	maxPause  = 30 * time.Second
	maxPauses = 900
)

func (r retryingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	pause, waited, host, kind := r.pause, time.Duration(0), request.URL.Host, kindOf(request)
	for {
		left := r.hosts.left(host, kind)
		if left > maxAsked {
			return nil, &fault.UserError{Message: fmt.Sprintf("%s limits the rate of requests and asks for a pause of %s; run the command again then", host, left.Round(time.Minute))}
		}
		if err := sleep(request.Context(), left+r.hosts.next(host)); err != nil {
			return nil, err
		}
		response, err := r.base.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		if response.StatusCode != http.StatusTooManyRequests {
			if wait, ok := announced(response.Header, time.Now()); ok {
				r.hosts.pause(host+" "+kind, wait)
				r.tell(Wait{Host: host, For: wait, Asked: true})
			}
			return response, nil
		}
		wait, asked := retryAfter(response.Header.Get("Retry-After"), time.Now())
		if !asked {
			wait = min(pause, maxPause)
			pause *= 2
		}
		replay := request.Body == nil || request.Body == http.NoBody || request.GetBody != nil
		if asked {
			r.hosts.pause(host, wait)
		}
		if waited += wait; !replay || wait > maxAsked || waited > r.total && !(asked && r.total >= maxPauses*r.pause && waited <= maxAsked) {
			return response, nil
		}
		_ = response.Body.Close()
		r.tell(Wait{Host: host, For: wait, Asked: asked})
		if err := sleep(request.Context(), wait); err != nil {
			return nil, err
		}
		if request.GetBody != nil {
			body, err := request.GetBody()
			if err != nil {
				return nil, fmt.Errorf("send again: %w", err)
			}
			request.Body = body
		}
	}
}

func (r retryingTransport) tell(wait Wait) {
	if r.report != nil {
		r.report(wait)
	}
}

// retryAfter parses the header of that name: seconds, or a date.
// https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
func retryAfter(text string, now time.Time) (time.Duration, bool) {
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
