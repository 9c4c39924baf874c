package router_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/router"
)

// looks returns a LookPath that finds the listed programs.
func looks(listed ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		for _, each := range listed {
			if each == name {
				return "/found/" + name, nil
			}
		}
		return "", errors.New("not found")
	}
}

func TestFindUsesTheMachinesNginx(t *testing.T) {
	t.Parallel()
	for _, listed := range []string{"nginx", "/usr/sbin/nginx"} {
		path, err := router.Machine{LookPath: looks(listed)}.Find(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "/found/"+listed, path)
	}
}

func TestFindUnpacksDebiansNginx(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	var ran []string
	machine := router.Machine{LookPath: looks("apt-get"), Cache: cache, Run: func(_ context.Context, folder, name string, args ...string) error {
		assert.Equal(t, cache, folder)
		ran = append(ran, strings.Join(append([]string{name}, args...), " "))
		return nil
	}}
	path, err := machine.Find(t.Context())
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(cache, "usr/sbin/nginx"), path)
	assert.Equal(t, []string{
		"apt-get -qq update", "apt-get -qq download nginx", "sh -c dpkg-deb --extract nginx_*.deb . && rm nginx_*.deb", path + " -v",
	}, ran)

	machine.Run = func(context.Context, string, string, ...string) error { return errors.New("no network") }
	_, err = machine.Find(t.Context())
	assert.EqualError(t, err, "get nginx from Debian (or install the package nginx-light yourself): no network")
}

func TestFindReportsWhatIsMissing(t *testing.T) {
	t.Parallel()
	const want = "nginx is required to test the routes of internal-router and is not installed: install the Debian package nginx-light, or run as root on Debian"
	for name, machine := range map[string]router.Machine{
		"not Debian": {LookPath: looks()},
		"not root":   {LookPath: looks("apt-get"), UID: 1000},
	} {
		_, err := machine.Find(t.Context())
		assert.EqualError(t, err, want, name)
	}
}
