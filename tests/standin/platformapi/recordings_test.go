package platformapi_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/platformapi"
	"gitops-runtime/tests/standin/recordings"
)

// ask sends a request in JSON and returns the decoded response.
func ask(t *testing.T, of *platformapi.Platform, token, method, path string, body any) any {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	call := httptest.NewRequestWithContext(t.Context(), method, path, bytes.NewReader(text))
	call.Header.Set("Authorization", token)
	recorder := httptest.NewRecorder()
	of.ServeHTTP(recorder, call)
	require.Equal(t, http.StatusOK, recorder.Code, recorder.Body)
	var answer any
	if json.Unmarshal(recorder.Body.Bytes(), &answer) != nil {
		return nil // no JSON is recorded for a ping
	}
	return answer
}

// kinds replaces texts, numbers and truths by their kinds; lists stay if they are empty.
func kinds(value any) any {
	switch value := value.(type) {
	case map[string]any:
		made := map[string]any{}
		for key, one := range value {
			made[key] = kinds(one)
		}
		return made
	case []any:
		made := []any{}
		for _, one := range value {
			made = append(made, kinds(one))
		}
		return made
	default:
		return fmt.Sprintf("%T", value)
	}
}

// reports sends an event of an Application with a source in the given branch.
func reports(t *testing.T, of *platformapi.Platform, token, name, branch string) {
	t.Helper()
	object, err := json.Marshal(map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": map[string]any{"name": name, "namespace": "codefresh"},
		"spec": map[string]any{
			"source":      map[string]any{"repoURL": "https://git.example.com/owner/simple-app.git", "targetRevision": branch, "path": "."},
			"destination": map[string]any{"server": "https://kubernetes.default.svc"},
		},
	})
	require.NoError(t, err)
	ask(t, of, token, http.MethodPost, platformapi.EventsPath, map[string]any{"data": map[string]any{
		"timestamp": "2025-06-01T12:00:00Z", "object": base64.StdEncoding.EncodeToString(object), "source": map[string]any{},
	}})
}

// The platform accepts each recorded request, and its answers have the recorded shape; the answer about a promotion is the recorded one.
func TestRecordings(t *testing.T) {
	t.Parallel()
	made := start(t, platformapi.Options{})
	token, key := "user-token-admin", ""
	for _, call := range recordings.Calls() {
		if call.Query == "" {
			require.Equal(t, kinds(call.Answer), kinds(ask(t, made, token, call.Method, call.Path, call.Body)), call.Name)
			continue
		}
		variables := call.With(nil)
		if call.Name == "getSealingKey" {
			variables["id"] = key
		}
		answer, _ := ask(t, made, token, http.MethodPost, platformapi.GraphQLPath, map[string]any{"query": call.Query, "variables": variables}).(map[string]any)
		data, _ := answer["data"].(map[string]any)
		switch call.Name {
		case "CreateRuntime":
			token = made.Token("acc1", "test-runtime")
			reports(t, made, token, "simple-dev", "dev")
			reports(t, made, token, "simple-prod", "HEAD")
		case "saveSealingKey":
			key, _ = data["saveSealingKey"].(string)
		case "PromotionData":
			require.Equal(t, call.Data, answer["data"])
		case "productReleaseTasks":
			require.Equal(t, map[string]any{"productReleaseTasks": []any{}}, answer["data"])
			continue
		}
		require.Equal(t, kinds(call.Data), kinds(answer["data"]), call.Name)
	}
}

// The recorded tasks of promotions arrive as they are.
func TestRecordedTasks(t *testing.T) {
	t.Parallel()
	made := start(t, platformapi.Options{})
	for _, recorded := range recordings.Tasks() {
		request{http.MethodPost, "/test/tasks?runtime=taken", "", string(recorded), http.StatusNoContent, ""}.play(t, made)
		call := recordings.Named("productReleaseTasks")
		answer, err := json.Marshal(ask(t, made, "runtime-token-taken", http.MethodPost, platformapi.GraphQLPath, map[string]any{"query": call.Query}))
		require.NoError(t, err)
		var given struct {
			Data struct{ ProductReleaseTasks []map[string]any }
		}
		require.NoError(t, json.Unmarshal(answer, &given))
		require.Len(t, given.Data.ProductReleaseTasks, 1)
		var task map[string]any
		require.NoError(t, json.Unmarshal(recorded, &task))
		require.Subset(t, given.Data.ProductReleaseTasks[0], task)
	}
}
