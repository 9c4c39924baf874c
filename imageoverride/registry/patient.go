package registry

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// patient waits when a registry says it is asked too often.
type patient struct {
	base     http.RoundTripper
	pause    time.Duration
	attempts int
}

// maxWait bounds what a registry may ask us to wait.
const maxWait = time.Minute

func (p patient) RoundTrip(request *http.Request) (*http.Response, error) {
	pause := p.pause
	for try := 1; ; try++ {
		response, err := p.base.RoundTrip(request)
		replay := request.Body == nil || request.GetBody != nil
		if err != nil || response.StatusCode != http.StatusTooManyRequests || try == p.attempts || !replay {
			return response, err
		}
		wait := pause
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
			wait = min(time.Duration(seconds)*time.Second, maxWait)
		}
		_ = response.Body.Close()
		pause *= 2
		select {
		case <-request.Context().Done():
			return nil, request.Context().Err()
		case <-time.After(wait):
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
