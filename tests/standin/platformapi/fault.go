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

// Fault is a misbehavior of the platform, for tests of its clients. Path and Contains select the requests that it affects.
type Fault struct {
	Path     string            `json:"path,omitempty"`     // Path is the exact URL path; empty for all but /test/.
	Contains string            `json:"contains,omitempty"` // Contains is text that the request body contains, such as a GraphQL field.
	Times    int               `json:"times,omitempty"`    // Times is the number of affected requests; 0 for all.
	Delay    Duration          `json:"delay,omitempty"`    // Delay is the time to wait first; it ends if the client disconnects.
	Status   int               `json:"status,omitempty"`   // Status, if not 0, is sent with Body instead of the real response.
	Body     string            `json:"body,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"` // Headers of the response, such as Retry-After or Location.
	Drop     bool              `json:"drop,omitempty"`    // Drop closes the connection without a response.
	Cut      bool              `json:"cut,omitempty"`     // Cut closes the connection in the middle of Body.
	Trickle  Duration          `json:"trickle,omitempty"` // Trickle is the time to wait before the last byte of Body.
	// GraphQLError, if not empty, is sent with HTTP 200 as a GraphQL error with code GraphQLCode.
	GraphQLError string `json:"graphqlError,omitempty"`
	GraphQLCode  string `json:"graphqlCode,omitempty"`
}

// Duration is a time.Duration that is a string in JSON, such as "1.5s".
type Duration time.Duration

// UnmarshalJSON parses a string such as "250ms".
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

// faults are the active faults.
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

// take returns the first fault that affects a request, and counts it.
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

// before applies faults to requests for next.
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

// reply sends the fault's response, completely, in part or slowly.
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

// hits applies the fault and reports whether it has responded to the request.
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
