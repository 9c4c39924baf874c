package platformapi

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
)

var (
	errRuntimeOnly = errors.New("only a runtime may ask for this: use the runtime's own token")
	errUnknown     = errors.New("the account has no runtime of this name")
)

// RuntimeError is an error that was reported for a runtime.
type RuntimeError struct {
	Level   string `json:"level"`
	Message string `json:"message"`
}

// Task is a task for gitops-operator, which tests add, with the fields of the schema.
type Task struct {
	Type              string        `json:"type"`
	Labels            *undocumented `json:"labels,omitempty"`
	CommitInfo        *commitResult `json:"commitInfo,omitempty"`
	AppNamespace      *string       `json:"appNamespace,omitempty"`
	AppName           *string       `json:"appName,omitempty"`
	RepoUrl           *string       `json:"repoUrl,omitempty"` //nolint:revive,staticcheck // the schema's field name
	Branch            *string       `json:"branch,omitempty"`
	Path              *string       `json:"path,omitempty"`
	PostActionOnly    *bool         `json:"postActionOnly,omitempty"`
	PreAction         *undocumented `json:"preAction,omitempty"`
	ActionUrl         *string       `json:"actionUrl,omitempty"` //nolint:revive,staticcheck // the schema's field name
	ActionBody        *undocumented `json:"actionBody,omitempty"`
	PostAction        *undocumented `json:"postAction,omitempty"`
	WorkflowNamespace *string       `json:"workflowNamespace,omitempty"`
	WorkflowName      *string       `json:"workflowName,omitempty"`
}

type commitResult struct {
	Sha       *string `json:"sha,omitempty"`
	Committer *string `json:"committer,omitempty"`
	Date      *string `json:"date,omitempty"`
	Message   *string `json:"message,omitempty"`
}

// records are the data other than events that runtimes store at the platform; a reset deletes them.
type records struct {
	errors      map[string][]RuntimeError // errors has keys ACCOUNT/RUNTIME.
	tasks       map[string][]Task         // tasks has runtimes as keys.
	sealingKeys map[string]string         // sealingKeys has keys ACCOUNT/ID.
	inbox       map[string][]json.RawMessage
}

func newRecords() records {
	return records{errors: map[string][]RuntimeError{}, tasks: map[string][]Task{}, sealingKeys: map[string]string{}, inbox: map[string][]json.RawMessage{}}
}

func (s *store) keepErrors(account, runtime string, reported []RuntimeError) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index(account, runtime) < 0 {
		return fmt.Errorf("%w: %q", errUnknown, runtime)
	}
	key := account + "/" + runtime
	s.records.errors[key] = append(s.records.errors[key], reported...)
	return nil
}

func (s *store) reportedErrors(account, runtime string) []RuntimeError {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]RuntimeError{}, s.records.errors[account+"/"+runtime]...)
}

func (s *store) addTask(runtime string, task Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records.tasks[runtime] = append(s.records.tasks[runtime], task)
}

func (s *store) takeTasks(runtime string) []Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.records.tasks[runtime]
	delete(s.records.tasks, runtime)
	return taken
}

func (s *store) keepSealingKey(account, key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rand.Text()
	s.records.sealingKeys[account+"/"+id] = key
	return id
}

func (s *store) sealingKey(account, id string) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	key, ok := s.records.sealingKeys[account+"/"+id]
	return key, ok
}

// receive stores the body that a trigger of a test has posted under a name.
func (s *store) receive(name string, body json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records.inbox[name] = append(s.records.inbox[name], body)
}

func (s *store) received(name string) []json.RawMessage {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]json.RawMessage{}, s.records.inbox[name]...)
}
