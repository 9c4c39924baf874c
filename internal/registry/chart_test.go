package registry_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

// charts starts a registry with several versions of a chart, each with its version as content.
func charts(t *testing.T) *registrytest.Registry {
	t.Helper()
	made := registrytest.Start(t)
	for _, version := range []string{"0.9.0", "1.2.3", "1.10.0_build.1", "2.0.0-rc.1", "latest"} {
		registrytest.Push(t, made.Name+"/charts/umbrella:"+version, registrytest.Chart(t, []byte(version), registrytest.ChartLayer))
	}
	registrytest.Push(t, made.Name+"/charts/image:1.0.0", registrytest.Chart(t, []byte("layer"), types.OCILayer))
	registrytest.Push(t, made.Name+"/charts/early:0.1.0-alpha", registrytest.Chart(t, []byte("early"), registrytest.ChartLayer))
	return made
}

func TestChart(t *testing.T) {
	host := charts(t).Name
	for _, c := range []struct{ reference, version, want string }{
		{"/charts/umbrella:1.2.3", "", "1.2.3"},
		{"/charts/umbrella", "0.9.0", "0.9.0"},
		{"/charts/umbrella", "1.10.0+build.1", "1.10.0_build.1"},
		{"/charts/umbrella", "", "1.10.0_build.1"},
		{"/charts/umbrella", "2.0.0-rc.1", "2.0.0-rc.1"},
	} {
		archive, place, err := registry.Access{}.Chart(context.Background(), "oci://"+host+c.reference, c.version)
		require.NoError(t, err, c)
		require.Equal(t, c.want, string(archive))
		require.Equal(t, host+"/charts/umbrella:"+c.want, place)
	}
}

func TestChartErrors(t *testing.T) {
	made := charts(t)
	host := made.Name
	cases := map[string]string{
		"/charts/umbrella:9.9.9": "pull chart HOST/charts/umbrella:9.9.9 failed: HOST answers 404 (unknown manifest); check the name and the tag",
		"/charts/absent":         "list versions of HOST/charts/absent failed: HOST answers 404 (unknown name); check the name and the tag",
		"/charts/image:1.0.0":    "chart oci://HOST/charts/image:1.0.0: it is not a Helm chart (perhaps an image): it has no layer of type " + registrytest.ChartLayer,
		"/charts/early":          "chart oci://HOST/charts/early has no released version; name one, as in oci://HOST/charts/early:1.2.3",
		"/UPPER":                 "chart oci://HOST/UPPER: write it as oci://host/path or oci://host/path:version",
	}
	for reference, want := range cases {
		_, _, err := registry.Access{}.Chart(context.Background(), "oci://"+host+reference, "")
		require.Error(t, err, reference)
		require.Equal(t, want, strings.ReplaceAll(err.Error(), host, "HOST"))
	}
	for status, want := range map[int]string{
		401: "HOST answers 401; log in with `helm registry login HOST` or `docker login HOST`",
		403: "HOST answers 403; the account in use at HOST lacks permission; use another one",
		429: "HOST answers 429; HOST limits the rate of requests; log in, send fewer at a time, or run again later",
		503: "HOST answers 503; HOST has an internal error; run again later",
	} {
		made.Failing(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(status); return true })
		_, _, err := registry.Access{}.Chart(context.Background(), "oci://"+host+"/charts/umbrella:1.2.3", "")
		require.Error(t, err, status)
		require.Equal(t, "pull chart HOST/charts/umbrella:1.2.3 failed: "+want, strings.ReplaceAll(err.Error(), host, "HOST"))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := registry.Access{}.Chart(ctx, "oci://"+host+"/charts/umbrella:1.2.3", "")
	require.EqualError(t, err, "pull chart "+host+"/charts/umbrella:1.2.3 was interrupted; run the command again to continue")
}

// second audit, findings 6 and 13: a manifest of 40,000 layers used CPU without end, and endless pages of tags took a minute, as did nested indexes
func TestChartFromAnEndlessRegistry(t *testing.T) {
	made := charts(t)
	layers := strings.Repeat(`{"mediaType":"application/octet-stream","size":1,"digest":"sha256:`+strings.Repeat("0", 64)+`"},`, 40_000)
	manifest := `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","layers":[` + strings.TrimSuffix(layers, ",") + `]}`
	index := `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`
	pages := 0
	made.Failing(func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.HasSuffix(r.URL.Path, "/manifests/layers"):
			w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
			_, _ = w.Write([]byte(manifest))
		case strings.HasSuffix(r.URL.Path, "/manifests/index"):
			w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
			_, _ = w.Write([]byte(index))
		case strings.HasSuffix(r.URL.Path, "/tags/list"):
			pages++
			w.Header().Set("Link", fmt.Sprintf(`<%s?n=%d>; rel="next"`, r.URL.Path, pages))
			_, _ = w.Write([]byte(`{"tags": ["1.0.0"]}`))
		default:
			return false
		}
		return true
	})
	const noChart = "chart oci://HOST/a: it is not a Helm chart (perhaps an image): it has no layer of type " + registrytest.ChartLayer
	for reference, want := range map[string]string{
		"/a:layers": strings.Replace(noChart, "/a", "/a:layers", 1),
		"/a:index":  strings.Replace(noChart, "/a", "/a:index", 1),
		"/a":        "HOST lists more than 10000 tags, or on more than 100 pages; name the version, as in HOST/a:1.2.3",
	} {
		start := time.Now()
		_, _, err := registry.Access{}.Chart(t.Context(), "oci://"+made.Name+reference, "")
		require.Error(t, err)
		require.Equal(t, want, strings.ReplaceAll(err.Error(), made.Name, "HOST"))
		require.Less(t, time.Since(start), 20*time.Second)
	}
}

// The credentials for a registry are those of Helm's file, or else Docker's.
func TestLogins(t *testing.T) {
	const user, password = "robot", "canary-password"
	made := charts(t)
	made.Failing(func(w http.ResponseWriter, r *http.Request) bool {
		if name, given, signed := r.BasicAuth(); signed && name == user && given == password {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="charts"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	login := func(password string) string {
		file := filepath.Join(t.TempDir(), "config.json")
		text := fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, made.Name, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	broken := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(broken, []byte("{"), 0o600))
	for _, c := range []struct{ name, helm, docker, want string }{
		{"Helm's login", login(password), t.TempDir(), ""},
		{"Docker's login", "absent", filepath.Dir(login(password)), ""},
		{"Helm's before Docker's", login(password), filepath.Dir(login("other")), ""},
		{"no credentials", "absent", t.TempDir(), "answers 401; log in with"},
		{"wrong credentials", login("other"), t.TempDir(), "answers 401; log in with"},
		{"a file that cannot be read", broken, t.TempDir(), "logins of registries in " + broken + " cannot be read; fix the file, or name another with --registry-config"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("DOCKER_CONFIG", c.docker)
			t.Setenv("HOME", t.TempDir())
			_, _, err := registry.Access{Logins: c.helm}.Chart(context.Background(), "oci://"+made.Name+"/charts/umbrella:1.2.3", "")
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), password)
			require.NotContains(t, err.Error(), "Y2FuYX")
		})
	}
}
