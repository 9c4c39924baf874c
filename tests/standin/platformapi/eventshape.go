package platformapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// kind checks a JSON value, and returns a description of the problem, empty if there is none.
type kind func(value any) string

func text(value any) string {
	if _, ok := value.(string); !ok {
		return "is not a string"
	}
	return ""
}

func instant(value any) string {
	written, ok := value.(string)
	if !ok {
		return "is not a string"
	}
	if _, err := time.Parse(time.RFC3339, written); err != nil {
		return "is not a time as RFC 3339 has it"
	}
	return ""
}

func orNull(of kind) kind {
	return func(value any) string {
		if value == nil {
			return ""
		}
		return of(value)
	}
}

func number(value any) string {
	if _, ok := value.(float64); !ok {
		return "is not a number"
	}
	return ""
}

func truth(value any) string {
	if _, ok := value.(bool); !ok {
		return "is not true or false"
	}
	return ""
}

func texts(value any) string {
	pairs, ok := value.(map[string]any)
	if !ok {
		return "is not an object"
	}
	for key, value := range pairs {
		if text(value) != "" {
			return fmt.Sprintf("has the key %s, which is not a string", key)
		}
	}
	return ""
}

func anything(any) string { return "" }

// shape contains the fields of an object, required and optional.
type shape struct {
	required []string
	fields   map[string]kind
}

// The shape of an event, as the contract documents it: pkg/apiclient/events of Codefresh's fork of Argo CD v2.12.3-2024.10.24. Of the later fields
// payloadVersion and deleted only the names are known.
var (
	dataShape = shape{
		required: []string{"timestamp", "object", "source"},
		fields: map[string]kind{
			"timestamp": instant, "object": text, "source": anything, "errors": orNull(anything), "appVersions": anything,
			"payloadVersion": anything, "deleted": truth,
		},
	}
	sourceShape = shape{fields: map[string]kind{
		"desiredManifest": text, "actualManifest": text, "gitManifest": text, "repoURL": text, "path": text, "revision": text,
		"operationSyncRevision": text, "commitMessage": text, "commitAuthor": text, "commitDate": orNull(instant),
		"syncStartedAt": orNull(instant), "syncFinishedAt": orNull(instant), "appName": text, "appNamespace": text, "appUID": text,
		"cluster": text, "syncStatus": text, "appInstanceLabelKey": text, "trackingMethod": text, "appLabels": orNull(texts),
		"historyId": number, "healthStatus": orNull(text), "healthMessage": orNull(text),
	}}
	errorShape = shape{
		required: []string{"type", "level", "message"},
		fields:   map[string]kind{"type": text, "level": text, "message": text, "lastSeen": orNull(instant), "sourceReference": anything},
	}
	referenceShape = shape{
		required: []string{"kind", "name"},
		fields:   map[string]kind{"group": text, "version": text, "kind": text, "name": text, "namespace": text},
	}
	versionsShape     = shape{fields: map[string]kind{"appVersion": text, "dependencies": anything}}
	dependenciesShape = shape{fields: map[string]kind{"lock": text, "deps": text, "requirements": text}}
)

// wrong describes the first field at path or below that is missing, unknown, or of another kind.
func (s shape) wrong(path string, value any) (map[string]any, string) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Sprintf("the field %s of the event is not an object", path)
	}
	for _, name := range s.required {
		if object[name] == nil || object[name] == "" {
			return nil, fmt.Sprintf("the event has no field %s.%s", path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		of, known := s.fields[name]
		if !known {
			return nil, fmt.Sprintf("the field %s.%s is not one of an event", path, name)
		}
		if problem := of(object[name]); problem != "" {
			return nil, fmt.Sprintf("the field %s.%s of the event %s", path, name, problem)
		}
	}
	return object, ""
}

// checkEvent returns the object that an event is about, or a description of the problem with the event. It accepts two shapes: that of the event
// reporters, and that of a Sensor of the published chart 0.24, which has only data.object, as JSON text.
func checkEvent(payload []byte) (ObjectReference, string) {
	var event map[string]any
	if err := json.Unmarshal(payload, &event); err != nil {
		return ObjectReference{}, "the event is not a JSON object"
	}
	if len(event) != 1 || event["data"] == nil {
		return ObjectReference{}, "the event has another field than data, or does not have it"
	}
	data, ok := event["data"].(map[string]any)
	if !ok {
		return ObjectReference{}, "the field data of the event is not an object"
	}
	if written, ok := data["object"].(string); ok && len(data) == 1 && strings.HasPrefix(written, "{") {
		return objectFrom([]byte(written))
	}
	if _, problem := dataShape.wrong("data", data); problem != "" {
		return ObjectReference{}, problem
	}
	for _, check := range []func(map[string]any) string{wrongSource, wrongErrors, wrongVersions} {
		if problem := check(data); problem != "" {
			return ObjectReference{}, problem
		}
	}
	document, err := base64.StdEncoding.DecodeString(data["object"].(string)) //nolint:forcetypeassert // a string by the shape
	if err != nil {
		return ObjectReference{}, "the field data.object of the event is not base64"
	}
	return objectFrom(document)
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

func wrongSource(data map[string]any) string {
	_, problem := sourceShape.wrong("data.source", data["source"])
	return problem
}

func wrongErrors(data map[string]any) string {
	if data["errors"] == nil {
		return ""
	}
	list, ok := data["errors"].([]any)
	if !ok {
		return "the field data.errors of the event is not a list"
	}
	for i, item := range list {
		path := fmt.Sprintf("data.errors[%d]", i)
		failure, problem := errorShape.wrong(path, item)
		if problem != "" {
			return problem
		}
		if failure["type"] != "sync" && failure["type"] != "health" {
			return fmt.Sprintf("the field %s.type of the event is %q; it is sync or health", path, failure["type"])
		}
		if _, problem := referenceShape.wrong(path+".sourceReference", failure["sourceReference"]); problem != "" {
			return problem
		}
	}
	return ""
}

func wrongVersions(data map[string]any) string {
	if data["appVersions"] == nil {
		return ""
	}
	versions, problem := versionsShape.wrong("data.appVersions", data["appVersions"])
	if problem != "" || versions["dependencies"] == nil {
		return problem
	}
	_, problem = dependenciesShape.wrong("data.appVersions.dependencies", versions["dependencies"])
	return problem
}
