package selftest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/selftest"
)

// server serves a handler until the test ends.
func server(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	made := httptest.NewServer(handler)
	t.Cleanup(made.Close)
	return made.URL
}

func workloads(t *testing.T, names ...string) []cluster.Object {
	t.Helper()
	var objects []cluster.Object
	for _, name := range names {
		one, err := cluster.ParseObject(name)
		require.NoError(t, err)
		objects = append(objects, one)
	}
	return objects
}

func TestComponents(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	const apps = "/apis/apps/v1/namespaces/ns/"
	a.add(apps+"deployments/one", `{metadata: {generation: 2}, spec: {replicas: 2}, status: {observedGeneration: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2,
  conditions: [{type: Progressing, status: "True"}, {type: Available, status: "True", lastTransitionTime: "2026-01-02T03:04:05Z"}]}}`)
	a.add(apps+"statefulsets/two", `{metadata: {generation: 1}, spec: {}, status: {observedGeneration: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1}}`)
	a.add(apps+"deployments/down", `{metadata: {generation: 1}, spec: {replicas: 0}, status: {observedGeneration: 1}}`)
	a.add(apps+"deployments/old", `{metadata: {generation: 3}, spec: {replicas: 1}, status: {observedGeneration: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1}}`)
	s, _ := a.surroundings()
	text, passed := report(t, short, func(ctx context.Context, r *selftest.Report) {
		selftest.Components(ctx, s, workloads(t, "deployments.v1.apps/one", "statefulsets.v1.apps/two", "deployments.v1.apps/down", "deployments.v1.apps/none", "deployments.v1.apps/old"), r)
	})
	assert.False(t, passed)
	fix := func(name string) string {
		return "          fix    kubectl describe deployments.apps/" + name + " -n ns, and look at the log of its pods; a workload without pods: kubectl scale deployments.apps/" + name + " -n ns --replicas=1\n"
	}
	assert.Equal(t, `  ok    components/one  The pods of deployments.apps/one are available (2 of 2 available since 2026-01-02T03:04:05Z)
  ok    components/two  The pods of statefulsets.apps/two are available (1 of 1 available)
  FAIL  components/down  The pods of deployments.apps/down are available
          asked  get deployments.apps/down in namespace ns
          got    it is scaled to 0 replicas
`+fix("down")+`  FAIL  components/none  The pods of deployments.apps/none are available
          asked  get deployments.apps/none in namespace ns
          got    get deployments/none: HTTP 404: "/apis/apps/v1/namespaces/ns/deployments/none" not found
`+fix("none")+`  FAIL  components/old  The pods of deployments.apps/old are available
          asked  get deployments.apps/old in namespace ns
          got    after 0s: 1 of 1 available
`+fix("old")+`
2 passed, 3 failed
`, text)
	assert.Empty(t, a.requests, "the test changes an object")
}

// account starts a platform with one runtime, which authenticates with its runtime token.
func account(t *testing.T, runtime any) string {
	t.Helper()
	return server(t, func(w http.ResponseWriter, r *http.Request) {
		var query struct {
			Variables struct{ Name string }
		}
		if r.Header.Get("Authorization") != "own-token" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&query))
		assert.Equal(t, "prod", query.Variables.Name)
		answer(w, http.StatusOK, object{"data": object{"runtime": runtime}})
	})
}

func TestAppProxy(t *testing.T) {
	t.Parallel()
	registered := func(namespace, status string) object {
		return object{"metadata": object{"name": "prod", "namespace": namespace}, "installationStatus": status}
	}
	for name, test := range map[string]struct {
		token   string
		runtime any
		status  int
		want    string
	}{
		"registered":        {"own-token", registered("ns", "COMPLETED"), 200, "  ok    app-proxy/registered  The platform knows the runtime prod by its own token (installation COMPLETED)\n"},
		"not recorded":      {"own-token", registered("", "COMPLETED"), 200, "  ok    app-proxy/registered"},
		"not ready":         {"own-token", nil, 503, "FAIL  app-proxy/ready  app-proxy is ready\n"},
		"no token":          {"", nil, 200, "got    the Secret codefresh-token has no token, so app-proxy has not registered the runtime\n"},
		"token refused":     {"canary", nil, 200, "got    127.0.0.1:PORT answers HTTP 401\n"},
		"no such runtime":   {"own-token", nil, 200, "got    the account has no runtime of that name\n"},
		"another namespace": {"own-token", registered("other", "COMPLETED"), 200, "got    the runtime of that name is another one, in namespace other\n"},
		"failed":            {"own-token", registered("ns", "FAILED"), 200, "got    its installation has the status FAILED\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newAPI(t).surroundings()
			address := account(t, test.runtime)
			proxy := server(t, func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/api/readyz", r.URL.Path)
				w.WriteHeader(test.status)
			})
			text, _ := report(t, short, func(ctx context.Context, r *selftest.Report) {
				selftest.AppProxy(ctx, s, selftest.AppProxyOptions{URL: proxy, Runtime: "prod", Token: test.token, Platform: address}, r)
			})
			parsed, err := url.Parse(address)
			require.NoError(t, err)
			assert.Contains(t, strings.ReplaceAll(text, parsed.Host, "127.0.0.1:PORT"), test.want)
			assert.NotContains(t, text, "own-token")
			assert.NotContains(t, text, "canary")
		})
	}
}

// nginxPage is the 404 page of nginx with server_tokens off.
const nginxPage = "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"

func TestRouter(t *testing.T) {
	t.Parallel()
	target := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api/v1/version" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"code":16}`))
			return
		}
		_, _ = w.Write([]byte(`{"id":"` + r.Host + `"}`))
	})
	for name, test := range map[string]struct {
		reply func(w http.ResponseWriter)
		want  string
	}{
		"routed": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte("{\"code\":16}\n"))
		}, "  ok    router/workflows/api/v1/version  internal-router routes it to " + target + "/api/v1/version (HTTP 401)\n"},
		"not routed": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(nginxPage))
		}, "HTTP 404 of nginx itself\n"},
		"away": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write([]byte(`{"error":"the target of this route is away"}`))
		}, "HTTP 502, internal-router does not reach its target\n"},
		"another target": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"code":17}`))
		}, "HTTP 401 with another text than that of the target itself\n"},
		"another status": {func(w http.ResponseWriter) { answer(w, http.StatusOK, 1) }, "HTTP 200 (application/json), and HTTP 401 (application/json) of the target itself\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			router := server(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/webhooks/") {
					w.WriteHeader(http.StatusBadGateway)
					_, _ = w.Write([]byte(`{"error":"the target of this route is away"}`))
					return
				}
				test.reply(w)
			})
			s, _ := newAPI(t).surroundings()
			route, err := selftest.ParseRoute("/workflows/api/v1/version=" + target + "/api/v1/version")
			require.NoError(t, err)
			text, passed := report(t, short, func(ctx context.Context, r *selftest.Report) {
				selftest.Router(ctx, s, selftest.RouterOptions{URL: router, Routes: []selftest.Route{route}, Sources: []string{"/webhooks/ns/none"}}, r)
			})
			assert.Equal(t, name == "routed", passed)
			assert.Contains(t, text, test.want)
			if passed {
				assert.Contains(t, text, "  ok    router/webhooks/ns/none  internal-router looks for an event source of that name (HTTP 502)\n")
			}
		})
	}
}

func TestParseRoute(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "/a", "a=http://b", "/a=b"} {
		_, err := selftest.ParseRoute(text)
		assert.EqualError(t, err, `"`+text+`" names no route; write /path=http://host/path`)
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	hello := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }
	target := server(t, hello)
	trusted := server(t, hello)
	unknown := httptest.NewTLSServer(http.HandlerFunc(hello))
	t.Cleanup(unknown.Close)
	other := server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	for name, test := range map[string]struct {
		url    string
		passed bool
		want   string
	}{
		"reached":             {trusted, true, "  ok    access/tunnel  app-proxy answers at " + trusted + " (HTTP 200)\n"},
		"unknown certificate": {unknown.URL, true, " (HTTP 200, its certificate not verified: "},
		"connection refused":  {"http://127.0.0.1:1", false, "fix    check the log of the tunnel client"},
		"another server":      {other, false, "HTTP 503 (), and HTTP 200 (text/plain) of the target itself"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newAPI(t).surroundings()
			text, passed := report(t, short, func(ctx context.Context, r *selftest.Report) {
				selftest.Access(ctx, s, selftest.AccessOptions{Mode: "tunnel", URL: test.url, Path: "/app-proxy/api/healthz", Target: target}, r)
			})
			assert.Equal(t, test.passed, passed, text)
			assert.Contains(t, text, test.want)
		})
	}
}
