package appproxy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/appproxy"
	"gitops-runtime/tests/standin/gitserver"
	"gitops-runtime/tests/standin/platformapi"
	"gitops-runtime/tests/standin/recordings"
)

// report tells the platform of an Application at a path of a repository.
func (w world) report(t *testing.T, runtime, name, repository string) {
	t.Helper()
	object := fmt.Sprintf(`{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"name":%q,"namespace":"codefresh"},
		"spec":{"source":{"repoURL":%q,"targetRevision":"HEAD","path":%q},"destination":{"server":"https://kubernetes.default.svc"}}}`, name, repository, name)
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := fmt.Fprintf(writer, `{"data":{"timestamp":"2025-06-01T12:00:00Z","object":%q,"source":{}}}`, base64.StdEncoding.EncodeToString([]byte(object)))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.platform.URL+platformapi.EventsPath, &packed)
	require.NoError(t, err)
	request.Header.Set("Authorization", w.platform.Token("acc1", runtime))
	request.Header.Set("Content-Encoding", "gzip")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
}

// post sends a body to a path of app-proxy.
func post(program *appproxy.Program, t *testing.T, path, body string) (int, string) {
	t.Helper()
	recorder := httptest.NewRecorder()
	program.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
	return recorder.Code, recorder.Body.String()
}

// The recorded promotion commits the files of simple-dev to simple-prod.
func TestPromotes(t *testing.T) {
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
	for _, name := range []string{"simple-dev", "simple-prod"} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name, "values.yaml"), []byte(name), 0o600))
	}
	handler, err := gitserver.New(t.Context(), t.TempDir(), map[string]string{"simple-app.git": folder})
	require.NoError(t, err)
	git := httptest.NewServer(handler)
	t.Cleanup(git.Close)
	given := w.settings()
	given.Runtime = "test-runtime"
	program := w.program(t, given)
	require.NoError(t, w.work(t, program, func() {
		var action struct{ ActionURL, ActionBody string }
		require.NoError(t, json.Unmarshal(recordings.Tasks()[2], &action))
		require.Equal(t, appproxy.PromotionPath, action.ActionURL)
		body := strings.ReplaceAll(action.ActionBody, "source-commit-sha", "main")
		status, answer := post(program, t, action.ActionURL, body)
		require.Equal(t, http.StatusBadGateway, status)
		require.Contains(t, answer, "the platform does not know the Application simple-dev or simple-prod")
		w.report(t, "test-runtime", "simple-dev", git.URL+"/simple-app.git")
		w.report(t, "test-runtime", "simple-prod", git.URL+"/simple-app.git")
		status, answer = post(program, t, action.ActionURL, body)
		require.Equal(t, http.StatusOK, status, answer)
		require.Regexp(t, `"sha": "[0-9a-f]{40}"`, answer)
		status, answer = post(program, t, action.ActionURL, body)
		require.Equal(t, http.StatusBadGateway, status, "there is nothing to commit: %s", answer)
		require.Contains(t, answer, "nothing to commit")

		require.NoError(t, json.Unmarshal(recordings.Tasks()[0], &action))
		status, _ = post(program, t, action.ActionURL, action.ActionBody)
		require.Equal(t, http.StatusNotImplemented, status)
		status, _ = post(program, t, action.ActionURL, "{}")
		require.Equal(t, http.StatusBadRequest, status)
	}))
}

// The calls of a start are the recorded ones.
func TestStartsAsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := map[string]bool{}
	front := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		var call struct{ Query string }
		if json.Unmarshal(text, &call) == nil && call.Query != "" {
			asked[call.Query] = true
		} else {
			asked[r.Method+" "+r.URL.Path] = true
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		w.platform.ServeHTTP(writer, r)
	}))
	t.Cleanup(front.Close)
	given := w.settings()
	given.Runtime, given.PlatformURL = "test-runtime", front.URL
	require.NoError(t, w.work(t, w.program(t, given), func() {}))
	want := map[string]bool{}
	for _, call := range recordings.Calls() {
		switch {
		case call.Name == "PromotionData" || strings.HasPrefix(call.Name, "productRelease"): // of a promotion, and of gitops-operator
		case call.Query != "":
			want[call.Query] = true
		default:
			want[call.Name] = true
		}
	}
	require.Equal(t, want, asked)
}
