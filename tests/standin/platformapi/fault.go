package platformapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"gitops-runtime/tests/standin/serve"
)

// Fault is a misbehavior of the platform, for tests of its clients. Path and Contains choose the requests that it hits.
type Fault struct {
	Path     string            `json:"path,omitempty"`     // Path is the exact URL path; empty for all but /test/.
	Contains string            `json:"contains,omitempty"` // Contains is text that the request body holds, such as a GraphQL field.
	Times    int               `json:"times,omitempty"`    // Times is how many requests are hit; 0 for all.
	Delay    Duration          `json:"delay,omitempty"`    // Delay is waited before anything else, or until the client goes away.
	Status   int               `json:"status,omitempty"`   // Status, when not 0, is replied with Body instead of the real answer.
	Body     string            `json:"body,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"` // Headers of the reply, such as Retry-After or Location.
	Drop     bool              `json:"drop,omitempty"`    // Drop closes the connection without a reply.
	Cut      bool              `json:"cut,omitempty"`     // Cut closes it in the middle of Body.
	Trickle  Duration          `json:"trickle,omitempty"` // Trickle is waited before the last byte of Body.
	// GraphQLError, when not empty, is replied with HTTP 200 as a GraphQL error with code GraphQLCode.
	GraphQLError string `json:"graphqlError,omitempty"`
	GraphQLCode  string `json:"graphqlCode,omitempty"`
}

// Duration is a time.Duration that is written like 1.5s in JSON.
type Duration time.Duration

// UnmarshalJSON reads a string such as "250ms".
func (d *Duration) UnmarshalJSON(document []byte) error {
	var text string
	if err := json.Unmarshal(document, &text); err != nil {
		return fmt.Errorf("a duration is a string such as \"250ms\": %w", err)
	}
	parsed, err := time.ParseDuration(text)
	*d = Duration(parsed)
	return err
}

// MarshalJSON writes the duration as a string.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// faults are the misbehaviors in force.
type faults struct {
	mu      sync.Mutex
	pending []Fault
}

func (f *faults) add(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = append(f.pending, fault)
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = nil
}

// take finds the first fault that hits a request and counts it.
func (f *faults) take(path string, body []byte) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, fault := range f.pending {
		if (fault.Path != "" && fault.Path != path) || !bytes.Contains(body, []byte(fault.Contains)) {
			continue
		}
		if fault.Times == 1 {
			f.pending = slices.Delete(f.pending, i, i+1)
		} else if fault.Times > 1 {
			f.pending[i].Times--
		}
		return fault, true
	}
	return Fault{}, false
}

// before lets faults hit requests for next.
func (f *faults) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, testPrefix) {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit+1))
		if err != nil {
			serve.Failure(w, http.StatusRequestEntityTooLarge, "the body is larger than 4 MiB or was cut off")
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		fault, hit := f.take(r.URL.Path, body)
		if hit && fault.hits(w, r) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// reply sends the fault's own answer, whole, in part or slowly.
func (f Fault) reply(w http.ResponseWriter, r *http.Request) {
	for name, value := range f.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(f.Status)
	if len(f.Body) == 0 {
		return
	}
	if f.Cut {
		_, _ = io.WriteString(w, f.Body[:len(f.Body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	last := len(f.Body) - 1
	_, _ = io.WriteString(w, f.Body[:last])
	if f.Trickle > 0 {
		_ = http.NewResponseController(w).Flush()
		timer := time.NewTimer(time.Duration(f.Trickle))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	_, _ = io.WriteString(w, f.Body[last:])
}

// hits plays the fault and says whether the request is answered with it.
func (f Fault) hits(w http.ResponseWriter, r *http.Request) bool {
	if f.Delay > 0 {
		timer := time.NewTimer(time.Duration(f.Delay))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return true
		}
	}
	switch {
	case f.Drop:
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		f.reply(w, r)
	case f.GraphQLError != "":
		serve.JSON(w, http.StatusOK, graphQLFailure(f.GraphQLError, cmp.Or(f.GraphQLCode, "INTERNAL_SERVER_ERROR")))
	default:
		return false
	}
	return true
}
