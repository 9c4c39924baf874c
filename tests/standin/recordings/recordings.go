// Package recordings contains what app-proxy and gitops-operator say to the platform, as the component tests of the published chart recorded it. The
// stand-ins send these requests, and tests replay them against the stand-in of the platform.
package recordings

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"

	"sigs.k8s.io/yaml"
)

//go:embed recordings.yaml
var document []byte

// Call is a request and its answer: of GraphQL if it has a query, otherwise of REST.
type Call struct {
	Name string `json:"name"`
	// Assumed means that of the query only the operation, its variables and the kind of the answer are recorded.
	Assumed   bool           `json:"assumed,omitempty"`
	Query     string         `json:"query,omitempty"`
	Variables map[string]any `json:"variables,omitempty"`
	Data      any            `json:"data,omitempty"`

	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Body   any    `json:"body,omitempty"`
	Answer any    `json:"answer,omitempty"`
}

// With returns the variables of the call with some of them replaced.
func (c Call) With(variables map[string]any) map[string]any {
	changed := maps.Clone(c.Variables)
	maps.Copy(changed, variables)
	return changed
}

// file is the embedded document.
type file struct {
	Calls []Call            `json:"calls"`
	Tasks []json.RawMessage `json:"tasks"`
}

func read() file {
	var all file
	if err := yaml.UnmarshalStrict(document, &all); err != nil {
		panic(fmt.Sprintf("the embedded recordings.yaml: %v", err))
	}
	return all
}

// Calls returns all recorded calls.
func Calls() []Call { return read().Calls }

// Tasks returns the recorded tasks of promotions, as the platform gives them to gitops-operator.
func Tasks() []json.RawMessage { return read().Tasks }

// Named returns a recorded call. It panics if there is none, which is an error in the caller that no input can cause.
func Named(name string) Call {
	for _, call := range Calls() {
		if call.Name == name {
			return call
		}
	}
	panic(fmt.Sprintf("there is no recorded call %q", name))
}
