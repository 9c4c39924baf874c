package doctorcmd_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/webpage/webpagetest"
	"gitops-runtime/validator/bundle"
)

// bundled writes a bundle and returns its files by name, its size and what the program printed.
func bundled(t *testing.T, w *world, args ...string) (files map[string]string, size int, failed string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bundle.tar.gz")
	_, _, failed = run(t, map[string]*world{"": w}, append([]string{"doctor", "--release", "cf", "-o", "short", "--bundle", name}, args...)...)
	content, err := os.ReadFile(name)
	require.NoError(t, err, failed)
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	require.NoError(t, err)
	files = map[string]string{}
	for archive := tar.NewReader(unzipped); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, len(content), failed
		}
		require.NoError(t, err)
		text, err := io.ReadAll(archive)
		require.NoError(t, err)
		files[strings.TrimPrefix(head.Name, "bundle/")] = string(text)
	}
}

// plant puts canaries into a runtime: into Secrets, values, logs, events and objects, as they are and encoded. It returns all of them.
func plant(t *testing.T, w *world) []string {
	t.Helper()
	random := rand.New(rand.NewSource(1)) //nolint:gosec // canaries of a test
	var all []string
	fresh := func() string {
		letters := "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
		made := make([]byte, 9+len(all)%12)
		for i := range made {
			made[i] = letters[random.Intn(len(letters))]
		}
		made[4] = "+/%&\" ="[len(all)%7]
		all = append(all, string(made))
		return string(made)
	}
	quoted := func(text string) string {
		made, err := json.Marshal(text)
		require.NoError(t, err)
		return string(made)
	}
	// Secrets: of Opaque, Docker, YAML, JSON and of several lines
	var secrets []string
	for i := range 24 {
		secrets = append(secrets, fresh())
		w.secret(fmt.Sprintf("canary-%d", i), "Opaque", []string{"token", "password", "config", "anything"}[i%4], secrets[i])
	}
	docker, inner, listed, lines := fresh(), fresh(), fresh(), fresh()
	w.secret("docker", "kubernetes.io/dockerconfigjson", ".dockerconfigjson", `{"auths":{"r.example.com":{"auth":"`+base64.StdEncoding.EncodeToString([]byte("bot:"+docker))+`"}}}`)
	w.secret("yaml", "Opaque", "config.yaml", "server: {password: "+quoted(inner)+"}\nother: 1\n")
	w.secret("json", "Opaque", "config.json", `{"list": [{"apiKey": `+quoted(listed)+`}]}`)
	w.secret("lines", "Opaque", "key", "-----BEGIN THING-----\n"+lines+lines+lines+"\n"+fresh()+"0123456789\n-----END THING-----\n")
	// others are in the values of the release
	config, nested := maps.Clone(w.release.Config), tree{}
	for i := range 24 {
		nested[fmt.Sprintf("%s%d", []string{"password", "apiToken", "clientSecret", "privateKey"}[i%4], i)] = tree{"value": "x", "secretKey": fresh()}
	}
	config["app-proxy"] = tree{"extraEnv": []any{tree{"name": "MY_TOKEN", "value": fresh()}}, "nested": nested}
	release := *w.release
	release.Config = config
	w.release = &release
	w.store("deployed", 3)
	// the rest is nowhere but in logs, and look like credentials
	jwt := strings.TrimSuffix(token(1), "c2lnbmF0dXJl") + base64.RawURLEncoding.EncodeToString([]byte(fresh()))
	key := fresh()
	log := []string{
		"Authorization: Bearer " + "abcDEF123" + strings.Map(func(r rune) rune {
			if strings.ContainsRune("+/%&\" =", r) {
				return 'x'
			}
			return r
		}, fresh()),
		"jwt " + jwt, "-----BEGIN RSA PRIVATE KEY-----", base64.StdEncoding.EncodeToString([]byte(key + key)), "-----END RSA PRIVATE KEY-----",
		"cloning https://bot:" + url.QueryEscape(fresh()) + "@git.example.com/a.git", "GET /hook?access_token=" + url.QueryEscape(fresh()),
		"with ghp_0123456789abcdef" + hex.EncodeToString([]byte(fresh())),
	}
	for i, each := range slices.Concat(secrets, []string{docker, inner, listed}) {
		log = append(log,
			"plain "+each, "json "+quoted(each), "query "+url.QueryEscape(each), "path "+url.PathEscape(each), "base64 "+base64.StdEncoding.EncodeToString([]byte(each)),
			"inside "+base64.StdEncoding.EncodeToString([]byte("user"[:i%4]+each+" more")), "url base64 "+base64.RawURLEncoding.EncodeToString([]byte("x:"+each+":y")),
			"twice "+base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(each)))), "hex "+hex.EncodeToString([]byte(each)),
			"a jwt "+base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256"}`))+"."+base64.RawURLEncoding.EncodeToString([]byte(`{"k":`+quoted(each)+`}`))+".c2ln",
		)
	}
	w.log(appProxy, log...)
	w.event("Pod", appProxy, "Odd", "the program was called with "+secrets[0]+" and "+base64.StdEncoding.EncodeToString([]byte(secrets[1])))
	w.change(t, core("configmaps", "argocd-cm"), func(of tree) {
		of["data"].(tree)["oidc.config"] = "clientSecret: " + quoted(secrets[2]) + "\n"
		of["data"].(tree)[secrets[4][:4]+"-key"] = secrets[3]
		of["metadata"].(tree)["annotations"] = tree{"kubectl.kubernetes.io/last-applied-configuration": `{"data":{"a":` + quoted(fresh()) + `}}`}
	})
	w.change(t, core("pods", appProxy), func(of tree) {
		of["spec"].(tree)["containers"].([]any)[0].(tree)["env"] = []any{tree{"name": "GIT_PASSWORD", "value": fresh()}}
		of["spec"].(tree)["containers"].([]any)[0].(tree)["args"] = []any{"--connect=" + secrets[5]}
	})
	w.Texts[core("pods", controller)+":8082/proxy/metrics"] = fmt.Sprintf("up{token=%q} 1\n", secrets[6])
	return all
}

// No canary is in any file of a bundle, in any encoding, and what helps to find a fault is.
func TestBundleHidesCanaries(t *testing.T) {
	t.Parallel()
	w := healthy(t, "tunnel")
	canaries := plant(t, w)
	require.GreaterOrEqual(t, len(canaries), 60)
	files, size, failed := bundled(t, w)
	assert.Less(t, size, 5<<20)
	encoded := 0
	for _, canary := range canaries {
		forms := map[string]bool{canary: true, url.QueryEscape(canary): true, url.PathEscape(canary): true, hex.EncodeToString([]byte(canary)): true}
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			forms[strings.TrimRight(encoding.EncodeToString([]byte(canary)), "=")] = true
			for before := range 3 { // the middle, which does not depend on what is around it
				made := encoding.EncodeToString([]byte("xyz"[:before] + canary + "xyz"))
				forms[made[4:4+(len(canary)-4)/3*4]] = true
			}
		}
		for form := range forms {
			encoded++
			for name, text := range files {
				require.NotContains(t, text, form, "%s has the canary %s", name, canary)
			}
			require.NotContains(t, failed, form)
		}
	}
	assert.GreaterOrEqual(t, encoded, 7*len(canaries))
	for name, part := range map[string]string{
		"index.html": `<a href="logs/cap-app-proxy-0/cap-app-proxy.log">`, "findings.txt": "POD100  The pods of the runtime run and are ready", "findings.json": `"POD100"`, "findings.html": "<h1>", "events.txt": "Warning Odd Pod/cap-app-proxy-0",
		"logs/cap-app-proxy-0/cap-app-proxy.log": "Z plain (hidden)", "objects/pods.yaml": "image: quay.io/codefresh/cap-app-proxy", "objects/secrets.yaml": "token: (hidden)",
		"objects/customresourcedefinitions.yaml": "name: v1alpha1", "objects/configmaps.yaml": "oidc.config: |", "release/values.yaml": "name: production", "release/manifest.yaml": "kind: Deployment",
		"metrics/argo-cd-application-controller-0.txt": `up{token="(hidden)"} 1`, "versions.json": `"kubernetes": "v1.34.4"`, "left-out.txt": "the content of Secrets",
	} {
		assert.Contains(t, files[name], part, name)
	}
	for _, fault := range webpagetest.Faults(files["index.html"]) {
		assert.Regexp(t, "^a link points to #?[a-z]", fault, "the index links to files of the bundle, and nothing else")
	}
}

// The same cluster gives the same bundle.
func TestBundleIsReproducible(t *testing.T) {
	t.Parallel()
	first, _, _ := bundled(t, healthy(t, "tunnel"))
	second, _, _ := bundled(t, healthy(t, "tunnel"))
	assert.Equal(t, first, second)
}

// A limit leaves out the beginnings of logs first, then whole files, and says so.
func TestBundleHasALimit(t *testing.T) {
	t.Parallel()
	w, random := healthy(t, "tunnel"), rand.New(rand.NewSource(2)) //nolint:gosec // a log of a test
	var lines []string
	for i := range 20000 {
		lines = append(lines, fmt.Sprintf("line %d %x", i, random.Int63()))
	}
	w.log(appProxy, lines...)
	files, size, failed := bundled(t, w, "--max-size", "120k")
	assert.Less(t, size, 120_000)
	assert.Contains(t, files["logs/cap-app-proxy-0/cap-app-proxy.log"], "line 19999")
	assert.Contains(t, failed, "left out: the beginnings of 1 logs: each was cut to its last 64 KiB\n")
	assert.Contains(t, files["left-out.txt"], "the beginnings of 1 logs")

	files, size, failed = bundled(t, w, "--max-size", "30k")
	assert.Less(t, size, 30_000)
	assert.Contains(t, files, "findings.json")
	assert.Contains(t, failed, "exceed --max-size")
}

func TestBundleOfComponents(t *testing.T) {
	t.Parallel()
	w := healthy(t, "tunnel")
	w.log(appProxy, "one")
	w.log(repo, "two")
	files, _, _ := bundled(t, w, "--component", "argocd-repo-server")
	assert.Contains(t, files, "logs/argo-cd-repo-server-0/repo-server.log")
	assert.NotContains(t, files, "logs/cap-app-proxy-0/cap-app-proxy.log")
}

// Events and log lines that are older than --since are left out.
func TestBundleSince(t *testing.T) {
	t.Parallel()
	w := healthy(t, "tunnel")
	w.event("Pod", appProxy, "Odd", "two minutes ago")
	for since, want := range map[string]bool{"3m": true, "1m": false} {
		files, _, failed := bundled(t, w, "--since", since)
		assert.Equal(t, want, strings.Contains(files["events.txt"], "two minutes ago"), "%s: %s", since, failed)
	}
}

// Without the Secrets nothing is packed, since their content could not be removed; other things that are denied are listed.
func TestBundleWithoutPermissions(t *testing.T) {
	t.Parallel()
	w := healthy(t, "tunnel")
	w.Limited["type%21%3D"] = 403
	name := filepath.Join(t.TempDir(), "bundle.tar.gz")
	code, _, failed := run(t, map[string]*world{"": w}, "doctor", "--release", "cf", "--bundle", name)
	assert.Equal(t, 1, code)
	assert.Equal(t, "validate-values: bundle: the Secrets of the namespace codefresh cannot be read, and their content could not be removed from the bundle: list secrets: HTTP 403\n", failed)
	assert.NoFileExists(t, name)

	w = healthy(t, "tunnel")
	w.Denied["/nodes"] = 403
	_, _, failed = bundled(t, w)
	assert.Contains(t, failed, "left out: objects of the kind Node: list nodes: HTTP 403\n")
	assert.Equal(t, "(hidden)", bundle.Hidden)
}
