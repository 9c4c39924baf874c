package codefresh_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/codefresh"
	"gitops-runtime/tests/standin/platformapi"
)

func TestGraphQL(t *testing.T) {
	t.Parallel()
	server, err := platformapi.Start(t.Context(), platformapi.Options{})
	require.NoError(t, err)
	client := codefresh.Client{URL: server.URL + "/", Token: "user-token-admin", HTTP: &http.Client{}}
	var answer struct{ Me struct{ ID string } }
	require.NoError(t, client.GraphQL(t.Context(), "{ me { id } }", nil, &answer))
	require.Equal(t, "user-admin", answer.Me.ID)

	for name, test := range map[string]struct {
		client   codefresh.Client
		document string
		refused  bool
		reason   string
	}{
		"unknown token": {client.With("secret"), "{ me { id } }", true, "the platform at " + server.URL + "/2.0/api/graphql does not accept the token"},
		"no right":      {client.With("user-token-member"), `mutation { deleteRuntime(name: "taken") }`, true, "the platform at " + server.URL + "/ answered: only an administrator of the active account may do this"},
		"wrong shape":   {client, "{ nobody }", false, `answered 400 Bad Request: { "errors": [ { "message": "Cannot query field \"nobody\" on type \"Query\"."`},
		"not a URL":     {codefresh.Client{URL: "http://a b", HTTP: &http.Client{}}, "{ me { id } }", true, `the platform's URL "http://a b" is not a URL`},
		"away":          {codefresh.Client{URL: "http://127.0.0.1:1", HTTP: &http.Client{}}, "{ me { id } }", false, "calling the platform: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := test.client.GraphQL(t.Context(), test.document, nil, &answer)
			require.ErrorContains(t, err, test.reason)
			var refused codefresh.Refused
			require.Equal(t, test.refused, asRefused(err, &refused))
		})
	}
}

func asRefused(err error, into *codefresh.Refused) bool {
	refused, ok := err.(codefresh.Refused) //nolint:errorlint // it is not wrapped
	*into = refused
	return ok
}

// An event is gzipped JSON with the token without a scheme; five attempts, and any 2xx is success.
func TestReport(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		statuses []int
		calls    int
		reason   string
	}{
		"at once":        {[]int{200}, 1, ""},
		"another 2xx":    {[]int{204}, 1, ""},
		"the fifth time": {[]int{500, 503, 400, 401, 201}, 5, ""},
		"never":          {[]int{500, 500, 500, 500, 500, 200}, 5, "reporting an event: the platform answered 500 Internal Server Error: no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				require.Equal(t, [4]string{"/2.0/api/events", "token", "gzip", "application/json"},
					[4]string{r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Content-Encoding"), r.Header.Get("Content-Type")})
				unpacked, err := gzip.NewReader(r.Body)
				if err != nil {
					w.WriteHeader(http.StatusTeapot)
					return
				}
				body, _ := io.ReadAll(unpacked)
				require.JSONEq(t, `{"data":1}`, string(body))
				w.WriteHeader(test.statuses[calls])
				calls++
				if test.statuses[calls-1] != http.StatusNoContent {
					_, _ = w.Write([]byte("no"))
				}
			}))
			t.Cleanup(server.Close)
			err := codefresh.Client{URL: server.URL, Token: "token", HTTP: server.Client()}.Report(t.Context(), map[string]int{"data": 1}, time.Millisecond)
			require.Equal(t, test.calls, calls)
			if test.reason == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.reason)
		})
	}
}

func TestTrusting(t *testing.T) {
	t.Parallel()
	server, err := platformapi.StartTLS(t.Context(), platformapi.Options{})
	require.NoError(t, err)
	folder := t.TempDir()
	authority, other, empty := filepath.Join(folder, "ca.crt"), filepath.Join(folder, "other.crt"), filepath.Join(folder, "all.cer")
	require.NoError(t, os.WriteFile(authority, server.CA, 0o600))
	require.NoError(t, os.WriteFile(other, []byte("no certificate"), 0o600))
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	ping := func(client *http.Client) error {
		return codefresh.Client{URL: server.URL, HTTP: client}.Get(t.Context(), "/api/ping", nil)
	}

	_, err = codefresh.Trusting(other, nil)
	require.EqualError(t, err, `the file "`+other+`" of certificates to trust has no PEM certificate`)
	_, err = codefresh.Trusting(filepath.Join(folder, "none"), nil)
	require.ErrorContains(t, err, "reading the certificates to trust: ")
	_, err = codefresh.TrustingExtra(folder, nil)
	require.ErrorContains(t, err, "reading the certificates to trust: ")

	for _, lacking := range []string{filepath.Join(folder, "none"), empty, ""} {
		none, err := codefresh.TrustingExtra(lacking, nil)
		require.NoError(t, err)
		require.ErrorContains(t, ping(none), "certificate signed by unknown authority")
	}
	trusting, err := codefresh.Trusting(authority, nil)
	require.NoError(t, err)
	require.NoError(t, ping(trusting))
	trusting.Transport.(*http.Transport).CloseIdleConnections()
}
