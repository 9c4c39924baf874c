//go:build !race

package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/registry/registrytest"
)

// placed is an input that also needs what is no file with a text, such as a pipe.
type placed struct {
	input
	prepare func(t *testing.T, folder string)
}

func put(name string, files map[string]string, args []string, code int, want string, prepare func(*testing.T, string)) placed {
	return placed{input{name, files, args, code, want}, prepare}
}

func prepared() map[string][]placed {
	return map[string][]placed{"aliases": aliases(), "numbers": numbers(), "files": files(), "registries": registries()}
}

// copies is a text in which aliases stand for 180 MB.
func copies() string {
	return "a: &a " + strings.Repeat("x", 30_000) + "\nb: [" + strings.Repeat("*a, ", 6000) + "]\n"
}

const (
	tooManyCopies = "the aliases in the files read for one run stand for more than"
	tooMuchText   = "of text after its aliases are expanded"
	outOfTime     = "of CPU time; look for aliases"
)

// aliases returns texts that aliases multiply, in every file that the program parses.
func aliases() []placed {
	long := strings.Repeat("x", 30_000)
	list := func(anchor string) string { return anchor + "b: [" + strings.Repeat("*a, ", 6000) + "]\n" }
	var all []placed
	for name, text := range map[string]string{
		"in a list": copies(), "quoted": list("a: &a \"" + long + "\"\n"), "of a block": list("a: &a |\n  " + long + "\n"), "of a key": list("? &a " + long + "\n: 1\n"),
		"as keys":     "a: &a " + long + "\nb:\n" + strings.Repeat("- {*a : 1}\n", 6000),
		"by merging":  "a: &a {k: " + long + "}\nb:\n" + strings.Repeat("- {<<: *a}\n", 6000),
		"of an image": "kind: Pod\na: &a quay.io/" + strings.Repeat("x", 200) + "\nb: [" + strings.Repeat("{image: *a}, ", 200_000) + "]\n",
	} {
		want := tooMuchText
		if name == "of an image" {
			want = ""
		}
		all = append(all, put("copies in a manifest, "+name, template(text), nil, 1, want, nil))
	}
	table := "source_image,target_image\nquay.io/a:1,reg.corp/quay.io/a:1\n"
	return append(all,
		put("copies in the chart's values", map[string]string{"values.yaml": copies()}, nil, 1, tooManyCopies, nil),
		put("copies in Chart.yaml", map[string]string{"Chart.yaml": copies()}, nil, 1, tooManyCopies, nil),
		put("copies in Chart.lock", map[string]string{"Chart.lock": copies()}, nil, 1, tooManyCopies, nil),
		put("copies in requirements.yaml", map[string]string{"requirements.yaml": copies()}, nil, 1, tooManyCopies, nil),
		put("copies in a values file", map[string]string{"../v.yaml": copies()}, []string{"generate", "CHART", "--registry", "reg.corp", "-f", "CHART/../v.yaml"}, 2, tooManyCopies, nil),
		put("copies in a scenario", map[string]string{"../v.yaml": copies()}, []string{"generate", "CHART", "--registry", "reg.corp", "--scenario", "a=CHART/../v.yaml"}, 2, tooManyCopies, nil),
		put("copies in the output of an earlier run", map[string]string{"../out/values-images-no-tags.yaml": copies()}, nil, 1, tooManyCopies, nil),
		put("copies for fromYaml", with(template(`a: {{ .Files.Get "x.yaml" | fromYaml | len }}`), "x.yaml", copies()), nil, 1, tooManyCopies, nil),
		put("copies for fromYamlArray", with(template(`a: {{ .Files.Get "x.yaml" | fromYamlArray | len }}`), "x.yaml", "- &a "+strings.Repeat("x", 30_000)+"\n"+strings.Repeat("- *a\n", 6000)), nil, 1, tooManyCopies, nil),
		put("copies in a ConfigMap", template("kind: ConfigMap\ndata:\n  a: |\n    "+strings.ReplaceAll(copies(), "\n", "\n    ")), nil, 0, "0 image references", nil),
		put("copies in a mirror table", map[string]string{"t.csv": table + copies()}, []string{"mirror", "CHART/t.csv"}, 1, "is not a mirror table", nil),
	)
}

// numbers returns charts with very much of something that is harmless once.
func numbers() []placed {
	pods := `{{ range until %d }}
---
apiVersion: v1
kind: Pod
metadata: {name: p{{ . }}}
spec: {containers: [{name: c, image: "quay.io/a/b{{ . }}:1"}]}
{{ end }}`
	return []placed{
		put("nineteen thousand images", template(fmt.Sprintf(pods, 19_000)), nil, 1, outOfTime, nil),
		put("more manifests than any chart has", template(`{{ range until 30000 }}`+"\n---\na: b\n"+`{{ end }}`), nil, 1, "write more than 20000 manifests", nil),
		put("a million documents", template(`{{ range until 900000 }}`+"\n---\na: b\n"+`{{ end }}`), nil, 1, "write more than 20000 manifests", nil),
		put("a million empty documents", template(`{{ range until 900000 }}`+"\n---\n"+`{{ end }}`), nil, 0, "0 image references", nil),
		put("thousands of templates", func() map[string]string {
			all := map[string]string{}
			for i := range 4000 {
				all[fmt.Sprintf("templates/%d.yaml", i)] = "a: b\n"
			}
			return all
		}(), nil, 0, "0 image references", nil),
		put("an object with a hundred thousand keys", template("kind: ConfigMap\ndata:\n{{ range until 100000 }}  k{{ . }}: v\n{{ end }}"), nil, 0, "0 image references", nil),
		put("a list of a hundred thousand images of one name", template("kind: Pod\nspec:\n  containers:\n{{ range until 20000 }}  - {name: c, image: 'quay.io/a/b:1'}\n{{ end }}"), nil, 1, outOfTime, nil),
		put("a line of ten megabytes", template(`a: "{{ repeat 10000000 "x" }}"`), nil, 0, "0 image references", nil),
		put("an image with a password", manifest("me:canary@reg.corp/a:1"), nil, 3, "reg.corp/a:1", nil),
		put("an image of a megabyte", manifest(strings.Repeat("a", 1<<20)), nil, 3, "unread", nil),
		put("a digest of a megabyte", manifest("quay.io/a@sha256:"+strings.Repeat("0", 1<<20)), nil, 3, "unread", nil),
		put("a thousand conditions of subcharts", map[string]string{"Chart.yaml": meta("a") + "dependencies: [{name: b, version: 1.0.0, condition: '" + strings.Repeat("a.b,", 100_000) + "', repository: 'file://b'}]\n", "b/Chart.yaml": meta("b")}, nil, 0, "0 image references", nil),
		put("a thousand aliases of a subchart", map[string]string{"Chart.yaml": meta("a") + "dependencies: [" + strings.Repeat("{name: b, alias: x, version: 1.0.0, repository: 'file://b'},", 1000) + "]\n", "b/Chart.yaml": meta("b")}, nil, 1, "more than one dependency with name or alias", nil),
	}
}

// files returns inputs that are no files with a text, or whose names are not what they seem.
func files() []placed {
	pipe := func(name string) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			t.Helper()
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
			require.NoError(t, syscall.Mkfifo(filepath.Join(folder, name), 0o600))
		}
	}
	link := func(to, name string) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			t.Helper()
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
			require.NoError(t, os.Symlink(to, filepath.Join(folder, name)))
		}
	}
	table := map[string]string{"../t.csv": "source_image,target_image\nquay.io/a:1,127.0.0.1:1/a:1\n"}
	mirror := func(more ...string) []string {
		return append([]string{"mirror", "CHART/../t.csv", "--jobs", "1"}, more...)
	}
	generate := func(more ...string) []string {
		return append([]string{"generate", "CHART", "--registry", "reg.corp", "-o", "out"}, more...)
	}
	return []placed{
		put("a pipe as a journal", table, mirror("--journal", "j"), 1, "it is not a regular file", pipe("j")),
		put("a device as a journal", table, mirror("--journal", "/dev/zero"), 1, "it is not a regular file", nil),
		put("a pipe as an earlier mirror table", nil, nil, 1, "image-mirror.csv: it is not a regular file", pipe("out/image-mirror.csv")),
		put("a pipe as earlier values", nil, nil, 1, "it is not a regular file", pipe("out/values-images-no-tags.yaml")),
		put("a device as earlier values", nil, nil, 1, "it is not a regular file", link("/dev/zero", "out/values-images-no-tags.yaml")),
		put("a device as a mirror table", nil, []string{"mirror", "/dev/zero"}, 1, "is not a mirror table", nil),
		put("a device as a lock file", table, []string{"verify-mirror", "CHART/../t.csv", "--lock", "/dev/zero"}, 1, "it is larger than 64 MiB", nil),
		put("a pipe as a lock file", table, []string{"verify-mirror", "CHART/../t.csv", "--lock", "l"}, 1, "no program writes to this pipe", pipe("l")),
		put("a pipe as a list of images", nil, generate("--extra-images", "e"), 1, "no program writes to this pipe", pipe("e")),
		put("a pipe as a bundle", nil, []string{"load", "b", "--registry", "reg.corp", "-o", "out"}, 1, "it is not a regular file", pipe("b")),
		put("a pipe as an ignore file", nil, nil, 1, ".helmignore: it is not a regular file", pipe("chart/.helmignore")),
		put("a mirror table with a password", map[string]string{"../t.csv": "source_image,target_image\nme:canary@quay.io/a:1,127.0.0.1:1/a:1\n"}, mirror(), 1, `"quay.io/a:1" is not an image reference`, nil),
		put("a mirror table of null bytes", map[string]string{"../t.csv": "source_image,target_image\n" + strings.Repeat("\x00", 100_000) + ",a\n"}, mirror(), 1, "...", nil),
		put("a device as a list of images", nil, generate("--extra-images", "/dev/zero"), 1, "/dev/zero: it is larger than 4 MiB", nil),
		put("authorities without end", table, mirror("--ca-file", "/dev/zero"), 1, "it is larger than 1 MiB", nil),
		put("a link out of the chart", nil, nil, 1, "templates/x.yaml is a link out of the chart, to /etc/hostname", link("/etc/hostname", "chart/templates/x.yaml")),
		put("a folder that is a link out of the chart", nil, nil, 1, "templates is a link out of the chart, to /etc", link("/etc", "chart/templates")),
		put("a link out of the chart, allowed", nil, generate("--follow-links"), 0, "0 image references", link("/etc/hostname", "chart/notes")),
		put("a folder 900 levels deep", nil, nil, 1, "nested more than 50 levels deep", func(t *testing.T, folder string) {
			t.Helper()
			require.NoError(t, os.MkdirAll(filepath.Join(folder, "chart", strings.Repeat("d/", 900)), 0o700))
		}),
		put("a file with the name of a flag", nil, generate("--everything"), 2, "is a flag and also a file", link("nowhere", "--everything")),
		put("a folder with the name of a flag", nil, generate(), 2, "is a flag and also a file", func(t *testing.T, folder string) {
			t.Helper()
			require.NoError(t, os.Mkdir(filepath.Join(folder, "-o"), 0o700))
		}),
	}
}

// registries returns mirrors from a registry by TLS that refers to other places.
func registries() []placed {
	one := func(name string, answer func(http.ResponseWriter, *http.Request) bool, want string) placed {
		var made *registrytest.Registry
		return put(name, nil, []string{"mirror", "CHART/../t.csv", "--jobs", "1", "--ca-file", "CHART/../ca.pem"}, 1, want, func(t *testing.T, folder string) {
			t.Helper()
			made = registrytest.StartTLS(t)
			made.Failing(answer)
			authority, err := os.ReadFile(made.CAFile)
			require.NoError(t, err)
			write(t, filepath.Join(folder, "ca.pem"), string(authority))
			write(t, filepath.Join(folder, ".docker/config.json"), fmt.Sprintf(`{"auths": {%q: {"username": "me", "password": "canary"}}}`, made.Name))
			write(t, filepath.Join(folder, "t.csv"), "source_image,target_image\n"+made.Name+"/a:1,127.0.0.1:1/a:1\n")
		})
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a request reached a host that nobody named") }))
	challenge := func(realm string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`",service="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
	}
	redirect := func(place string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Location", place)
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		}
	}
	return []placed{
		one("a login without TLS", challenge(elsewhere.URL+"/token"), "which gives up TLS; nothing was sent there"),
		one("a login at the metadata of a cloud", challenge("https://169.254.169.254/token"), "which is a link-local address"),
		one("a login at a file", challenge("file:///etc/passwd"), "which is not HTTPS"),
		one("a login with an escape character", challenge("http://x/%1b[31m"), "which gives up TLS"),
		one("a redirect without TLS", redirect(elsewhere.URL+"/v2/"), "which gives up TLS"),
		one("a redirect to the metadata of a cloud", redirect("https://[fd00:ec2::254]/"), "which is a link-local address"),
		one("a redirect to itself", redirect("/v2/"), "redirects more than 8 times"),
	}
}
