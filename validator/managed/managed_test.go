package managed_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/managed"
)

const sample = "system:serviceaccount:tools:argo"

// jwt returns a token of an account, which expires unless the time is 0; its number makes it unique.
func jwt(subject string, expires, number int) string {
	payload := fmt.Sprintf(`{"sub":%q,"jti":"%d"`, subject, number)
	if expires > 0 {
		payload += fmt.Sprintf(`,"exp":%d`, expires)
	}
	return "eyJh." + base64.RawURLEncoding.EncodeToString([]byte(payload+"}")) + ".c2ln"
}

// target is the API server of a managed cluster, which accepts some tokens and hands out others.
type target struct {
	*httptest.Server
	mu       sync.Mutex
	accepted map[string]bool
	status   int
	rules    string
	seen     []string
	sent     string
}

func startTarget(t *testing.T, accepted ...string) *target {
	t.Helper()
	made := &target{accepted: map[string]bool{}}
	for _, token := range accepted {
		made.accepted["Bearer "+token] = true
	}
	made.Server = httptest.NewUnstartedServer(made)
	made.Config.ErrorLog = log.New(io.Discard, "", 0)
	made.StartTLS()
	t.Cleanup(made.Close)
	return made
}

func (s *target) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	s.seen, s.sent = append(s.seen, r.Method+" "+r.URL.Path), string(body)
	switch {
	case !s.accepted[r.Header.Get("Authorization")]:
		w.WriteHeader(http.StatusUnauthorized)
	case s.status != 0:
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(s.status)
	case strings.HasSuffix(r.URL.Path, "/token"):
		fresh := jwt(sample, 1, len(s.seen))
		s.accepted["Bearer "+fresh] = true
		_, _ = fmt.Fprintf(w, `{"status": {"token": %q, "expirationTimestamp": "2026-01-02T03:04:05Z"}}`, fresh)
	case strings.HasSuffix(r.URL.Path, "/selfsubjectrulesreviews"):
		_, _ = io.WriteString(w, `{"status": `+s.rules+`}`)
	case r.URL.Path == "/apis/apps":
		_, _ = io.WriteString(w, `{"preferredVersion": {"groupVersion": "apps/v1"}}`)
	case r.URL.Path == "/apis/apps/v1":
		_, _ = io.WriteString(w, `{"resources": [{"name": "deployments", "kind": "Deployment", "namespaced": true}, {"name": "deployments/scale", "kind": "Scale"}]}`)
	case r.URL.Path == "/api/v1":
		_, _ = io.WriteString(w, `{"resources": [{"name": "configmaps", "kind": "ConfigMap", "namespaced": true}, {"name": "namespaces", "kind": "Namespace"}]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// tls returns how a client verifies the server.
func (s *target) tls() managed.TLS {
	return managed.TLS{CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})}
}

// runtime is the cluster of Argo CD: Secrets in memory.
type runtime map[string]map[string][]byte

func (r runtime) Secret(_ context.Context, namespace, name string) (map[string][]byte, error) {
	data, known := r[namespace+"/"+name]
	if !known {
		return nil, &cluster.Error{Verb: "get", Resource: "secrets/" + name, Status: http.StatusNotFound}
	}
	return data, nil
}

func (r runtime) Merge(_ context.Context, path string, patch any) error {
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	var change struct{ Data map[string][]byte }
	if err := json.Unmarshal(text, &change); err != nil {
		return err
	}
	parts := strings.Split(path, "/")
	for key, value := range change.Data {
		r[parts[4]+"/"+parts[6]][key] = value
	}
	return nil
}

func (r runtime) Delete(_ context.Context, path string) (bool, error) {
	parts := strings.Split(path, "/")
	delete(r, parts[4]+"/"+parts[6])
	return true, nil
}

func config(t *testing.T, token string) []byte {
	t.Helper()
	text, err := json.Marshal(managed.Config{BearerToken: token})
	require.NoError(t, err)
	return text
}

func TestRotate(t *testing.T) {
	t.Parallel()
	present, first, foreign := jwt(sample, 1, 101), jwt(sample, 1, 102), jwt("somebody", 1, 103)
	for name, test := range map[string]struct {
		accepted      []string
		stored, first string
		status        int
		wrong         bool
		want          string // code and words of the finding; empty for a new token
		left          bool   // the Secret of the first token stays
	}{
		"the present token":                   {accepted: []string{present}, stored: present},
		"the present token, before the first": {accepted: []string{present, first}, stored: present, first: first, left: true},
		"the first token":                     {accepted: []string{first}, first: first + "\n"},
		"the first token after an outage":     {accepted: []string{first}, stored: present, first: first},
		"no token":                            {want: "MCL103"},
		"an expired token":                    {stored: present, want: "MCL103"},
		"two expired tokens":                  {stored: present, first: first, want: "MCL103", left: true},
		"the first token instead of another":  {accepted: []string{first}, stored: "odd", first: first},
		"a token of somebody":                 {stored: foreign, want: `MCL101 The cluster Secret "staging" cannot be used: it is not the token of a service account.`},
		"no permission":                       {accepted: []string{present}, stored: present, status: 403, want: "MCL104 The account of cluster staging lacks permission to create serviceaccounts/token."},
		"a redirect":                          {accepted: []string{present}, stored: present, status: 307, want: "MCL100"},
		"another CA":                          {accepted: []string{present}, stored: present, wrong: true, want: "MCL102"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startTarget(t, test.accepted...)
			server.status = test.status
			secrets := runtime{"codefresh/staging": {"name": []byte("staging"), "server": []byte(server.URL)}}
			if test.stored != "" {
				secrets["codefresh/staging"]["config"] = config(t, test.stored)
			}
			if test.first != "" {
				secrets["codefresh/first"] = map[string][]byte{"token": []byte(test.first)}
			}
			rotation := managed.Rotation{Runtime: secrets, Namespace: "codefresh", Secret: "staging", First: "first", TLS: server.tls(), Lifetime: time.Hour}
			if test.wrong {
				rotation.TLS = managed.TLS{CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: unrelated(t)})}
			}
			renewed, err := rotation.Run(t.Context())
			_, kept := secrets["codefresh/first"]
			assert.Equal(t, test.left, kept)
			if test.want != "" {
				var unusable *managed.Unusable
				require.ErrorAs(t, err, &unusable)
				finding := unusable.Cluster.Explain(unusable.Err)
				assert.Contains(t, finding.Code+" "+finding.Message, test.want)
				assert.NotEmpty(t, finding.Fix)
				for _, token := range []string{present, first} {
					assert.NotContains(t, finding.Message+finding.Fix+err.Error(), token)
				}
				return
			}
			require.NoError(t, err)
			assert.Equal(t, managed.Renewed{Server: server.URL, Account: "tools/argo", Until: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, renewed)
			assert.Equal(t, "POST /api/v1/namespaces/tools/serviceaccounts/argo/token", server.seen[len(server.seen)-1])
			assert.JSONEq(t, `{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}`, server.sent)
			stored, err := managed.Parse("staging", secrets["codefresh/staging"])
			require.NoError(t, err)
			assert.True(t, server.accepted["Bearer "+stored.Config.BearerToken])
			assert.Equal(t, server.tls(), stored.Config.TLS)
			assert.NotEqual(t, test.stored, stored.Config.BearerToken)
		})
	}
}

// unrelated returns a CA that signed no server: the certificate of httptest is the same in all servers.
func unrelated(t *testing.T) []byte {
	t.Helper()
	block, _ := pem.Decode([]byte(unrelatedCA))
	require.NotNil(t, block)
	return block.Bytes
}

func TestRights(t *testing.T) {
	t.Parallel()
	token := jwt(sample, 1, 1)
	project := func(text string) managed.Project {
		var made managed.Project
		require.NoError(t, json.Unmarshal([]byte(text), &made))
		return made
	}
	const deployments = `{"verbs": ["create", "patch", "delete"], "apiGroups": ["apps"], "resources": ["deployments"]}`
	kinds := `"namespaceResourceWhitelist": [{"group": "apps", "kind": "Deployment"}, {"group": "", "kind": "ConfigMap"}, {"group": "none", "kind": "Unserved"}, {"group": "*", "kind": "*"}]`
	for name, test := range map[string]struct {
		rules, project string
		namespaces     string
		want           managed.Rights
	}{
		"a kind is missing in both namespaces": {
			`{"resourceRules": [` + deployments + `]}`, `{"metadata": {"name": "shop"}, "spec": {"destinations": [{"server": "*", "namespace": "*"}], ` + kinds + `}}`, "a,b",
			managed.Rights{Missing: []string{
				"permission to create, patch and delete configmaps in namespace a, which the AppProject shop may deploy",
				"permission to create, patch and delete configmaps in namespace b, which the AppProject shop may deploy",
			}, Unlisted: []string{"a", "b"}},
		},
		"only one object is granted": {
			`{"resourceRules": [{"verbs": ["*"], "apiGroups": ["apps"], "resources": ["deployments"], "resourceNames": ["one"]}]}`,
			`{"metadata": {"name": "shop"}, "spec": {"destinations": [{"name": "staging", "namespace": "a*"}], "namespaceResourceWhitelist": [{"group": "apps", "kind": "Deployment"}]}}`, "ab,b",
			managed.Rights{Missing: []string{"permission to create, patch and delete deployments.apps in namespace ab, which the AppProject shop may deploy"}, Unlisted: []string{"ab", "b"}},
		},
		"everything is granted": {
			`{"resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]}`, `{"spec": {"destinations": [{"server": "*", "namespace": "*"}], ` + kinds + `}}`, "a", managed.Rights{},
		},
		"an authorizer does not tell": {
			`{"incomplete": true}`, `{"spec": {"destinations": [{"server": "*", "namespace": "*"}], ` + kinds + `}}`, "a", managed.Rights{},
		},
		"another cluster's project": {
			`{"resourceRules": [` + deployments + `]}`, `{"spec": {"destinations": [{"server": "https://other", "namespace": "*"}], ` + kinds + `}}`, "a", managed.Rights{Unlisted: []string{"a"}},
		},
		"cluster-scoped kinds of a whole cluster": {
			`{"resourceRules": [{"verbs": ["list"], "apiGroups": ["*"], "resources": ["*"]}]}`,
			`{"metadata": {"name": "all"}, "spec": {"destinations": [{"server": "*", "namespace": "*"}], "clusterResourceWhitelist": [{"group": "", "kind": "Namespace"}]}}`, "",
			managed.Rights{Missing: []string{"permission to create, patch and delete namespaces in namespace default, which the AppProject all may deploy"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startTarget(t, token)
			server.rules = test.rules
			one, err := managed.Parse("staging", map[string][]byte{
				"name": []byte("staging"), "server": []byte(server.URL + "/"), "namespaces": []byte(test.namespaces), "config": config(t, token),
			})
			require.NoError(t, err)
			one.Config.TLS = server.tls()
			got, err := one.Rights(t.Context(), []managed.Project{project(test.project)})
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

const unrelatedCA = `-----BEGIN CERTIFICATE-----
MIIBCjCBvaADAgECAgEBMAUGAytlcDAUMRIwEAYDVQQDEwl1bnJlbGF0ZWQwIBcN
MjAwMTAxMDAwMDAwWhgPMjA5MDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMTCXVucmVs
YXRlZDAqMAUGAytlcAMhAOMEYE6aSmCt5nbi5j4PNQ/T7yG9Ugc1ivNyd62ch6rc
ozIwMDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBT1JSXaEpEPJB6AbPvm/65M
3QrfXTAFBgMrZXADQQB0curxxhQU+y3T5TibLFf6fhZWSXex5hmujSO4TcvtUN90
cb5zHu3ms6Qq01lgfHnBH+eDIXHgCDR46rKKGBcE
-----END CERTIFICATE-----`
