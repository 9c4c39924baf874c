package registry

import (
	"net"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A host that a registry points to is refused if its name resolves to an address of the user's network, unless the user names it or the registry is
// there itself.
func TestDialRefusesNamesOfPrivateAddresses(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	address := listener.Addr().String()
	from, to := &url.URL{Scheme: "https", Host: "reg.example.com"}, &url.URL{Scheme: "https", Host: "auth.example.com", Path: "/token"}

	for _, test := range []struct {
		access Access
		inside bool
		want   string
	}{
		{want: "reg.example.com redirects to https://auth.example.com/token, which has a link-local, loopback or private address; " +
			"nothing was sent there. If you trust this host, name it: --reach auth.example.com=auth.example.com"},
		{access: Access{Rewrite: map[string]string{"x": "auth.example.com"}}},
		{inside: true},
	} {
		guarded := newGuard(test.access)
		guarded.inside["reg.example.com:443"] = test.inside
		require.NoError(t, guarded.check(from, to, "redirects to"))
		guarded.pointed[address] = guarded.pointed["auth.example.com:443"] // as if the name had this address
		connection, err := guarded.dial(t.Context(), "tcp", address)
		if test.want != "" {
			assert.ErrorContains(t, err, test.want)
			continue
		}
		require.NoError(t, err)
		assert.NoError(t, connection.Close())
		assert.True(t, guarded.inside[address])
	}
}
