package registry

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnnounced(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for headers, want := range map[[2]string]time.Duration{
		{"0;w=21600", ""}:   6 * time.Hour,
		{"76;w=21600", ""}:  0,
		{"0", "30"}:         30 * time.Second,
		{"1", "30"}:         0,
		{"0", "1800000040"}: 40 * time.Second,
		{"0", "1700000000"}: 0,
		{"0", "soon"}:       0,
		{"0", ""}:           0,
		{"", "30"}:          0,
		{"many", "30"}:      0,
	} {
		header := http.Header{}
		header.Set("RateLimit-Remaining", headers[0])
		header.Set("RateLimit-Reset", headers[1])
		wait, ok := announced(header, now)
		assert.Equal(t, want, wait, headers)
		assert.Equal(t, want > 0, ok, headers)
	}
}

// counted starts a registry that answers each request for a manifest with 404 and these headers, and records when it did.
func counted(t *testing.T, headers map[string]string) (host string, asked *[]time.Time) {
	t.Helper()
	asked = new([]time.Time)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v2/" {
			return
		}
		*asked = append(*asked, time.Now())
		for name, text := range headers {
			w.Header().Set(name, text)
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), asked
}

// get asks for a manifest a number of times.
func get(t *testing.T, access Access, host string, times int) (err error) {
	t.Helper()
	client, err := access.Open()
	require.NoError(t, err)
	reference, err := client.Reference(host + "/a:1")
	require.NoError(t, err)
	for range times {
		_, err = remote.Get(reference, client.Options(t.Context())...)
	}
	return err
}

// TestRate: requests keep the rate that a flag sets, wait when the registry announces that it answers no more of them, and are not sent if that takes
// more than an hour.
func TestRate(t *testing.T) {
	host, asked := counted(t, nil)
	require.Error(t, get(t, Access{Rate: 20}, host, 5))
	require.Len(t, *asked, 5)
	require.GreaterOrEqual(t, (*asked)[4].Sub((*asked)[0]), 190*time.Millisecond)

	host, asked = counted(t, map[string]string{"RateLimit-Remaining": "0", "RateLimit-Reset": "1"})
	var waits []Wait
	require.Error(t, get(t, Access{Waiting: func(w Wait) { waits = append(waits, w) }}, host, 2))
	require.Len(t, *asked, 2)
	require.GreaterOrEqual(t, (*asked)[1].Sub((*asked)[0]), 990*time.Millisecond)
	require.Equal(t, Wait{Host: host, For: time.Second, Asked: true}, waits[0])

	host, asked = counted(t, map[string]string{"RateLimit-Remaining": "0;w=21600"})
	require.ErrorContains(t, get(t, Access{}, host, 3), host+" limits the rate of requests and asks for a pause of 6h0m0s; run the command again then")
	require.Len(t, *asked, 1)
}
