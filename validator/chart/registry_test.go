package chart_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"gitops-runtime/validator/chart"
)

const chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"

// startRegistry is a registry on loopback; behind may stand before it.
func startRegistry(t *testing.T, before func(next http.Handler) http.Handler) string {
	t.Helper()
	store := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	open := httptest.NewServer(store)
	t.Cleanup(open.Close)
	for _, version := range []string{"0.9.0", "1.2.3", "1.10.0_build.1", "2.0.0-rc.1", "latest"} {
		push(t, strings.TrimPrefix(open.URL, "http://")+"/charts/umbrella:"+version, archive(t, version), chartLayer)
	}
	push(t, strings.TrimPrefix(open.URL, "http://")+"/charts/image:1.0.0", []byte("layer"), types.OCILayer)
	push(t, strings.TrimPrefix(open.URL, "http://")+"/charts/broken:1.0.0", []byte("no archive"), chartLayer)
	push(t, strings.TrimPrefix(open.URL, "http://")+"/charts/early:0.1.0-alpha", archive(t, "0.1.0-alpha"), chartLayer)
	if before == nil {
		return strings.TrimPrefix(open.URL, "http://")
	}
	server := httptest.NewServer(before(store))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// archive is a packaged chart with a subchart in it.
func archive(t *testing.T, tag string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "chart.tgz")
	pack(t, file, map[string]string{
		"umbrella/Chart.yaml":               "name: umbrella\nversion: " + strings.ReplaceAll(tag, "_", "+") + "\ndependencies: [{name: inside, alias: within}]\n",
		"umbrella/values.yaml":              "a: 1\n",
		"umbrella/values.schema.json":       "{}",
		"umbrella/charts/inside/Chart.yaml": "name: inside\nversion: 2.0.0\n",
	})
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func push(t *testing.T, reference string, data []byte, kind types.MediaType) {
	t.Helper()
	target, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), static.NewLayer(data, kind))
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(target, image); err != nil {
		t.Fatal(err)
	}
}

func TestPull(t *testing.T) {
	host := startRegistry(t, nil)
	for _, c := range []struct{ reference, version, want string }{
		{"/charts/umbrella:1.2.3", "", "umbrella 1.2.3 map[a:1] schema [within 2.0.0 map[]]"},
		{"/charts/umbrella", "0.9.0", "umbrella 0.9.0 map[a:1] schema [within 2.0.0 map[]]"},
		{"/charts/umbrella", "1.10.0+build.1", "umbrella 1.10.0+build.1 map[a:1] schema [within 2.0.0 map[]]"},
		{"/charts/umbrella", "", "umbrella 1.10.0+build.1 map[a:1] schema [within 2.0.0 map[]]"},
		{"/charts/umbrella", "2.0.0-rc.1", "umbrella 2.0.0-rc.1 map[a:1] schema [within 2.0.0 map[]]"},
	} {
		loaded, err := chart.Registry{}.Pull(context.Background(), "oci://"+host+c.reference, c.version)
		if err != nil {
			t.Errorf("%s %s: %v", c.reference, c.version, err)
			continue
		}
		if got := describe(loaded); got != c.want {
			t.Errorf("%s %s: got %s", c.reference, c.version, got)
		}
	}
}

func TestPullErrors(t *testing.T) {
	host := startRegistry(t, nil)
	cases := map[string]string{
		"/charts/umbrella:9.9.9": "HOST has no such chart or version",
		"/charts/absent:1.0.0":   "HOST has no such chart or version",
		"/charts/absent":         "HOST has no such chart or version",
		"/charts/image:1.0.0":    "it is no Helm chart (an image, perhaps)",
		"/charts/broken:1.0.0":   "not a packaged chart (.tgz): ",
		"/charts/early":          "has no released version; name one with --version",
		"/UPPER":                 "write it as oci://host/path or oci://host/path:version",
	}
	for reference, want := range cases {
		_, err := chart.Registry{}.Pull(context.Background(), "oci://"+host+reference, "")
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), host, "HOST"), want) || !strings.Contains(err.Error(), reference) {
			t.Errorf("%s: got %v", reference, err)
		}
	}
	for status, want := range map[int]string{
		401: "refuses to give it (HTTP 401); sign in with `helm registry login HOST`",
		403: "refuses to give it (HTTP 403); sign in with `helm registry login HOST`",
		429: "HOST answers HTTP 429",
		503: "HOST answers HTTP 503",
	} {
		host := startRegistry(t, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		})
		_, err := chart.Registry{}.Pull(context.Background(), "oci://"+host+"/charts/umbrella:1.2.3", "")
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), host, "HOST"), want) {
			t.Errorf("%d: got %v", status, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (chart.Registry{}).Pull(ctx, "oci://"+host+"/charts/umbrella:1.2.3", ""); err == nil || !strings.Contains(err.Error(), "cannot be pulled") {
		t.Errorf("interrupted: got %v", err)
	}
}

// A registry that asks for a login gets that of Helm's file, else Docker's.
func TestPullSignsIn(t *testing.T) {
	const user, password = "robot", "canary-password"
	host := startRegistry(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if name, given, signed := r.BasicAuth(); !signed || name != user || given != password {
				w.Header().Set("WWW-Authenticate", `Basic realm="charts"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	login := func(password string) string {
		file := filepath.Join(t.TempDir(), "config.json")
		text := fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	broken := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	reference := "oci://" + host + "/charts/umbrella:1.2.3"
	for _, c := range []struct{ name, helm, docker, want string }{
		{"Helm's login", login(password), t.TempDir(), ""},
		{"Docker's login", "absent", filepath.Dir(login(password)), ""},
		{"Helm's before Docker's", login(password), filepath.Dir(login("other")), ""},
		{"nobody's", "absent", t.TempDir(), "(HTTP 401); sign in with"},
		{"a wrong one", login("other"), t.TempDir(), "(HTTP 401); sign in with"},
		{"a file that cannot be read", broken, t.TempDir(), "logins of registries in " + broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("DOCKER_CONFIG", c.docker)
			t.Setenv("HOME", t.TempDir())
			_, err := chart.Registry{HelmConfig: c.helm}.Pull(context.Background(), reference, "")
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), password) || strings.Contains(err.Error(), "Y2FuYX")) {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}
