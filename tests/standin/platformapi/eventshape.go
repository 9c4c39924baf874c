package platformapi

import (
	"cmp"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed event.schema.json
var eventSchemaText string

// eventSchema returns the schema of the events of the event reporters.
var eventSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	if err := compiler.AddResource("event.schema.json", strings.NewReader(eventSchemaText)); err != nil {
		return nil, err
	}
	return compiler.Compile("event.schema.json")
})

// checkEvent returns the object that an event is about, or a description of the problem with the event. It accepts two shapes: that of the event
// reporters, and that of a Sensor of the published chart 0.24, which has only data.object, as JSON text.
func checkEvent(payload []byte) (ObjectReference, string) {
	var event map[string]any
	if err := json.Unmarshal(payload, &event); err != nil || event == nil {
		return ObjectReference{}, "the event is not a JSON object"
	}
	data, _ := event["data"].(map[string]any)
	written, _ := data["object"].(string)
	if len(event) == 1 && len(data) == 1 && strings.HasPrefix(written, "{") {
		return objectFrom([]byte(written))
	}
	schema, err := eventSchema()
	if err != nil {
		return ObjectReference{}, err.Error()
	}
	if problem := wrongField(schema.Validate(event)); problem != "" {
		return ObjectReference{}, problem
	}
	document, err := base64.StdEncoding.DecodeString(written)
	if err != nil {
		return ObjectReference{}, "the field data.object of the event is not base64"
	}
	return objectFrom(document)
}

// wrongField describes the first field of an event that its schema refuses.
func wrongField(err error) string {
	var refused *jsonschema.ValidationError
	if !errors.As(err, &refused) {
		return ""
	}
	for len(refused.Causes) > 0 {
		refused = refused.Causes[0]
	}
	return fmt.Sprintf("the event is wrong at %s: %s", cmp.Or(refused.InstanceLocation, "/"), refused.Message)
}

func objectFrom(document []byte) (ObjectReference, string) {
	var object struct {
		APIVersion string
		Kind       string
		Metadata   struct{ Namespace, Name string }
	}
	if err := json.Unmarshal(document, &object); err != nil {
		return ObjectReference{}, "the field data.object of the event is not the JSON of an object"
	}
	for _, field := range []struct{ name, value string }{{"apiVersion", object.APIVersion}, {"kind", object.Kind}, {"metadata.name", object.Metadata.Name}} {
		if field.value == "" {
			return ObjectReference{}, "the object of the event has no field " + field.name
		}
	}
	return ObjectReference{APIVersion: object.APIVersion, Kind: object.Kind, Namespace: object.Metadata.Namespace, Name: object.Metadata.Name}, ""
}
