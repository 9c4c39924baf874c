package platformapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/platformapi"
)

// object is a Deployment in base64.
var object = base64.StdEncoding.EncodeToString([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"n","name":"web"}}`))

// event is a complete event of the event reporter.
var event = `{"data":{"timestamp":"2025-06-01T12:00:00.000Z","object":"` + object + `","source":{"desiredManifest":"{}","actualManifest":"{}","gitManifest":"a: b",
	"repoURL":"https://git.example.com/a.git","path":"web","revision":"abc","operationSyncRevision":"abc","commitMessage":"m","commitAuthor":"a","commitDate":"2025-06-01T11:00:00Z",
	"syncStartedAt":"2025-06-01T11:00:00Z","syncFinishedAt":"2025-06-01T11:01:00Z","appName":"web","appNamespace":"codefresh","appUID":"u","appLabels":{"a":"b"},"cluster":"https://kubernetes.default.svc",
	"syncStatus":"Synced","appInstanceLabelKey":"","trackingMethod":"annotation+label","historyId":3,"healthStatus":"Healthy","healthMessage":""},
	"errors":[{"type":"health","level":"error","message":"m","lastSeen":"2025-06-01T11:00:00Z","sourceReference":{"group":"apps","version":"v1","kind":"Deployment","name":"web","namespace":"n"}}],
	"appVersions":{"appVersion":"1","dependencies":{"lock":"","deps":"","requirements":""}}}}`

func TestEventShapes(t *testing.T) {
	t.Parallel()
	replaced := func(old, with string) string {
		require.Contains(t, event, old)
		return strings.Replace(event, old, with, 1)
	}
	minimal := `{"data":{"timestamp":"2025-06-01T12:00:00.000Z","object":"` + object + `","source":{}}}`
	const at = "the event is wrong at "
	tests := map[string]struct{ body, problem string }{
		"whole":               {event, ""},
		"required alone":      {minimal, ""},
		"of a Sensor":         {sensorEvent, ""},
		"null":                {`null`, "the event is not a JSON object"},
		"list":                {`[1]`, "the event is not a JSON object"},
		"two fields":          {replaced(`{"data":`, `{"type":"x","data":`), at + "/: additionalProperties 'type' not allowed"},
		"data is a text":      {`{"data":"x"}`, at + "/data: expected object, but got string"},
		"no timestamp":        {replaced(`"timestamp":"2025-06-01T12:00:00.000Z",`, ""), at + "/data: missing properties: 'timestamp'"},
		"malformed timestamp": {replaced("2025-06-01T12:00:00.000Z", "June"), at + "/data/timestamp: 'June' is not valid 'date-time'"},
		"no object":           {replaced(`"object":"`+object+`",`, ""), at + "/data: missing properties: 'object'"},
		"object not encoded":  {replaced(object, "x"), "the field data.object of the event is not base64"},
		"object not JSON":     {replaced(object, base64.StdEncoding.EncodeToString([]byte("x"))), "the field data.object of the event is not the JSON of an object"},
		"object of no kind":   {replaced(object, base64.StdEncoding.EncodeToString([]byte(`{"apiVersion":"v1"}`))), "the object of the event has no field kind"},
		"no source":           {`{"data":{"timestamp":"2025-06-01T12:00:00.000Z","object":"` + object + `"}}`, at + "/data: missing properties: 'source'"},
		"source is a text":    {strings.Replace(minimal, "{}", `"x"`, 1), at + "/data/source: expected object, but got string"},
		"unknown field":       {replaced("appName", "application"), at + "/data/source: additionalProperties 'application' not allowed"},
		"number for a text":   {replaced(`"appUID":"u"`, `"appUID":1`), at + "/data/source/appUID: expected string, but got number"},
		"text for a number":   {replaced(`"historyId":3`, `"historyId":"3"`), at + "/data/source/historyId: expected number, but got string"},
		"label of no text":    {replaced(`{"a":"b"}`, `{"a":1}`), at + "/data/source/appLabels/a: expected string, but got number"},
		"error of no kind":    {replaced(`"type":"health"`, `"type":"other"`), at + `/data/errors/0/type: value must be one of "sync", "health"`},
		"error of no object":  {replaced(`"kind":"Deployment",`, ""), at + "/data/errors/0/sourceReference: missing properties: 'kind'"},
		"errors not listed":   {strings.Replace(minimal, `"source"`, `"errors":{},"source"`, 1), at + "/data/errors: expected array or null, but got object"},
		"app version":         {replaced(`"appVersion":"1"`, `"appVersion":1`), at + "/data/appVersions/appVersion: expected string, but got number"},
		"dependencies":        {replaced(`"lock":""`, `"locks":""`), at + "/data/appVersions/dependencies: additionalProperties 'locks' not allowed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, reply := http.StatusOK, `{"received":1}`
			if test.problem != "" {
				status, reply = http.StatusBadRequest, `{"message":"`+strings.ReplaceAll(test.problem, `"`, `\"`)+`"}`
			}
			request{http.MethodPost, platformapi.EventsPath, "runtime-token-taken", test.body, status, reply}.play(t, start(t, platformapi.Options{}))
		})
	}
}

func TestGzippedEvents(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write([]byte(event))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	for name, test := range map[string]struct {
		encoding string
		body     []byte
		status   int
		reply    string
	}{
		"gzip":       {"gzip", packed.Bytes(), http.StatusOK, `{"received":1}`},
		"not packed": {"gzip", []byte(event), http.StatusBadRequest, `{"message":"the header Content-Encoding is gzip, and the body is not gzipped"}`},
		"cut off":    {"gzip", packed.Bytes()[:packed.Len()-4], http.StatusBadRequest, `{"message":"the body of the event was cut off"}`},
		"brotli":     {"br", packed.Bytes(), http.StatusBadRequest, `{"message":"the header Content-Encoding is br; an event is gzipped or not encoded"}`},
		"not said":   {"", packed.Bytes(), http.StatusBadRequest, `{"message":"the event is not a JSON object"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := start(t, platformapi.Options{})
			call := httptest.NewRequestWithContext(t.Context(), http.MethodPost, platformapi.EventsPath, bytes.NewReader(test.body))
			call.Header.Set("Authorization", "runtime-token-taken")
			call.Header.Set("Content-Encoding", test.encoding)
			recorder := httptest.NewRecorder()
			made.ServeHTTP(recorder, call)
			require.Equal(t, test.status, recorder.Code)
			require.JSONEq(t, test.reply, recorder.Body.String())
			if test.status == http.StatusOK {
				events := made.Events("Deployment", "taken")
				require.Len(t, events, 1)
				require.Equal(t, platformapi.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "n", Name: "web"}, events[0].Object)
				require.True(t, events[0].Gzipped)
				require.JSONEq(t, event, string(events[0].Payload))
			}
		})
	}
}

// The response to a call of a wrong shape is 400 with the name of the field.
func TestWrongCalls(t *testing.T) {
	t.Parallel()
	create := func(old, with string) string {
		require.Contains(t, createQuery, old)
		return strings.Replace(named(createQuery, "local"), old, with, 1)
	}
	failure := func(message string) string {
		return `{"data":null,"errors":[{"message":"` + message + `","extensions":{"code":"BAD_REQUEST"}}]}`
	}
	tests := map[string]struct{ body, reply string }{
		"unknown field": {create(`"runtimeNamespace"`, `"namespace"`), failure("the field installationArgs.namespace is not one of RuntimeInstallationArgs")},
		"number":        {create(`"runtimeVersion":"0.1.0"`, `"runtimeVersion":1`), failure("the field installationArgs.runtimeVersion is not of the type String")},
		"text":          {create(`"componentNames":[]`, `"managed":"false","componentNames":[]`), failure("the field installationArgs.managed is not of the type Boolean")},
		"no list":       {create(`"componentNames":[]`, `"componentNames":"x"`), failure("the field installationArgs.componentNames is not a list")},
		"item":          {create(`"componentNames":[]`, `"componentNames":["x",1]`), failure("the field installationArgs.componentNames[1] is not of the type String")},
		"no object":     {`{"query":"mutation C($installationArgs: RuntimeInstallationArgs!) { createRuntime(installationArgs: $installationArgs) { name } }","variables":{"installationArgs":"x"}}`, failure("the field installationArgs is not an object")},
		"missing":       {create(`"componentNames":[],`, ""), `{"errors":[{"message":"Variable \"componentNames\" has invalid value null.\nExpected type \"[String]!\", found null.","locations":[{"line":91,"column":3}]}]}`},
		"enum":          {create(`"componentNames":[]`, `"installationType":"CLI","componentNames":[]`), `{"errors":[{"message":"Variable \"installationType\" has invalid value CLI.\nExpected type \"InstallationType\", found CLI.","locations":[{"line":91,"column":3}]}]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := start(t, platformapi.Options{})
			call := httptest.NewRequestWithContext(t.Context(), http.MethodPost, platformapi.GraphQLPath, strings.NewReader(test.body))
			call.Header.Set("Authorization", "user-token-admin")
			recorder := httptest.NewRecorder()
			made.ServeHTTP(recorder, call)
			require.Equal(t, http.StatusBadRequest, recorder.Code)
			require.JSONEq(t, lines.ReplaceAllString(test.reply, `"line":0`), lines.ReplaceAllString(recorder.Body.String(), `"line":0`))
			require.Equal(t, []string{"taken"}, names(made), "nothing is registered")
		})
	}
}
