package platformapi_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/platformapi"
)

// generated matches the tokens that the platform generates.
var generated = regexp.MustCompile(`runtime-[A-Z2-7]{26}`)

// request is one call of the platform and the complete response, in which generated tokens are replaced by NEW.
type request struct {
	method, path, token, body string
	status                    int
	reply                     string
}

func (r request) play(t *testing.T, handler http.Handler) {
	t.Helper()
	call := httptest.NewRequestWithContext(t.Context(), r.method, r.path, strings.NewReader(r.body))
	call.Header.Set("Content-Type", "application/json")
	if r.token != "" {
		call.Header.Set("Authorization", r.token)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, call)
	got := generated.ReplaceAllString(recorder.Body.String(), "NEW")
	require.Equal(t, r.status, recorder.Code, got)
	if recorder.Header().Get("Content-Type") == "application/json" {
		require.JSONEq(t, r.reply, got)
		return
	}
	require.Equal(t, r.reply, got)
}

func fixedTime() time.Time { return time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC) }

func start(t *testing.T, options platformapi.Options) *platformapi.Platform {
	t.Helper()
	options.Now = fixedTime
	made, err := platformapi.New(options)
	require.NoError(t, err)
	return made
}

func graphQL(token, body, reply string) request {
	return request{http.MethodPost, platformapi.GraphQLPath, token, body, http.StatusOK, reply}
}

const (
	meQuery      = `{"query":"query { me { id name activeAccount { id name gitProvider gitApiUrl sharedConfigRepo admins } } }"}`
	runtimeQuery = `{"query":"query R($name: String!) { runtime(name: $name) { metadata { name namespace } cluster ingressHost installationStatus } }","variables":{"name":"NAME"}}`
	createQuery  = `{"query":"mutation C($installationArgs: RuntimeInstallationArgs!) { createRuntime(installationArgs: $installationArgs) { name newAccessToken } }","variables":{"installationArgs":{"runtimeName":"NAME","cluster":"https://kubernetes.default.svc","runtimeVersion":"0.1.0","componentNames":[],"runtimeNamespace":"codefresh","ingressHost":"https://here.example.com"}}}`
	deleteQuery  = `{"query":"mutation { deleteRuntime(name: \"NAME\") }"}`
)

// sensorEvent is an event as a Sensor of the published chart 0.24 posts it.
const sensorEvent = `{"data":{"object":"{\"apiVersion\":\"argoproj.io/v1alpha1\",\"kind\":\"Rollout\",\"metadata\":{\"namespace\":\"n\",\"name\":\"canary\"}}"}}`

func named(query, name string) string { return strings.ReplaceAll(query, "NAME", name) }

func TestReplies(t *testing.T) {
	t.Parallel()
	const (
		unknown   = `{"data":null,"errors":[{"message":"the Authorization header holds no known token","extensions":{"code":"UNAUTHENTICATED"}}]}`
		forbidden = `"message":"only an administrator of the active account may do this"`
		taken     = `{"data":{"runtime":{"metadata":{"name":"taken","namespace":"elsewhere"},"cluster":"https://elsewhere.example.com","ingressHost":"https://elsewhere.example.com","installationStatus":"COMPLETED"}}}`
	)
	tests := map[string]request{
		"me": graphQL("user-token-admin", meQuery, `{"data":{"me":{"id":"user-admin","name":"admin","activeAccount":{"id":"acc1","name":"account-one",
			"gitProvider":"GITHUB","gitApiUrl":"https://api.github.com","sharedConfigRepo":"https://github.com/account-one/shared-configuration.git","admins":["user-admin"]}}}}`),
		"me of a member": graphQL("user-token-member", `{"query":"{ me { id activeAccount { id admins } } }"}`,
			`{"data":{"me":{"id":"user-member","activeAccount":{"id":"acc1","admins":["user-admin"]}}}}`),
		"me of a runtime":          graphQL("runtime-token-taken", `{"query":"{ me { runtimeName activeAccount { id } } }"}`, `{"data":{"me":{"runtimeName":"taken","activeAccount":{"id":"acc1"}}}}`),
		"taken name":               graphQL("user-token-admin", named(runtimeQuery, "taken"), taken),
		"taken name, by itself":    graphQL("runtime-token-taken", named(runtimeQuery, "taken"), taken),
		"free name":                graphQL("user-token-admin", named(runtimeQuery, "local"), `{"data":{"runtime":null}}`),
		"name of another account":  graphQL("user-token-acc2", named(runtimeQuery, "taken"), `{"data":{"runtime":null}}`),
		"all runtimes":             graphQL("user-token-admin", `{"query":"{ runtimes { metadata { name } runtimeVersion } }"}`, `{"data":{"runtimes":[{"metadata":{"name":"taken"},"runtimeVersion":"0.1.0"}]}}`),
		"create":                   graphQL("user-token-admin", named(createQuery, "local"), `{"data":{"createRuntime":{"name":"local","newAccessToken":"NEW"}}}`),
		"create a taken name":      graphQL("user-token-admin", named(createQuery, "taken"), `{"data":null,"errors":[{"message":"a runtime of this name is registered from another cluster or namespace: \"taken\"","path":["createRuntime"],"extensions":{"code":"CONFLICT"}}]}`),
		"create without the right": graphQL("user-token-member", named(createQuery, "local"), `{"data":null,"errors":[{`+forbidden+`,"path":["createRuntime"],"extensions":{"code":"FORBIDDEN"}}]}`),
		"delete":                   graphQL("user-token-admin", named(deleteQuery, "taken"), `{"data":{"deleteRuntime":1}}`),
		"delete itself":            graphQL("runtime-token-taken", named(deleteQuery, "taken"), `{"data":{"deleteRuntime":1}}`),
		"delete a free name":       graphQL("user-token-admin", named(deleteQuery, "local"), `{"data":{"deleteRuntime":0}}`),
		"delete without the right": graphQL("user-token-member", named(deleteQuery, "taken"), `{"data":null,"errors":[{`+forbidden+`,"path":["deleteRuntime"],"extensions":{"code":"FORBIDDEN"}}]}`),
		"unknown field": {http.MethodPost, platformapi.GraphQLPath, "user-token-admin", `{"query":"{ nobody { id } }"}`, http.StatusBadRequest,
			`{"errors":[{"message":"Cannot query field \"nobody\" on type \"Query\".","locations":[{"line":1,"column":3}]}]}`},
		"unknown token":   {http.MethodPost, platformapi.GraphQLPath, "nobody", meQuery, http.StatusUnauthorized, unknown},
		"no token":        {http.MethodPost, platformapi.GraphQLPath, "", meQuery, http.StatusUnauthorized, unknown},
		"scheme word":     {http.MethodPost, platformapi.GraphQLPath, "Bearer user-token-admin", meQuery, http.StatusUnauthorized, unknown},
		"no JSON":         {http.MethodPost, platformapi.GraphQLPath, "user-token-admin", "query", http.StatusBadRequest, `{"data":null,"errors":[{"message":"the body is not a GraphQL request in JSON","extensions":{"code":"BAD_REQUEST"}}]}`},
		"GET":             {http.MethodGet, platformapi.GraphQLPath, "user-token-admin", "", http.StatusMethodNotAllowed, "Method Not Allowed\n"},
		"unknown path":    {http.MethodGet, "/2.0/other", "user-token-admin", "", http.StatusNotFound, "404 page not found\n"},
		"alive":           {http.MethodGet, "/healthz", "", "", http.StatusOK, "ok\n"},
		"ready":           {http.MethodGet, "/readyz", "", "", http.StatusOK, "ok\n"},
		"event":           {http.MethodPost, platformapi.EventsPath, "runtime-token-taken", sensorEvent, http.StatusOK, `{"received":1}`},
		"event of nobody": {http.MethodPost, platformapi.EventsPath, "nobody", `{}`, http.StatusUnauthorized, `{"message":"the Authorization header holds no known token"}`},
		"event of a user": {http.MethodPost, platformapi.EventsPath, "user-token-admin", `{}`, http.StatusForbidden, `{"message":"events are taken from runtimes only: use the runtime's own token"}`},
		"event, no JSON":  {http.MethodPost, platformapi.EventsPath, "runtime-token-taken", `{`, http.StatusBadRequest, `{"message":"the event is not a JSON object"}`},
		"event too large": {http.MethodPost, platformapi.EventsPath, "runtime-token-taken", `"` + strings.Repeat("x", 5<<20) + `"`, http.StatusRequestEntityTooLarge, `{"message":"the body is larger than 4 MiB or was cut off"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.play(t, start(t, platformapi.Options{}))
		})
	}
}

// A runtime is registered, reports events, is registered again and removed.
func TestLife(t *testing.T) {
	t.Parallel()
	made := start(t, platformapi.Options{})
	create := graphQL("user-token-admin", named(createQuery, "local"), `{"data":{"createRuntime":{"name":"local","newAccessToken":"NEW"}}}`)
	create.play(t, made)
	first := made.Token("acc1", "local")
	require.Regexp(t, generated, first)
	for _, body := range []string{sensorEvent, strings.ReplaceAll(sensorEvent, "Rollout", "Workflow")} {
		request{http.MethodPost, platformapi.EventsPath, first, body, http.StatusOK, `{"received":1}`}.play(t, made)
	}
	create.play(t, made)
	second := made.Token("acc1", "local")
	require.NotEqual(t, first, second)

	const (
		head    = `{"time":"2025-06-01T12:00:00Z","account":"acc1","runtime":"local",`
		rollout = head + `"object":{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","namespace":"n","name":"canary"},"gzipped":false,"payload":` + sensorEvent + `}`
		taken   = `{"account":"acc1","name":"taken","namespace":"elsewhere","cluster":"https://elsewhere.example.com","ingressHost":"https://elsewhere.example.com","version":"0.1.0","status":"COMPLETED"}`
		local   = `{"account":"acc1","name":"local","namespace":"codefresh","cluster":"https://kubernetes.default.svc","ingressHost":"https://here.example.com","version":"0.1.0","status":"COMPLETED"}`
	)
	for _, step := range []request{
		{http.MethodPost, platformapi.EventsPath, first, `{}`, http.StatusUnauthorized, `{"message":"the Authorization header holds no known token"}`},
		{http.MethodGet, "/test/events", "", "", http.StatusOK, "[" + rollout + "," + strings.ReplaceAll(rollout, "Rollout", "Workflow") + "]"},
		{http.MethodGet, "/test/events?kind=Rollout&runtime=local", "", "", http.StatusOK, "[" + rollout + "]"},
		{http.MethodGet, "/test/events?runtime=taken", "", "", http.StatusOK, "[]"},
		{http.MethodGet, "/test/runtimes", "", "", http.StatusOK, "[" + local + "," + taken + "]"},
		graphQL(second, named(deleteQuery, "local"), `{"data":{"deleteRuntime":1}}`),
		{http.MethodPost, platformapi.EventsPath, second, `{}`, http.StatusUnauthorized, `{"message":"the Authorization header holds no known token"}`},
		{http.MethodPost, "/test/reset", "", "", http.StatusNoContent, ""},
		{http.MethodGet, "/test/events", "", "", http.StatusOK, "[]"},
		{http.MethodGet, "/test/runtimes", "", "", http.StatusOK, "[" + taken + "]"},
		{http.MethodPut, "/test/runtimes", "", "[" + strings.Replace(local, "{", `{"token":"runtime-of-another-cluster",`, 1) + "]", http.StatusNoContent, ""},
		{http.MethodGet, "/test/runtimes", "", "", http.StatusOK, "[" + local + "]"},
		{http.MethodPost, platformapi.EventsPath, "runtime-of-another-cluster", sensorEvent, http.StatusOK, `{"received":1}`},
	} {
		step.play(t, made)
	}
}

func TestTestAPIOff(t *testing.T) {
	t.Parallel()
	made := start(t, platformapi.Options{NoTestAPI: true})
	request{http.MethodGet, "/test/runtimes", "", "", http.StatusNotFound, "404 page not found\n"}.play(t, made)
}

func TestStateSurvivesRestart(t *testing.T) {
	t.Parallel()
	options := platformapi.Options{StateFile: filepath.Join(t.TempDir(), "runtimes.json")}
	first := start(t, options)
	graphQL("user-token-admin", named(createQuery, "local"), `{"data":{"createRuntime":{"name":"local","newAccessToken":"NEW"}}}`).play(t, first)
	second := start(t, options)
	require.Equal(t, first.Runtimes(), second.Runtimes())
	require.Equal(t, first.Token("acc1", "local"), second.Token("acc1", "local"))
}

func TestLogContainsNoToken(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	made := start(t, platformapi.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	graphQL("user-token-admin", named(createQuery, "local"), `{"data":{"createRuntime":{"name":"local","newAccessToken":"NEW"}}}`).play(t, made)
	request{http.MethodPost, platformapi.EventsPath + "?token=user-token-admin", made.Token("acc1", "local"), sensorEvent, http.StatusOK, `{"received":1}`}.play(t, made)
	require.Equal(t, 2, strings.Count(log.String(), "msg=request"))
	require.NotRegexp(t, `user-token|runtime-[A-Z2-7]`, log.String())
}

func TestStartTLS(t *testing.T) {
	t.Parallel()
	server, err := platformapi.StartTLS(t.Context(), platformapi.Options{})
	require.NoError(t, err)
	call, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/healthz", nil)
	require.NoError(t, err)
	client := trusting(t, server.CA)
	response, err := client.Do(call)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "ok\n", string(body))
}
