package registry

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
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
	hosts  *pauses
}

// Limits on waiting: the longest pause that a registry can request, and the total time that a request waits, in pauses of the first length.
const (
	maxAsked  = time.Hour
	maxPause  = 30 * time.Second
	maxPauses = 900
)

// pauses are the times until which no request is sent to a host.
type pauses struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func (p *pauses) left(host string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Until(p.until[host])
}

func (p *pauses) extend(host string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := time.Now().Add(wait); until.After(p.until[host]) {
		p.until[host] = until
	}
}

func (r retryingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	pause, waited := r.pause, time.Duration(0)
	for {
		if err := r.sleep(request, r.hosts.left(request.URL.Host)); err != nil {
			return nil, err
		}
		response, err := r.base.RoundTrip(request)
		if err != nil || response.StatusCode != http.StatusTooManyRequests {
			return response, err
		}
		wait, asked := retryAfter(response.Header.Get("Retry-After"), time.Now())
		if !asked {
			wait = min(pause, maxPause)
			pause *= 2
		}
		replay := request.Body == nil || request.Body == http.NoBody || request.GetBody != nil
		if asked {
			r.hosts.extend(request.URL.Host, min(wait, maxAsked))
		}
		if waited += wait; !replay || wait > maxAsked || waited > r.total && !(asked && r.total >= maxPauses*r.pause && waited <= maxAsked) {
			return response, nil
		}
		_ = response.Body.Close()
		if r.report != nil {
			r.report(Wait{Host: request.URL.Host, For: wait, Asked: asked})
		}
		if err := r.sleep(request, wait); err != nil {
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

func (r retryingTransport) sleep(request *http.Request, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-request.Context().Done():
		return request.Context().Err()
	case <-timer.C:
		return nil
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
