package platformapi

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"gitops-runtime/tests/standin/serve"
)

// Limits of request bodies and stored events, in bytes.
const (
	bodyLimit = 4 << 20
	// eventLimit is the maximum size of an uncompressed event.
	eventLimit = 16 << 20
	// logLimit is the maximum size of stored events; the oldest are deleted first.
	logLimit = 8 << 20
)

// Event is an event that a runtime has reported.
type Event struct {
	Time    time.Time       `json:"time"`
	Account string          `json:"account"`
	Runtime string          `json:"runtime"`
	Object  ObjectReference `json:"object"`
	Gzipped bool            `json:"gzipped"`
	Payload json.RawMessage `json:"payload"`
}

// ObjectReference is the object that an event is about.
type ObjectReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// eventLog stores the newest events.
type eventLog struct {
	events []Event
	bytes  int
}

func (l *eventLog) add(event Event) {
	l.events = append(l.events, event)
	l.bytes += len(event.Payload)
	for l.bytes > logLimit && len(l.events) > 1 {
		l.bytes -= len(l.events[0].Payload)
		l.events[0] = Event{} // so that its payload is freed
		l.events = l.events[1:]
	}
}

// report stores an event of a runtime.
func (s *store) report(w http.ResponseWriter, r *http.Request) {
	who, ok := s.caller(r.Header.Get("Authorization"))
	switch {
	case !ok:
		serve.Failure(w, http.StatusUnauthorized, "the Authorization header holds no known token")
		return
	case who.runtime == nil:
		serve.Failure(w, http.StatusForbidden, "events are taken from runtimes only: use the runtime's own token")
		return
	}
	payload, problem := readEvent(r)
	if problem != "" {
		serve.Failure(w, http.StatusBadRequest, problem)
		return
	}
	object, problem := checkEvent(payload)
	if problem != "" {
		serve.Failure(w, http.StatusBadRequest, problem)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events.add(Event{
		Time: s.now().UTC(), Account: who.account, Runtime: who.runtime.Name, Object: object,
		Gzipped: r.Header.Get("Content-Encoding") == "gzip", Payload: payload,
	})
	serve.JSON(w, http.StatusOK, map[string]int{"received": 1})
}

// readEvent reads the body of a request, gzipped or not; problem is the reason if that failed.
func readEvent(r *http.Request) (payload []byte, problem string) {
	body := io.Reader(r.Body)
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "":
	case "gzip":
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, "the header Content-Encoding is gzip, and the body is not gzipped"
		}
		body = unpacked
	default:
		return nil, "the header Content-Encoding is " + encoding + "; an event is gzipped or not encoded"
	}
	payload, err := io.ReadAll(io.LimitReader(body, eventLimit+1))
	if err != nil {
		return nil, "the body of the event was cut off"
	}
	if len(payload) > eventLimit {
		return nil, "the event is larger than 16 MiB"
	}
	return payload, ""
}

// reported returns the events about a kind of objects from a runtime, oldest first; an empty filter matches all.
func (s *store) reported(kind, runtime string) []Event {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []Event{}
	for _, event := range s.events.events {
		if (kind == "" || event.Object.Kind == kind) && (runtime == "" || event.Runtime == runtime) {
			found = append(found, event)
		}
	}
	return found
}
