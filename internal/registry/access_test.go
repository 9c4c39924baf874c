package registry_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

// flagged returns the access that these flags configure.
func flagged(t *testing.T, args ...string) (registry.Access, error) {
	t.Helper()
	var flags registry.Flags
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.Register(set)
	require.NoError(t, set.Parse(args))
	return flags.Access(func(name string) string { return map[string]string{"HELM_REGISTRY_CONFIG": "/helm/config.json"}[name] })
}

func TestFlags(t *testing.T) {
	access, err := flagged(t, "--ca-file", "ca.pem", "--plain-http", "a:1", "--plain-http", "b", "--reach", "quay.io=a:1")
	require.NoError(t, err)
	require.Equal(t, registry.Access{
		CAFile: "ca.pem", PlainHTTP: []string{"a:1", "b"}, Rewrite: map[string]string{"quay.io": "a:1"}, Logins: "/helm/config.json",
	}, access)
	access, err = flagged(t, "--registry-config", "mine.json")
	require.NoError(t, err)
	require.Equal(t, "mine.json", access.Logins)
	for args, want := range map[[2]string]string{
		{"--reach", "quay.io"}:            `--reach "quay.io": write host=host`,
		{"--plain-http", "http://a"}:      `--plain-http "http://a": write host[:port] alone`,
		{"--plain-http", ""}:              `--plain-http "": write host[:port] alone`,
		{"--plain-http", "host/path:1.0"}: `--plain-http "host/path:1.0": write host[:port] alone`,
	} {
		_, err := flagged(t, args[:]...)
		require.EqualError(t, err, want)
	}
}

// Clients that trust a private CA can use its registry, even with another host name.
func TestPrivateAuthority(t *testing.T) {
	made := registrytest.StartTLS(t)
	registrytest.Push(t, made.Name+"/charts/umbrella:1.2.3", registrytest.Chart(t, []byte("archive"), registrytest.ChartLayer), made.Trusting(t))
	broken := filepath.Join(t.TempDir(), "broken.pem")
	require.NoError(t, os.WriteFile(broken, []byte("nothing"), 0o600))
	distrusted := "pull chart " + made.Name + "/charts/umbrella:1.2.3 failed: the certificate of " + made.Name +
		" is not trusted (certificate signed by unknown authority); set its certificate authority with --ca-file"
	for _, c := range []struct {
		name, host string
		access     registry.Access
		want       string
	}{
		{"trusted", made.Name, registry.Access{CAFile: made.CAFile}, ""},
		{"trusted under another name", "registry.corp", registry.Access{CAFile: made.CAFile, Rewrite: map[string]string{"registry.corp": made.Name}}, ""},
		{"no CA is trusted", made.Name, registry.Access{}, distrusted},
		{"another CA is trusted", made.Name, registry.Access{CAFile: registrytest.StartTLS(t).CAFile}, distrusted},
		{"plain HTTP does not help", made.Name, registry.Access{PlainHTTP: []string{made.Name}}, distrusted},
		{"no file", made.Name, registry.Access{CAFile: "absent"}, "--ca-file absent: no such file"},
		{"no certificate", made.Name, registry.Access{CAFile: broken}, "--ca-file " + broken + " contains no certificate in PEM format"},
	} {
		t.Run(c.name, func(t *testing.T) {
			archive, _, err := c.access.Chart(context.Background(), "oci://"+c.host+"/charts/umbrella:1.2.3", "")
			if c.want != "" {
				require.EqualError(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "archive", string(archive))
		})
	}
}
