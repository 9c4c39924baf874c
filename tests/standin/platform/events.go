package platform

import (
	"encoding/json"
	"io"
	"net/http"
	"time"

	"gitops-runtime/tests/standin/serve"
)

// bodyLimit is the largest request body the platform reads, in bytes.
const bodyLimit = 4 << 20

// Event is what a runtime has reported.
type Event struct {
	Time    time.Time       `json:"time"`
	Account string          `json:"account"`
	Runtime string          `json:"runtime"`
	Type    string          `json:"type"` // Type is the string in the payload's "type", empty when there is none.
	Payload json.RawMessage `json:"payload"`
}

// report takes an event from a runtime: a JSON document of any shape.
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
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		serve.Failure(w, http.StatusRequestEntityTooLarge, "the event is larger than 4 MiB or was cut off")
		return
	}
	if !json.Valid(payload) {
		serve.Failure(w, http.StatusBadRequest, "the event is no JSON document")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, Event{
		Time: s.now().UTC(), Account: who.account, Runtime: who.runtime.Name, Type: typeOf(payload), Payload: payload,
	})
	serve.JSON(w, http.StatusOK, map[string]int{"received": 1})
}

func typeOf(payload []byte) string {
	var document struct {
		Type any `json:"type"`
	}
	if json.Unmarshal(payload, &document) != nil {
		return ""
	}
	kind, _ := document.Type.(string)
	return kind
}

// reported gives the events of a type and a runtime, oldest first; an empty filter takes all.
func (s *store) reported(kind, runtime string) []Event {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []Event{}
	for _, event := range s.events {
		if (kind == "" || event.Type == kind) && (runtime == "" || event.Runtime == runtime) {
			found = append(found, event)
		}
	}
	return found
}
