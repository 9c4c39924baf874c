package fault_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/outfile"
	"gitops-runtime/internal/registry/fault"
)

func TestExplain(t *testing.T) {
	at := func(err error) error { return &url.Error{Op: "Get", URL: "https://reg.corp:5000/v2/", Err: err} }
	asked, err := http.NewRequest(http.MethodGet, "https://auth.corp/token", nil)
	require.NoError(t, err)
	cases := map[string]struct {
		err  error
		want string
	}{
		"interrupted":  {at(context.Canceled), "read quay.io/a:1 was interrupted; run the command again to continue"},
		"unknown host": {at(&net.DNSError{Name: "reg.corp", Err: "no such host"}), "read quay.io/a:1 failed: no address is known for reg.corp; check the registry's name, or set its address with --reach"},
		"plain HTTP":   {at(http.ErrSchemeMismatch), "read quay.io/a:1 failed: reg.corp:5000 uses plain HTTP; allow it with --plain-http reg.corp:5000"},
		"unknown CA":   {at(x509.UnknownAuthorityError{}), "read quay.io/a:1 failed: the certificate of reg.corp:5000 is not trusted (certificate signed by unknown authority); set its certificate authority with --ca-file"},
		"refused":      {at(syscall.ECONNREFUSED), "read quay.io/a:1 failed: reg.corp:5000 refuses the connection; check that the registry runs, and run the command again to continue"},
		"timeout":      {at(os.ErrDeadlineExceeded), "read quay.io/a:1 failed: reg.corp:5000 does not answer in time; check the network, and run the command again to continue"},
		"dropped":      {at(io.ErrUnexpectedEOF), "read quay.io/a:1 failed: reg.corp:5000 dropped the connection; run the command again to continue"},
		"other error":  {errors.New("odd"), "read quay.io/a:1 failed: odd; run the command again to continue"},
		"forbidden":    {&transport.Error{StatusCode: http.StatusForbidden, Request: asked}, "read quay.io/a:1 failed: auth.corp answers 403; the account in use at auth.corp lacks permission; use another one"},
		"a mirror":     {&transport.Error{StatusCode: http.StatusMethodNotAllowed}, "read quay.io/a:1 failed: quay.io answers 405; quay.io takes no writes here, as a mirror does; name the registry that it mirrors"},
		"odd status":   {&transport.Error{StatusCode: http.StatusTeapot}, "read quay.io/a:1 failed: quay.io answers 418; run the command again to continue"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			explained := fault.Explain("read", "quay.io/a:1", test.err)
			require.EqualError(t, explained, test.want)
			require.ErrorIs(t, explained, test.err)
		})
	}
}

func TestFile(t *testing.T) {
	_, absent := os.Open("absent")
	for want, err := range map[string]error{
		"no such file":                           absent,
		"its permissions do not let you read it": &os.PathError{Op: "open", Path: "x", Err: syscall.EACCES},
		"is a directory":                         &os.PathError{Op: "read", Path: "x", Err: syscall.EISDIR},
		"odd":                                    errors.New("odd"),
	} {
		require.Equal(t, want, outfile.Reason(err))
	}
}
