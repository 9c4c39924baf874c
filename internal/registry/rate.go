package registry

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// hosts holds what the requests of one client to a host have in common: until when none is sent, and how many are sent in a second.
type hosts struct {
	mu       sync.Mutex
	until    map[string]time.Time
	most     float64 // requests in a second; 0 means no limit
	limiters map[string]*rate.Limiter
}

// left returns how long a request must wait: for a pause of the host, or of its requests of this kind.
func (h *hosts) left(host, kind string) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(0, time.Until(h.until[host]), time.Until(h.until[host+" "+kind]))
}

// pause lets the requests to a host, or those of one kind ("host kind"), wait.
func (h *hosts) pause(whom string, wait time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if until := time.Now().Add(wait); until.After(h.until[whom]) {
		h.until[whom] = until
	}
}

// next returns how long the next request must wait for the rate that the user sets.
func (h *hosts) next(host string) time.Duration {
	if h.most <= 0 {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.limiters[host] == nil {
		h.limiters[host] = rate.NewLimiter(rate.Limit(h.most), 1)
	}
	return h.limiters[host].Reserve().Delay()
}

// kindOf returns what a request is about. Docker Hub, for example, counts the requests for manifests only.
func kindOf(request *http.Request) string {
	for _, kind := range []string{"manifests", "blobs"} {
		if strings.Contains(request.URL.Path, "/"+kind+"/") {
			return kind
		}
	}
	return "other"
}

// maxAnnounced is a day, in seconds: what is longer is no pause.
const maxAnnounced = 24 * 60 * 60

// announced returns for how long a registry will refuse requests, according to its response; false if it will answer the next one. Docker Hub sends
// "ratelimit-remaining: 0;w=21600" with the window in seconds (https://docs.docker.com/docker-hub/usage/pulls), others RateLimit-Remaining and
// RateLimit-Reset with seconds (draft-ietf-httpapi-ratelimit-headers-05) or, as GitLab, the time since 1970.
func announced(header http.Header, now time.Time) (time.Duration, bool) {
	remaining, parameters, _ := strings.Cut(header.Get("RateLimit-Remaining"), ";")
	if count, err := strconv.Atoi(strings.TrimSpace(remaining)); err != nil || count > 0 {
		return 0, false
	}
	text := header.Get("RateLimit-Reset")
	if text == "" {
		_, text, _ = strings.Cut(parameters, "w=")
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0, false
	}
	if seconds > now.Unix()/2 {
		seconds -= now.Unix()
	}
	if seconds <= 0 || seconds > maxAnnounced {
		return 0, false
	}
	return time.Duration(seconds) * time.Second, true
}
