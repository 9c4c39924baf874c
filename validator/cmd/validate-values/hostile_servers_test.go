//go:build !race

// These tests feed inputs to a process of its own, which is built without the race detector.

package main_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/tests/hostile"
)

const digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// registry returns the arguments for a chart in a registry that this handler implements.
func registry(path string, handler http.HandlerFunc) func(g *ground) []string {
	return func(g *ground) []string {
		host := strings.TrimPrefix(g.serve(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v2/" {
				return
			}
			handler(w, r)
		}), "http://")
		return append(g.values("a: 1\n"), "--chart", "oci://"+host+"/charts/x"+path, "--plain-http", host)
	}
}

// manifest responds with a manifest of one chart layer, and calls layer for all other requests.
func manifest(size int64, layer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/manifests/") {
			w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
			fmt.Fprintf(w, `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.cncf.helm.config.v1+json","size":2,"digest":%q},`+
				`"layers":[{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","size":%d,"digest":%q}]}`, digest, size, digest)
			return
		}
		layer(w, r)
	}
}

var hostileRegistries = []input{
	{"an endless manifest", registry(":1.0.0", endless(`{"schemaVersion":2,"x":"`, "x")), "charts/x"},
	{"an endless layer", registry(":1.0.0", manifest(1<<40, endless("", "x"))), "charts/x"},
	{"a layer with another digest", registry(":1.0.0", manifest(5, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("wrong")) })), "charts/x"},
	{"a registry with a redirect loop", registry(":1.0.0", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
	}), "redirects more than 8 times"},
	{"a registry that always requests a new login", registry(":1.0.0", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="http://`+r.Host+`/token",service="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}), "charts/x"},
	{"a list of a million versions", registry("", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"name":"charts/x","tags":[` + strings.Repeat(`"0.0.1-\u001b[31m",`, 1_000_000) + `"x"]}`))
	}), "charts/x"},
	{"an error with control characters", registry(":1.0.0", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"errors":[{"code":"DENIED","message":"\u001b[31m\n::error::owned"}]}`))
	}), "charts/x"},
}

// userReply is a response of the platform to the query for the user.
func userReply(name, account, accountName, provider string) string {
	type object map[string]any
	text, _ := json.Marshal(object{"data": object{
		"me":      object{"id": "u", "name": name, "activeAccount": object{"id": account, "name": accountName, "gitProvider": provider, "admins": []string{"u"}}},
		"runtime": object{"metadata": object{"name": "local", "namespace": "there\x1b[31m\n::error::x"}, "cluster": "\u202ec"},
	}})
	return string(text)
}

var hostilePlatforms = []input{
	{"an endless platform response", func(g *ground) []string { return g.withPlatform(g.serve(endless(`{"data":"`, "x"))) }, "ACC104"},
	{"a platform response of brackets", func(g *ground) []string { return g.platform(strings.Repeat("[", 3<<20)) }, "ACC104"},
	{"a million administrators", func(g *ground) []string {
		return g.platform(`{"data":{"me":{"id":"u","activeAccount":{"id":"acc1","admins":[` + strings.Repeat(`"a",`, 900_000) + `"b"]}}}}`)
	}, "ACC201"},
	{"an account ID that is a command", func(g *ground) []string {
		return g.platform(userReply("n", "$(rm -rf ~);\n::stop-commands::x", "a", "GITHUB"))
	},
		`fix  --set 'global.codefresh.accountId=$(rm -rf ~);\n::stop-commands::x'`},
	{"names with escape characters", func(g *ground) []string {
		return g.platform(userReply("\x1b[31mroot", "acc1", "\u009b2J\u202ea\n::error::x", "GITHUB"))
	}, "RUN201"},
	{"a provider with escape characters", func(g *ground) []string { return g.platform(userReply("n", "acc1", "a", "\x1b]8;;http://evil\a")) }, "GIT201"},
	{"a Git provider whose finding is skipped", func(g *ground) []string {
		return append(g.platform(userReply("n", "acc1", "a", "SVN")), "--skip", "GIT201")
	}, "GIT300  The Git token is valid and has the required scopes (needs GIT200)"},
	{"unexpected types in the platform response", func(g *ground) []string {
		return g.platform(`{"data":{"me":{"id":[1],"activeAccount":"x"},"runtime":7,"limitsStatus":[]}}`)
	}, "ACC104"},
	{"null for every field", func(g *ground) []string {
		return g.platform(`{"data":{"me":null,"runtime":null,"limitsStatus":null},"errors":null}`)
	}, "ACC101"},
	{"a hundred thousand errors", func(g *ground) []string {
		return g.platform(`{"errors":[` + strings.Repeat(`{"message":"\u001b[31mcanary","extensions":{"code":"\u001b[31m\n::error::x"}},`, 40_000) + `{}]}`)
	}, "ACC100"},
	{"a response header of several megabytes", func(g *ground) []string {
		return g.withPlatform(g.serve(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 20<<20)) }))
	}, "ACC100"},
	{"a response that decompresses to a gigabyte", func(g *ground) []string {
		return g.withPlatform(g.serve(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			zipped := gzip.NewWriter(w)
			endless("", "x")(writer{w, zipped}, r)
		}))
	}, "ACC104"},
	{"a platform that redirects to a file", func(g *ground) []string {
		return g.withPlatform(g.serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd\x1b[31m")
			w.WriteHeader(http.StatusPermanentRedirect)
		}))
	}, "ACC1"},
	{"a platform that returns the token as a name", func(g *ground) []string {
		return g.platform(userReply("canary-token", "canary-token", "canary-token", "canary-token"))
	}, "***"},
	{"a platform that returns the token as an error", func(g *ground) []string {
		return g.platform(`{"errors":[{"message":"bad canary-token","extensions":{"code":"canary-token"}}]}`)
	}, "ACC100"},
	{"an account with a name of megabytes", func(g *ground) []string {
		return g.platform(userReply("n", strings.Repeat("x", 400_000), "a", "GITHUB"))
	}, "..."},
	{"a platform without TLS", func(g *ground) []string {
		address := g.serve(func(http.ResponseWriter, *http.Request) { g.Error("a token was sent in clear text") })
		return append(g.withPlatform(address), "--set", "global.codefresh.allowInsecureHTTP=false")
	}, "ACC105"},
	{"a platform without TLS whose finding is skipped", func(g *ground) []string {
		address := g.serve(func(http.ResponseWriter, *http.Request) { g.Error("a token was sent in clear text") })
		return append(g.withPlatform(address), "--set", "global.codefresh.allowInsecureHTTP=false", "--skip", "ACC105")
	}, "left out on request"},
}

// writer is a response writer whose body goes to another writer.
type writer struct {
	http.ResponseWriter
	body *gzip.Writer
}

func (w writer) Write(data []byte) (int, error) { return w.body.Write(data) }

var hostileGit = []input{
	{"an endless Git server response", func(g *ground) []string { return g.git("GITHUB", endless(`{"a":"`, "x")) }, "GIT300"},
	{"a Git server response of brackets", func(g *ground) []string {
		return g.git("GITLAB", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat("[", 1<<20))) })
	}, "GIT300"},
	{"a hundred thousand scopes", func(g *ground) []string {
		return g.git("BITBUCKET", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-OAuth-Scopes", strings.Repeat("a,", 100_000))
			_, _ = w.Write([]byte("{}"))
		})
	}, "GIT302"},
	{"scopes with control characters", func(g *ground) []string {
		return g.git("GITHUB", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("GitHub-Authentication-Token-Expiration", "9999999999-01-01 00:00:00 UTC")
			w.Header().Set("X-OAuth-Scopes", "\u202e\u009b")
			_, _ = w.Write([]byte("{}"))
		})
	}, "GIT302"},
	{"a Git server that redirects the token", func(g *ground) []string {
		other := g.serve(func(_ http.ResponseWriter, r *http.Request) {
			assert.Empty(g, r.Header.Get("Authorization")+r.Header.Get("Private-Token"), "the token reached another host")
		})
		other = strings.Replace(other, "127.0.0.1", "localhost", 1)
		return g.git("GITHUB", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, http.StatusFound) })
	}, "GIT30"},
	{"a Git server that truncates its response", func(g *ground) []string {
		return g.git("BITBUCKET_SERVER", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("{"))
			panic(http.ErrAbortHandler)
		})
	}, "GIT300"},
}

// play runs the program on the input.
func (i input) play(t *testing.T, program string) hostile.Ending {
	t.Helper()
	g := &ground{T: t, folder: t.TempDir()}
	args := i.args(g)
	if args[0] != "restore" && args[0] != "migrate" {
		args = slices.Concat([]string{"-n", "codefresh", "--no-cluster", "--timeout", "8s"}, args)
	}
	end := hostile.RunWith(t, g.env, program, g.folder, args...)
	hostile.Decent(t, end)
	assert.Contains(t, end.Text, i.says, "exit %d", end.Code)
	t.Logf("exit %d, %d MiB, %s: %s", end.Code, end.Memory>>20, end.Took, hostile.Clip(strings.TrimSpace(end.Text)))
	return end
}

// Every malicious input produces a message or a finding within the limits, and is not printed unescaped.
func TestHostileInputs(t *testing.T) {
	const name = "validate-values"
	program, worst, counts := hostile.Build(t, "."), hostile.Worst{}, map[string]int{}
	for kind, list := range map[string][]input{
		"values": hostileValues, "flags": hostileFlags, "charts": hostileCharts,
		"registries": hostileRegistries, "platforms": hostilePlatforms, "Git servers": hostileGit,
		"aliases": hostileAliases(), "files": hostileFiles, "references of registries": hostileReferences, "pipes": hostilePipes, "backups": hostileBackups, "buckets": hostileBuckets,
	} {
		counts[kind] = len(list)
		for _, one := range list {
			t.Run(kind+"/"+one.name, func(t *testing.T) { worst.Add(kind, one.play(t, program)) })
		}
	}
	worst.Log(t, name)
	hostile.Listed(t, name, counts)
}
