//go:build !race

package main_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/stretchr/testify/require"
)

// tooManyCopies is part of the message about texts that aliases stand for; the number differs between values and charts.
const tooManyCopies = "the aliases in the files read for one run stand for more than"

// copies are texts in which aliases stand for 180 MB: one long text, used 6,000 times.
func copies() map[string]string {
	long := strings.Repeat("x", 30_000)
	list := func(anchor string) string { return anchor + "b: [" + strings.Repeat("*a, ", 6000) + "]\n" }
	quoted := list("a: &a \"" + long + "\"\n")
	return map[string]string{
		"in a list":                quoted,
		"plain":                    list("a: &a " + long + "\n"),
		"of a block":               list("a: &a |\n  " + long + "\n"),
		"of a folded block":        list("a: &a >\n  " + long + "\n"),
		"of binary data":           list("a: &a !!binary " + strings.Repeat("eHh4", 7500) + "\n"),
		"of a number":              list("a: &a " + strings.Repeat("9", 30_000) + "\n"),
		"of a key":                 list("? &a " + long + "\n: 1\n"),
		"as values":                "a: &a " + long + "\n" + numbered("k%d: *a\n", 6000),
		"as keys":                  "a: &a " + long + "\nb:\n" + strings.Repeat("- {*a : 1}\n", 6000),
		"by merge keys":            "a: &a {k: " + long + "}\nb:\n" + strings.Repeat("- {<<: *a}\n", 6000),
		"in lists of lists":        "a: &a " + long + "\nb: &b [" + strings.Repeat("*a, ", 80) + "]\nc: [" + strings.Repeat("*b, ", 80) + "]\n",
		"with an anchor of itself": "a: &a " + long + "\nb: &b [" + strings.Repeat("*a, ", 3000) + "]\nc: [*b, *b]\n",
	}
}

// hostileAliases returns texts that aliases multiply, in every file that the program parses.
func hostileAliases() []input {
	var all []input
	for name, text := range copies() {
		all = append(all, values("copies "+name, tooManyCopies, fixed(text)))
	}
	bomb := copies()["in a list"]
	for _, name := range []string{"values.yaml", "Chart.yaml", "Chart.lock", "requirements.yaml", "charts/below/values.yaml", "charts/below/Chart.yaml"} {
		all = append(all, input{"copies in a chart's " + name, func(g *ground) []string {
			return g.chart("Chart.yaml", chartHead, "charts/below/Chart.yaml", "name: below\nversion: 1.0.0\n", name, bomb)
		}, tooManyCopies})
	}
	return append(all,
		input{"copies in a packed chart", func(g *ground) []string {
			return g.packed(g.archive(entry{name: "c/Chart.yaml", data: []byte(chartHead)}, entry{name: "c/values.yaml", data: []byte(bomb)}))
		}, tooManyCopies},
		input{"copies in a packed dependency", func(g *ground) []string {
			below := g.archive(entry{name: "b/Chart.yaml", data: []byte("name: b\nversion: 1.0.0\n")}, entry{name: "b/values.yaml", data: []byte(bomb)})
			return g.packed(g.archive(entry{name: "c/Chart.yaml", data: []byte(chartHead)}, entry{name: "c/charts/b-1.0.0.tgz", data: below}))
		}, tooManyCopies},
		input{"copies in many files", func(g *ground) []string {
			var args []string
			for i := range 40 {
				args = append(args, "-f", g.write(fmt.Sprintf("%d.yaml", i), "a: &a "+strings.Repeat("x", 30_000)+"\nb: ["+strings.Repeat("*a, ", 20)+"]\n"))
			}
			return args
		}, tooManyCopies},
	)
}

// hostileFiles are files that are no files, or whose names are not what they seem.
var hostileFiles = []input{
	{"certificate authorities without end", func(g *ground) []string {
		return append(g.values("a: 1\n"), "--chart", "oci://127.0.0.1:1/c:1.0.0", "--ca-file", "/dev/zero")
	}, "--ca-file /dev/zero: it is larger than 1 MiB"},
	{"logins without end", func(g *ground) []string {
		return append(g.values("a: 1\n"), "--chart", "oci://127.0.0.1:1/c:1.0.0", "--registry-config", "/dev/zero")
	}, "/dev/zero"},
	{"a link out of a chart", func(g *ground) []string {
		args := g.chart()
		require.NoError(g, os.Symlink("/etc/hostname", filepath.Join(g.folder, "chart", "values.yaml")))
		return args
	}, "values.yaml is a link out of the chart, to /etc/hostname"},
	{"a folder that is a link out of a chart", func(g *ground) []string {
		args := g.chart()
		require.NoError(g, os.Symlink("/etc", filepath.Join(g.folder, "chart", "templates")))
		return args
	}, "templates is a link out of the chart, to /etc"},
	{"a link to a link out of a chart", func(g *ground) []string {
		args := g.chart()
		require.NoError(g, os.Symlink("/etc/hostname", filepath.Join(g.folder, "one")))
		require.NoError(g, os.Symlink("../one", filepath.Join(g.folder, "chart", "values.yaml")))
		return args
	}, "values.yaml is a link out of the chart"},
	{"a link in a dependency out of the chart", func(g *ground) []string {
		args := g.chart("Chart.yaml", depends("file://below"), "below/Chart.yaml", "name: below\nversion: 1.0.0\n")
		require.NoError(g, os.Symlink("/etc/hostname", filepath.Join(g.folder, "chart", "below", "values.yaml")))
		return args
	}, "values.yaml is a link out of the chart"},
	{"a folder 900 levels deep", func(g *ground) []string {
		args := g.chart()
		require.NoError(g, os.MkdirAll(filepath.Join(g.folder, "chart", strings.Repeat("d/", 900)), 0o700))
		return args
	}, "nested more than 50 levels deep"},
	{"a file with the name of a flag", func(g *ground) []string {
		g.write("--skip=RUN102", "")
		return append(g.values(runtimeNamed("BAD NAME")), "--skip=RUN102")
	}, "is a flag and also a file"},
	{"a file with the name of a flag that writes", func(g *ground) []string {
		g.write("-o", "")
		return append(g.values("a: 1\n"), "-o", "short")
	}, "is a flag and also a file"},
	{"a dangling link with the name of a flag", func(g *ground) []string {
		require.NoError(g, os.Symlink("nowhere", filepath.Join(g.folder, "--strict")))
		return append(g.values("a: 1\n"), "--strict")
	}, "is a flag and also a file"},
	{"a folder with the name of a flag", func(g *ground) []string {
		require.NoError(g, os.Mkdir(filepath.Join(g.folder, "--no-cluster"), 0o700))
		return g.values("a: 1\n")
	}, "is a flag and also a file"},
	{"the memory of the process", func(*ground) []string { return []string{"-f", "/proc/self/mem"} }, "it cannot be read"},
	{"a schema with a maximum of a million digits", func(g *ground) []string {
		return append(g.chart("values.schema.json", `{"properties": {"a": {"maximum": `+strings.Repeat("1", 1_000_000)+`, "minimum": `+strings.Repeat("2", 1_000_000)+`}}}`), "--set", "a=5")
	}, "SCH"},
	{"random data", func(*ground) []string { return []string{"-f", "/dev/urandom"} }, "it is larger than 16 MiB"},
	{"a chart that is a pipe", func(g *ground) []string {
		name := filepath.Join(g.folder, "chart.tgz")
		require.NoError(g, syscall.Mkfifo(name, 0o600))
		return append(g.values("a: 1\n"), "--chart", name)
	}, "it is not a regular file"},
	{"an ignore file that is a folder", func(g *ground) []string {
		args := g.chart()
		require.NoError(g, os.Mkdir(filepath.Join(g.folder, "chart", ".helmignore"), 0o700))
		return args
	}, ".helmignore"},
}

// challenge returns a registry that refers to a realm for logins.
func challenge(realm string) func(g *ground) []string {
	return registry(":1.0.0", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`",service="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
}

func redirect(place string) func(g *ground) []string {
	return registry(":1.0.0", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", place)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
}

func typed(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(text))
	}
}

const (
	imageType = "application/vnd.oci.image.manifest.v1+json"
	indexType = "application/vnd.oci.image.index.v1+json"
	noChart   = "it is not a Helm chart"
)

// hostileReferences are registries that refer to other places, or to more than there is.
var hostileReferences = []input{
	{"redirects to the metadata of a cloud", redirect("http://169.254.169.254/latest/meta-data"), "which is a link-local address; nothing was sent there"},
	{"redirects to link-local by IPv6", redirect("http://[fe80::1]/x"), "which is a link-local address"},
	{"redirects to mapped link-local", redirect("http://[::ffff:169.254.169.254]/x"), "which is a link-local address"},
	{"redirects to the metadata by IPv6", redirect("http://[fd00:ec2::254]/x"), "which is a link-local address"},
	{"redirects to a file", redirect("file:///etc/passwd"), "which is not HTTPS"},
	{"redirects to gopher", redirect("gopher://127.0.0.1/x"), "which is not HTTPS"},
	{"redirects with escape characters", redirect("gopher://x/%1b[31m"), "which is not HTTPS"},
	{"redirects to a very long address", redirect("ftp://x/" + strings.Repeat("a", 100_000)), "..., which is not HTTPS"},
	{"redirects in a circle", registry(":1.0.0", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/v2/charts/x/manifests/"+r.URL.Path[len(r.URL.Path)-1:]+"x", http.StatusFound)
	}), "redirects more than 8 times"},
	{"tens of thousands of layers", registry(":1.0.0", typed(imageType, `{"schemaVersion":2,"layers":[`+
		strings.TrimSuffix(strings.Repeat(`{"mediaType":"x","size":1,"digest":"`+digest+`"},`, 40_000), ",")+`]}`)), noChart},
	{"an index of itself", registry(":1.0.0", typed(indexType, `{"schemaVersion":2,"manifests":[{"mediaType":"`+indexType+`","size":1,"digest":"`+digest+`"}]}`)), noChart},
	{"pages of tags without end", registry("", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<`+r.URL.Path+`?last=x>; rel="next"`)
		_, _ = w.Write([]byte(`{"tags": ["1.0.0"]}`))
	}), "name the version"},
	{"empty pages of tags without end", registry("", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<`+r.URL.Path+`?last=x>; rel="next"`)
		_, _ = w.Write([]byte(`{"tags": []}`))
	}), "name the version"},
	{"a next page that is a file", registry("", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", `<file:///etc/passwd>; rel="next"`)
		_, _ = w.Write([]byte(`{"tags": []}`))
	}), "charts/x"},
	{"a manifest with layers of null", registry(":1.0.0", typed(imageType, `{"layers":[null, null]}`)), noChart},
	{"a manifest of brackets", registry(":1.0.0", typed(imageType, strings.Repeat("[", 1<<20))), "charts/x"},
	{"a realm that is a file", challenge("file:///etc/passwd"), "which is not HTTPS"},
}
