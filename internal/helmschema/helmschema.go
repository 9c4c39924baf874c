// Package helmschema validates values against the schemas of charts as Helm does, with Helm's library and messages. Helm compiles every schema for every
// render; a Cache compiles each once. The package does not know where charts and values come from.
package helmschema

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// address is the URL under which Helm compiles every schema.
const address = "file:///values.schema.json"

// Cache caches compiled schemas by their content. The zero value is an empty cache; goroutines may share it.
type Cache struct{ compiled sync.Map }

type compiled struct {
	once   sync.Once
	schema *jsonschema.Schema
	err    error
}

// Compile compiles a schema, once. References to other documents are not fetched.
func (c *Cache) Compile(text []byte) (*jsonschema.Schema, error) {
	found, _ := c.compiled.LoadOrStore(string(text), &compiled{})
	entry := found.(*compiled)
	entry.once.Do(func() { entry.schema, entry.err = compile(text) })
	return entry.schema, entry.err
}

// Forget removes all schemas.
func (c *Cache) Forget() { c.compiled.Clear() }

func compile(text []byte) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("values.schema.json is not JSON: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	if err := compiler.AddResource(address, document); err != nil {
		return nil, err
	}
	return compiler.Compile(address)
}

// Validate validates values against the schemas of a chart and of its subcharts. The error is that of chartutil.ValidateAgainstSchema. Without a Cache,
// Helm itself validates.
func (c *Cache) Validate(of *chart.Chart, values map[string]any) error {
	if c == nil {
		return chartutil.ValidateAgainstSchema(of, values)
	}
	var messages strings.Builder
	if of.Schema != nil {
		if err := c.validate(of.Schema, values); err != nil {
			fmt.Fprintf(&messages, "%s:\n%s", of.Name(), err)
		}
	}
	for _, child := range of.Dependencies() {
		given := values[child.Name()]
		if given == nil {
			continue
		}
		below, isMap := given.(map[string]any)
		if !isMap {
			fmt.Fprintf(&messages, "%s:\ninvalid type for values: expected object (map), got %T\n", child.Name(), given)
			continue
		}
		if err := c.Validate(child, below); err != nil {
			messages.WriteString(err.Error())
		}
	}
	if messages.Len() > 0 {
		return errors.New(messages.String())
	}
	return nil
}

func (c *Cache) validate(text []byte, values chartutil.Values) error {
	schema, err := c.Compile(text)
	if err != nil {
		return chartutil.ValidateAgainstSingleSchema(values, text) // it may fetch the documents that the schema refers to
	}
	if err := schema.Validate(values.AsMap()); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "jsonschema validation failed with '"+address+"#'\n") + "\n")
	}
	return nil
}
