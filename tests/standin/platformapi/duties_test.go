package platformapi_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/platformapi"
)

// lines matches positions in the schema, which change with it.
var lines = regexp.MustCompile(`"line":\s*\d+`)

func names(of *platformapi.Platform) []string {
	var found []string
	for _, runtime := range of.Runtimes() {
		found = append(found, runtime.Name)
	}
	return found
}

// REST calls of app-proxy.
func TestREST(t *testing.T) {
	t.Parallel()
	const issue = "/api/argo-runtime"
	for name, test := range map[string]request{
		"ping":                    {http.MethodGet, "/api/ping", "", "", http.StatusOK, "ok\n"},
		"token of itself":         {http.MethodPost, issue, "runtime-token-taken", `{"name":"taken"}`, http.StatusOK, `{"token":"runtime-token-taken"}`},
		"token for the admin":     {http.MethodPost, issue, "user-token-admin", `{"name":"taken"}`, http.StatusOK, `{"token":"runtime-token-taken"}`},
		"token for a member":      {http.MethodPost, issue, "user-token-member", `{"name":"taken"}`, http.StatusForbidden, `{"message":"the token may not act for the runtime \"taken\""}`},
		"token of nobody":         {http.MethodPost, issue, "user-token-admin", `{"name":"local"}`, http.StatusNotFound, `{"message":"the account has no runtime \"local\""}`},
		"token without a name":    {http.MethodPost, issue, "user-token-admin", `{}`, http.StatusBadRequest, `{"message":"the field name is missing or is not a string"}`},
		"token, unknown field":    {http.MethodPost, issue, "user-token-admin", `{"runtime":"taken"}`, http.StatusBadRequest, `{"message":"the field runtime is not one of this call: it takes name"}`},
		"token, not JSON":         {http.MethodPost, issue, "user-token-admin", `taken`, http.StatusBadRequest, `{"message":"the body is not a JSON object"}`},
		"token without a token":   {http.MethodPost, issue, "", `{"name":"taken"}`, http.StatusUnauthorized, `{"message":"the Authorization header holds no known token"}`},
		"store key":               {http.MethodGet, issue + "/taken/storeKey", "runtime-token-taken", "", http.StatusOK, `{"storeKey":"key-of-acc1-taken"}`},
		"store key of an other":   {http.MethodGet, issue + "/local/storeKey", "runtime-token-taken", "", http.StatusNotFound, `{"message":"the account has no runtime \"local\""}`},
		"store key of a stranger": {http.MethodGet, issue + "/taken/storeKey", "user-token-acc2", "", http.StatusNotFound, `{"message":"the account has no runtime \"taken\""}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.play(t, start(t, platformapi.Options{}))
		})
	}
}

// GraphQL requests of the runtime's programs other than registration.
func TestQueries(t *testing.T) {
	t.Parallel()
	limited := platformapi.DefaultSeed()
	five := int32(5)
	limited.Accounts[0].Limits = &platformapi.Limits{Clusters: &five}
	forbidden := func(field string) string {
		return `{"data":{"` + field + `":null},"errors":[{"message":"only a runtime may ask for this: use the runtime's own token","path":["` + field + `"],"extensions":{"code":"FORBIDDEN"}}]}`
	}
	for name, test := range map[string]struct {
		seed *platformapi.Seed
		request
	}{
		"no limits":       {nil, graphQL("user-token-admin", `{"query":"{ limitsStatus { status limits { clusters } } }"}`, `{"data":{"limitsStatus":{"status":true,"limits":null}}}`)},
		"limits":          {&limited, graphQL("user-token-admin", `{"query":"{ limitsStatus { usage { clusters applications } limits { clusters applications } status } }"}`, `{"data":{"limitsStatus":{"usage":{"clusters":1,"applications":0},"limits":{"clusters":5,"applications":null},"status":true}}}`)},
		"administrator":   {nil, graphQL("user-token-admin", `{"query":"{ me { email status isAdmin accounts { id name } activeAccount { features { gitopsPlanEnforcement } } } }"}`, `{"data":{"me":{"email":"user-admin@example.com","status":"active","isAdmin":true,"accounts":[{"id":"acc1","name":"account-one"}],"activeAccount":{"features":{"gitopsPlanEnforcement":false}}}}}`)},
		"runtime":         {nil, graphQL("runtime-token-taken", `{"query":"{ runtime(name: \"taken\") { metadata { account kind } syncStatus healthStatus installationType managed accessMode managedClustersNum status { argoCdState } } }"}`, `{"data":{"runtime":{"metadata":{"account":"acc1","kind":"Application"},"syncStatus":"UNKNOWN","healthStatus":null,"installationType":"HELM","managed":false,"accessMode":"INGRESS","managedClustersNum":1,"status":{"argoCdState":false}}}}`)},
		"git sources":     {nil, graphQL("runtime-token-taken", `{"query":"{ gitSources(runtime: \"taken\", pagination: {first: 5}) { edges { node { metadata { name } } } pageInfo { hasNextPage hasPrevPage } } }"}`, `{"data":{"gitSources":{"edges":[],"pageInfo":{"hasNextPage":false,"hasPrevPage":false}}}}`)},
		"implicit":        {nil, graphQL("runtime-token-taken", `{"query":"{ shouldBeImplicitConfigurationRuntime }"}`, `{"data":{"shouldBeImplicitConfigurationRuntime":false}}`)},
		"undocumented":    {nil, graphQL("runtime-token-taken", `{"query":"mutation M($clusters: Undocumented) { updateRuntimeClusters(clusters: $clusters) }","variables":{"clusters":[{"a":1}]}}`, `{"data":{"updateRuntimeClusters":null}}`)},
		"lists":           {nil, graphQL("runtime-token-taken", `{"query":"{ productComponentsList(filters: {}) { id } applications(pagination: {first: 5}) { edges { node { metadata { name } } } } }"}`, `{"data":{"productComponentsList":[],"applications":{"edges":[]}}}`)},
		"hook tasks":      {nil, graphQL("runtime-token-taken", `{"query":"{ productReleaseRunHooksTasks { type } productReleaseCommitStatuses { sha } }"}`, `{"data":{"productReleaseRunHooksTasks":[],"productReleaseCommitStatuses":[]}}`)},
		"tasks of a user": {nil, graphQL("user-token-admin", `{"query":"{ productReleaseTasks { type } }"}`, forbidden("productReleaseTasks"))},
		"errors":          {nil, graphQL("user-token-admin", `{"query":"mutation M($a: ReportRuntimeErrorsArgs!) { reportRuntimeErrors(reportErrorsArgs: $a) }","variables":{"a":{"runtime":"taken","errors":[{"level":"ERROR","message":"m"}]}}}`, `{"data":{"reportRuntimeErrors":1}}`)},
		"errors of none":  {nil, graphQL("user-token-admin", `{"query":"mutation { reportRuntimeErrors(reportErrorsArgs: {runtime: \"local\", errors: [{level: \"ERROR\", message: \"m\"}]}) }"}`, `{"data":null,"errors":[{"message":"the account has no runtime of this name: \"local\"","path":["reportRuntimeErrors"],"extensions":{"code":"NOT_FOUND"}}]}`)},
		"empty key":       {nil, graphQL("runtime-token-taken", `{"query":"mutation { saveSealingKey(privateKey: \"\") }"}`, `{"data":{"saveSealingKey":null},"errors":[{"message":"privateKey is empty","path":["saveSealingKey"]}]}`)},
		"unknown key":     {nil, graphQL("runtime-token-taken", `{"query":"{ getSealingKey(id: \"x\") }"}`, `{"data":{"getSealingKey":null}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.play(t, start(t, platformapi.Options{Seed: test.seed}))
		})
	}
}

// A task is returned once, errors are stored, and a sealing key can be read.
func TestRecords(t *testing.T) {
	t.Parallel()
	made := start(t, platformapi.Options{})
	const ask = `{"query":"{ productReleaseTasks { type actionUrl actionBody } }"}`
	for _, step := range []request{
		{http.MethodPost, "/test/tasks?runtime=taken", "", `{"type":"promote","actionUrl":"/app-proxy/api/a","actionBody":{"b":1}}`, http.StatusNoContent, ""},
		graphQL("runtime-token-taken", ask, `{"data":{"productReleaseTasks":[{"type":"promote","actionUrl":"/app-proxy/api/a","actionBody":{"b":1}}]}}`),
		graphQL("runtime-token-taken", ask, `{"data":{"productReleaseTasks":[]}}`),
		{http.MethodGet, "/test/inbox/a", "", "", http.StatusOK, "[]"},
		{http.MethodPost, "/test/inbox/a", "", `{"b":1}`, http.StatusNoContent, ""},
		{http.MethodPost, "/test/inbox/a", "", `b`, http.StatusBadRequest, `{"message":"the body is not JSON: invalid character 'b' looking for beginning of value"}`},
		{http.MethodGet, "/test/inbox/a", "", "", http.StatusOK, `[{"b":1}]`},
		{http.MethodPost, "/test/tasks", "", `{"kind":"x"}`, http.StatusBadRequest, `{"message":"the body is not a task: json: unknown field \"kind\""}`},
		graphQL("user-token-admin", `{"query":"mutation { reportRuntimeErrors(reportErrorsArgs: {runtime: \"taken\", errors: [{level: \"ERROR\", message: \"m\"}]}) }"}`, `{"data":{"reportRuntimeErrors":1}}`),
	} {
		step.play(t, made)
	}
	require.Equal(t, []platformapi.RuntimeError{{Level: "ERROR", Message: "m"}}, made.Errors("acc1", "taken"))
}
