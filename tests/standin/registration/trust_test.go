package registration_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/platform"
	"gitops-runtime/tests/standin/registration"
)

func TestTrusting(t *testing.T) {
	t.Parallel()
	server, err := platform.StartTLS(t.Context(), platform.Options{})
	require.NoError(t, err)
	folder := t.TempDir()
	authority, other := filepath.Join(folder, "ca.crt"), filepath.Join(folder, "other.crt")
	require.NoError(t, os.WriteFile(authority, server.CA, 0o600))
	require.NoError(t, os.WriteFile(other, []byte("no certificate"), 0o600))

	_, err = registration.Trusting(other)
	require.EqualError(t, err, `the file "`+other+`" of NODE_EXTRA_CA_CERTS holds no PEM certificate`)
	_, err = registration.Trusting(folder)
	require.ErrorContains(t, err, "reading NODE_EXTRA_CA_CERTS: ")

	none, err := registration.Trusting(filepath.Join(folder, "none"))
	require.NoError(t, err)
	_, err = registration.Client{HTTP: none}.Register(t.Context(), config(server.URL))
	require.ErrorContains(t, err, "certificate signed by unknown authority")

	trusting, err := registration.Trusting(authority)
	require.NoError(t, err)
	token, err := registration.Client{HTTP: trusting}.Register(t.Context(), config(server.URL))
	require.NoError(t, err)
	require.Equal(t, server.Token("acc1", "local"), token)
	trusting.Transport.(*http.Transport).CloseIdleConnections()
}
