package platformapi_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/platformapi"
)

func trusting(t *testing.T, ca []byte) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(ca))
	transport := &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const me, health = `{"data":{"me":{"id":"user-admin"}}}`, "ok\n"
	ask := graphQL("user-token-admin", `{"query":"{ me { id } }"}`, me)
	alive := request{http.MethodGet, "/healthz", "", "", http.StatusOK, health}
	failing := func(status int, reply string) request { r := ask; r.status, r.reply = status, reply; return r }
	tests := map[string]struct {
		fault platformapi.Fault
		steps []request
	}{
		"status on every path":  {platformapi.Fault{Status: 503, Body: "away"}, []request{failing(503, "away"), {http.MethodGet, "/healthz", "", "", 503, "away"}}},
		"status on one path":    {platformapi.Fault{Path: platformapi.GraphQLPath, Status: 500}, []request{failing(500, ""), alive, failing(500, "")}},
		"twice":                 {platformapi.Fault{Status: 502, Times: 2}, []request{failing(502, ""), failing(502, ""), ask}},
		"one field":             {platformapi.Fault{Contains: "runtime(", Status: 500}, []request{ask}},
		"GraphQL error":         {platformapi.Fault{GraphQLError: "broken"}, []request{failing(200, `{"data":null,"errors":[{"message":"broken","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}`)}},
		"GraphQL error, a code": {platformapi.Fault{GraphQLError: "no", GraphQLCode: "FORBIDDEN"}, []request{failing(200, `{"data":null,"errors":[{"message":"no","extensions":{"code":"FORBIDDEN"}}]}`)}},
		"a delay alone":         {platformapi.Fault{Delay: platformapi.Duration(time.Millisecond)}, []request{ask}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := start(t, platformapi.Options{Faults: []platformapi.Fault{test.fault}})
			for _, step := range test.steps {
				step.play(t, made)
			}
			made.ClearFaults()
			ask.play(t, made)
		})
	}
}

func TestFaultAPI(t *testing.T) {
	t.Parallel()
	made := start(t, platformapi.Options{})
	for _, step := range []request{
		{http.MethodPost, "/test/faults", "", `{"path":"/healthz","status":418,"delay":"1ms"}`, http.StatusNoContent, ""},
		{http.MethodGet, "/healthz", "", "", http.StatusTeapot, ""},
		{http.MethodDelete, "/test/faults", "", "", http.StatusNoContent, ""},
		{http.MethodGet, "/healthz", "", "", http.StatusOK, "ok\n"},
		{http.MethodPost, "/test/faults", "", `{"statos":1}`, http.StatusBadRequest, `{"message":"the body is not a fault: json: unknown field \"statos\""}`},
		{http.MethodPost, "/test/faults", "", `{"delay":5}`, http.StatusBadRequest, `{"message":"the body is not a fault: a duration is a string such as \"250ms\": json: cannot unmarshal number into Go value of type string"}`},
	} {
		step.play(t, made)
	}
}

// A delay ends when the client disconnects; a drop closes the connection without a response.
func TestFaultsOfTheConnection(t *testing.T) {
	t.Parallel()
	server, err := platformapi.Start(t.Context(), platformapi.Options{})
	require.NoError(t, err)
	server.Inject(platformapi.Fault{Drop: true, Times: 1})
	server.Inject(platformapi.Fault{Delay: platformapi.Duration(time.Hour)})

	require.ErrorContains(t, post(t.Context(), server.URL), "EOF")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, post(ctx, server.URL), context.DeadlineExceeded)
}

// A body may end early or late, and a response may have headers.
func TestFaultsOfTheBody(t *testing.T) {
	t.Parallel()
	server, err := platformapi.Start(t.Context(), platformapi.Options{})
	require.NoError(t, err)
	server.Inject(platformapi.Fault{Status: 429, Headers: map[string]string{"Retry-After": "7"}, Body: "later", Times: 1})
	server.Inject(platformapi.Fault{Status: 200, Body: "0123456789", Cut: true, Times: 1})
	server.Inject(platformapi.Fault{Status: 200, Body: "0123456789", Trickle: platformapi.Duration(time.Millisecond), Times: 1})
	server.Inject(platformapi.Fault{Status: 200, Body: "0123456789", Trickle: platformapi.Duration(time.Hour)})

	status, header, body, err := read(t.Context(), server.URL)
	require.NoError(t, err)
	require.Equal(t, []string{"429", "7", "later"}, []string{strconv.Itoa(status), header.Get("Retry-After"), body})
	_, _, _, err = read(t.Context(), server.URL)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, _, body, err = read(t.Context(), server.URL)
	require.NoError(t, err)
	require.Equal(t, "0123456789", body)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _, _, err = read(ctx, server.URL)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func read(ctx context.Context, address string) (int, http.Header, string, error) {
	call, err := http.NewRequestWithContext(ctx, http.MethodPost, address+platformapi.GraphQLPath, strings.NewReader("{}"))
	if err != nil {
		return 0, nil, "", err
	}
	response, err := http.DefaultClient.Do(call)
	if err != nil {
		return 0, nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(body), err
}

func post(ctx context.Context, address string) error {
	call, err := http.NewRequestWithContext(ctx, http.MethodPost, address+platformapi.GraphQLPath, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(call)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
