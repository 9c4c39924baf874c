//go:build !race

package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/source"
	"gitops-runtime/hack/release/statement"
)

const (
	imageType  = "application/vnd.oci.image.manifest.v1+json"
	indexType  = "application/vnd.oci.image.index.v1+json"
	bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"
	chartType  = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// answers are those of a registry that has what is asked for, whatever its name. Without a field, it answers as it should.
type answers struct {
	// manifest answers for a tag, referrers for what is attached, blob for content that is not a statement.
	manifest, referrers, blob http.HandlerFunc
	// artifact is the manifest of a tag, by the name of the artifact.
	artifact func(name string) (mediaType, text string)
	// payload changes a statement before it is attached.
	payload func(kind string, text []byte) []byte
	// bundle is the content of every statement.
	bundle []byte
	// accepted leaves ./cosign as it is; otherwise it accepts every signature.
	accepted bool
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func typed(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(text))
	}
}

// endless answers with a body that does not end before the client closes the connection.
func endless(kind, begin, again string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, err := w.Write([]byte(begin))
		for block := []byte(strings.Repeat(again, 1<<16/len(again)+1)); err == nil && r.Context().Err() == nil; {
			_, err = w.Write(block)
		}
	}
}

// statementOf returns the bundle of a statement about an artifact, which is what was asked for.
func (a answers) statementOf(host, name, digest, kind string) []byte {
	if a.bundle != nil {
		return a.bundle
	}
	var predicate any = map[string]string{}
	switch kind {
	case statement.SBOM:
		predicate = json.RawMessage(fmt.Sprintf(`{"spdxVersion":"SPDX-2.3","SPDXID":"SPDXRef-DOCUMENT","packages":[{"SPDXID":"SPDXRef-a","name":"a","checksums":[{"algorithm":"SHA256","checksumValue":%q}]}]}`, digest))
	case statement.Provenance:
		predicate = statement.Build{Version: "1.0.0", Artifact: name, Builder: "b", Source: source.Source{Revision: strings.Repeat("a", 40)}}.Provenance()
	}
	text, err := statement.About(host+"/x/"+name, digest, kind, predicate)
	if err != nil {
		return nil
	}
	if a.payload != nil {
		text = a.payload(kind, text)
	}
	bundle, _ := json.Marshal(map[string]any{"dsseEnvelope": map[string]any{"payload": text}})
	return bundle
}

// attachedTo returns the manifests of the statements about an artifact, and their contents by digest.
func (a answers) attachedTo(host, name, digest string) (manifests []string, contents map[string]string) {
	contents = map[string]string{"": "{}"}
	for _, kind := range statement.Types() {
		bundle := a.statementOf(host, name, digest, kind)
		contents[digestOf(bundle)] = string(bundle)
		manifests = append(manifests, fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":"application/vnd.oci.empty.v1+json","size":2,"digest":%q},"layers":[{"mediaType":%q,"size":%d,"digest":%q}],`+
			`"annotations":{"dev.sigstore.bundle.predicateType":%q}}`, imageType, digestOf([]byte("{}")), bundleType, len(bundle), digestOf(bundle), kind))
	}
	return manifests, contents
}

func (a answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v2/x/"), "/")
	kind, text := indexType, `{"schemaVersion":2,"mediaType":"`+indexType+`","manifests":[]}`
	if a.artifact != nil {
		kind, text = a.artifact(name)
	}
	subject := digestOf([]byte(text))
	manifests, contents := a.attachedTo(r.Host, name, strings.TrimPrefix(subject, "sha256:"))
	folder, last := path.Split(rest)
	switch {
	case r.URL.Path == "/v2/":
	case folder == "manifests/" && last == "1.0.0" && a.manifest != nil:
		a.manifest(w, r)
	case folder == "manifests/" && (last == "1.0.0" || last == subject):
		typed(kind, text)(w, r)
	case folder == "referrers/" && a.referrers != nil:
		a.referrers(w, r)
	case folder == "referrers/":
		var listed []string
		for _, one := range manifests {
			listed = append(listed, fmt.Sprintf(`{"mediaType":%q,"size":%d,"digest":%q}`, imageType, len(one), digestOf([]byte(one))))
		}
		typed(indexType, `{"schemaVersion":2,"mediaType":"`+indexType+`","manifests":[`+strings.Join(listed, ",")+`]}`)(w, r)
	case folder == "blobs/" && contents[last] != "":
		_, _ = w.Write([]byte(contents[last]))
	case folder == "blobs/" && a.blob != nil:
		a.blob(w, r)
	default:
		for _, one := range manifests {
			if folder == "manifests/" && last == digestOf([]byte(one)) {
				typed(imageType, one)(w, r)
				return
			}
		}
		http.NotFound(w, r)
	}
}

// registry starts a registry and returns the place of the release in it.
func (g *ground) registry(a answers) string {
	g.Helper()
	if !a.accepted {
		require.NoError(g, os.WriteFile(filepath.Join(g.folder, "cosign"), []byte("#!/bin/sh\nexit 0\n"), 0o700)) //nolint:gosec // a program
	}
	server := httptest.NewServer(a)
	g.Cleanup(server.Close)
	g.Cleanup(server.CloseClientConnections)
	host := strings.TrimPrefix(server.URL, "http://")
	g.write(".docker/config.json", fmt.Sprintf(`{"auths": {%q: {"username": "me", "password": "canary"}}}`, host))
	return host + "/x"
}

func served(title string, a answers, want string) input {
	return input{title, func(g *ground) []string { return verifying(g.registry(a)) }, want}
}

// registries returns registries whose content nobody signed.
func registries() []input {
	challenge := func(realm string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`",service="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}
	refused := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		}
	}
	return []input{
		served("a manifest without end", answers{manifest: endless(imageType, `{"x":"`, "x")}, "sends more than 8 MiB"),
		served("a manifest of brackets", answers{manifest: typed(imageType, strings.Repeat("[", 4<<20))}, ""),
		served("a manifest of another type", answers{manifest: typed("application/\x1b[31m", "{}")}, ""),
		served("a manifest with another digest", answers{manifest: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Docker-Content-Digest", "sha256:"+strings.Repeat("0", 64))
			typed(indexType, "{}")(w, r)
		}}, ""),
		served("a list of statements without end", answers{referrers: endless(indexType, `{"manifests":[`, `{"mediaType":"x","size":1,"digest":"sha256:`+strings.Repeat("0", 64)+`"},`)}, "sends more than 8 MiB"),
		served("a list of statements that is a page", answers{referrers: typed("text/html", "<html>"+escapes)}, ""),
		served("tens of thousands of statements", answers{referrers: typed(indexType, `{"schemaVersion":2,"mediaType":"`+indexType+`","manifests":[`+
			strings.TrimSuffix(strings.Repeat(`{"mediaType":"x","size":1,"digest":"sha256:`+strings.Repeat("0", 64)+`"},`, 40_000), ",")+`]}`)}, "at most 100 are read"),
		{"a hundred statements of eight megabytes", func(g *ground) []string {
			large := bytes.Repeat([]byte("x"), 8<<20-1)
			one := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":"x","size":2,"digest":%q},"layers":[{"mediaType":%q,"size":%d,"digest":%q}]}`, imageType, digestOf([]byte("{}")), bundleType, len(large), digestOf(large))
			listed := strings.TrimSuffix(strings.Repeat(fmt.Sprintf(`{"mediaType":%q,"size":%d,"digest":%q},`, imageType, len(one), digestOf([]byte(one))), 100), ",")
			return verifying(g.registry(answers{
				referrers: typed(indexType, `{"schemaVersion":2,"mediaType":"`+indexType+`","manifests":[`+listed+`]}`),
				blob:      func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(large) },
				manifest: func(w http.ResponseWriter, r *http.Request) {
					typed(indexType, `{"schemaVersion":2,"manifests":[]}`)(w, r)
				},
				artifact: func(string) (string, string) { return imageType, one },
			}))
		}, "the statements that refer to"},
		{"a statement larger than it says", func(g *ground) []string {
			return verifying(g.registry(answers{bundle: []byte(" "), blob: endless("x", "", "x")}))
		}, "has no valid signature"},
		served("statements of nine megabytes", answers{bundle: bytes.Repeat([]byte("x"), 9<<20)}, "it has more than 8 MiB"),
		served("a realm at the metadata of a cloud", answers{manifest: challenge("http://169.254.169.254/token")}, "which is a link-local address; nothing was sent there"),
		served("a realm that is a file", answers{manifest: challenge("file:///etc/passwd")}, "which is not HTTPS"),
		served("a redirect to the metadata of a cloud", answers{manifest: redirect("http://[fd00:ec2::254]/x")}, "which is a link-local address"),
		served("a redirect of statements to another protocol", answers{referrers: redirect("gopher://127.0.0.1/x")}, "which is not HTTPS"),
		served("an error with escape characters", answers{manifest: refused(http.StatusForbidden, `{"errors":[{"code":"DENIED","message":"\u001b[31m\n::error::x"}]}`)}, "answers 403"),
		served("an error without end", answers{manifest: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			endless("text/plain", "", "\x1b[31m")(w, r)
		}}, "body exceeds 65536 byte limit"),
		served("an error in place of statements", answers{referrers: refused(http.StatusTeapot, escapes)}, "answers 418"),
		served("a head of megabytes", answers{manifest: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 20<<20)) }}, ""),
	}
}

// signers returns content whose signatures hold, by somebody who means harm.
func signers() []input {
	payload := func(kind string, text []byte) answers {
		return answers{payload: func(of string, original []byte) []byte {
			if of == kind {
				return text
			}
			return original
		}}
	}
	replace := func(kind, old, with string) answers {
		return answers{payload: func(of string, original []byte) []byte {
			if of == kind {
				return bytes.ReplaceAll(original, []byte(old), []byte(with))
			}
			return original
		}}
	}
	platforms := func(count int) func(string) (string, string) {
		return func(string) (string, string) {
			one := fmt.Sprintf(`{"mediaType":%q,"size":1,"digest":"sha256:%s","platform":{"os":"\u001b[31m","architecture":"\n::error::x"}},`, imageType, strings.Repeat("0", 64))
			return indexType, `{"schemaVersion":2,"mediaType":"` + indexType + `","manifests":[` + strings.TrimSuffix(strings.Repeat(one, count), ",") + `]}`
		}
	}
	return []input{
		served("a payload that is not base64", answers{bundle: []byte(`{"dsseEnvelope":{"payload":"` + "%%%" + `"}}`)}, "bundle:"),
		served("a bundle of brackets", answers{bundle: bytes.Repeat([]byte("["), 4<<20)}, "bundle:"),
		served("a statement of brackets", payload(statement.Signature, bytes.Repeat([]byte("["), 4<<20)), "statement:"),
		served("a statement of another type", payload(statement.Signature, []byte(`{"_type":"\u001b[31m\n::error::x"}`)), "the statement has the type"),
		served("a statement about many things", payload(statement.Signature, []byte(`{"_type":"https://in-toto.io/Statement/v1","predicateType":"`+statement.Signature+`","subject":[`+
			strings.TrimSuffix(strings.Repeat(`{"name":"a"},`, 300_000), ",")+`]}`)), "the statement is about something else"),
		served("another place with escape characters", replace(statement.Signature, `"name":"127`, `"name":"\u001b[31m\n::error::x`), "its signature is about"),
		served("an SBOM of half a million packages", replace(statement.SBOM, `"packages":[`, `"packages":[`+strings.Repeat(`{"SPDXID":"SPDXRef-b"},`, 200_000)), ""),
		served("an SBOM with values of another type", replace(statement.SBOM, `"packages":[`, `"packages":["\u001b[31m",`), "SBOM:"),
		served("a builder with escape characters", replace(statement.Provenance, `"id":"b"`, `"id":"\u001b[31m\n::error::x"`), ""),
		served("a commit with escape characters", replace(statement.Provenance, strings.Repeat("a", 40), `\u001b[31m\n::error::x`), "the provenance names the commit"),
		served("an image for forty thousand platforms", answers{artifact: platforms(20_000)}, ""),
		served("an image for a platform with escape characters", answers{artifact: platforms(1)}, `\x1b[31m`),
		charted("a chart that unpacks to a gigabyte", nil, func(out *tar.Writer) {
			block := make([]byte, 4<<20)
			for i := range 64 {
				_ = out.WriteHeader(&tar.Header{Name: fmt.Sprintf("one/templates/%d.yaml", i), Size: int64(len(block)), Typeflag: tar.TypeReg})
				_, _ = out.Write(block)
			}
		}, "the files read for one run have more than 64 MiB"),
		charted("copies in the values of a chart", map[string]string{"one/values.yaml": copies()}, nil, tooManyCopies),
		charted("copies in the Chart.yaml of a chart", map[string]string{"one/Chart.yaml": copies()}, nil, tooManyCopies),
		charted("deep values of a chart", map[string]string{"one/values.yaml": "a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000)}, nil, tooDeep),
		charted("names of files with escape characters", map[string]string{"\x1b[31m\n::error::x/values.yaml": "a: [b"}, nil, `\x1b[31m`),
		charted("images with escape characters", map[string]string{"one/values.yaml": `a: {repository: "\e[31m/image-override", digest: "\n::error::x"}` + "\n"}, nil, "its values name the image"),
		charted("a list of images that has no end", map[string]string{"one/Chart.yaml": "annotations:\n  artifacthub.io/images: |\n" + strings.Repeat("    - image: a:1\n", 100_000)}, nil, "images by tag"),
		charted("a chart of nothing but values", map[string]string{"one/values.yaml": "a: [" + strings.Repeat("1,", 2_000_000) + "]\n"}, nil, "more than 500000 keys and values"),
	}
}

// charted returns a release whose chart has these files.
func charted(title string, files map[string]string, more func(*tar.Writer), want string) input {
	return input{title, func(g *ground) []string {
		var packed bytes.Buffer
		zipped := gzip.NewWriter(&packed)
		out := tar.NewWriter(zipped)
		for name, text := range files {
			require.NoError(g, out.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Typeflag: tar.TypeReg, Mode: 0o644}))
			_, err := out.Write([]byte(text))
			require.NoError(g, err)
		}
		if more != nil {
			more(out)
		}
		require.NoError(g, out.Close())
		require.NoError(g, zipped.Close())
		content, empty := packed.Bytes(), `{}`
		chart := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":"x","size":2,"digest":%q},"layers":[{"mediaType":%q,"size":%d,"digest":%q}]}`,
			imageType, digestOf([]byte(empty)), chartType, len(content), digestOf(content))
		return verifying(g.registry(answers{
			artifact: func(name string) (string, string) {
				if name == "gitops-runtime-installer" || name == "validate-values" || name == "image-override" {
					return indexType, `{"schemaVersion":2,"mediaType":"` + indexType + `","manifests":[]}`
				}
				return imageType, chart
			},
			blob: func(w http.ResponseWriter, r *http.Request) {
				if path.Base(r.URL.Path) == digestOf([]byte(empty)) {
					_, _ = w.Write([]byte(empty))
					return
				}
				_, _ = w.Write(content)
			},
		}))
	}, want}
}
