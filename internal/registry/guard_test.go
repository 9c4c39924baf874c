package registry_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

// catcher is a server that no user named; it records what it receives.
type catcher struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func newCatcher(t *testing.T) *catcher {
	t.Helper()
	c := &catcher{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.seen = append(c.seen, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{"token": "x"}`))
	}))
	t.Cleanup(c.Close)
	return c
}

// second audit, finding 1: the password for a registry with TLS crossed to any host that the registry named
func TestNoPasswordLeavesForAnotherPlace(t *testing.T) {
	made, elsewhere := registrytest.StartTLS(t), newCatcher(t)
	login := fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, made.Name, base64.StdEncoding.EncodeToString([]byte("me:canary-password")))
	logins := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(logins, []byte(login), 0o600))
	access := registry.Access{CAFile: made.CAFile, Logins: logins, Pause: 1, Attempts: 1}
	port := strings.TrimPrefix(elsewhere.URL, "http://127.0.0.1")

	const report = "; nothing was sent there. Check the name of the registry, or report this to its operator"
	challenge := func(realm string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("WWW-Authenticate", "Bearer realm="+realm+`,service="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
	}
	redirect := func(place string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Location", place)
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		}
	}
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request) bool
		want   string
	}{
		"a realm without TLS":            {challenge(`"` + elsewhere.URL + `/token"`), "HOST asks for a login at " + elsewhere.URL + "/token, which gives up TLS" + report},
		"a realm without quotes":         {challenge(elsewhere.URL + "/token"), "HOST asks for a login at " + elsewhere.URL + "/token, which gives up TLS" + report},
		"a realm without TLS by name":    {challenge(`"http://localhost` + port + `/t"`), "HOST asks for a login at http://localhost" + port + "/t, which gives up TLS" + report},
		"the metadata of a cloud":        {challenge(`"https://169.254.169.254/latest"`), "HOST asks for a login at https://169.254.169.254/latest, which is a link-local address" + report},
		"a file":                         {challenge(`"gopher://x/etc"`), "HOST asks for a login at gopher://x/etc, which is not HTTPS" + report},
		"a redirect without TLS":         {redirect(elsewhere.URL + "/v2/"), "HOST redirects to " + elsewhere.URL + "/v2/, which gives up TLS" + report},
		"a redirect to itself":           {redirect("/v2/"), "HOST redirects more than 8 times; check the name of the registry"},
		"a redirect to metadata by IPv6": {redirect("https://[fd00:ec2::254]/x"), "HOST redirects to https://[fd00:ec2::254]/x, which is a link-local address" + report},
	} {
		t.Run(name, func(t *testing.T) {
			made.Failing(test.answer)
			want := strings.ReplaceAll(test.want, "HOST", made.Name)
			_, _, err := access.Chart(t.Context(), "oci://"+made.Name+"/a/c:1.0.0", "")
			assert.EqualError(t, err, want, "pull")

			client, err := access.Open()
			require.NoError(t, err)
			target, err := client.Reference(made.Name + "/a/c:1.0.0")
			require.NoError(t, err)
			assert.ErrorContains(t, remote.Write(target, registrytest.Image(t, "x", 1), client.Options(t.Context())...), want, "push")
		})
	}
	assert.Empty(t, elsewhere.seen)
}

// A registry with a public address cannot point into the user's network, not even by a name that resolves to such an address.
func TestNoPublicRegistryPointsInside(t *testing.T) {
	elsewhere := newCatcher(t)
	port := strings.TrimPrefix(elsewhere.URL, "http://127.0.0.1")
	for place, want := range map[string]string{
		"https://10.1.2.3/token":                  "reg.example.com asks for a login at https://10.1.2.3/token, which is a private address; ",
		"https://localhost" + port + "/":          "reg.example.com asks for a login at https://localhost" + port + "/, which is this machine; ",
		"https://[::ffff:127.0.0.1]" + port + "/": "reg.example.com asks for a login at https://[::ffff:127.0.0.1]" + port + "/, which is this machine; ",
	} {
		access := registry.Access{Transport: challenging(place), Pause: 1, Attempts: 1}
		_, _, err := access.Chart(t.Context(), "oci://reg.example.com/a:1.0.0", "")
		assert.ErrorContains(t, err, want)
	}
	assert.Empty(t, elsewhere.seen)
}

// challenging is a registry that answers every request with a challenge.
type challenging string

func (c challenging) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusUnauthorized, Body: http.NoBody, Request: request,
		Header: http.Header{"Www-Authenticate": {`Bearer realm="` + string(c) + `"`}},
	}, nil
}
