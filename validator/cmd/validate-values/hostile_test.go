//go:build !race

// These tests feed inputs to a process of its own, which is built without the race detector.

package main_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// input is a malicious input. says is part of the expected output; every run also has to pass hostile.Decent.
type input struct {
	name string
	args func(g *ground) []string
	says string
}

const (
	tooMany   = "keys and values, aliases followed"
	tooDeep   = "nest more than 100 levels deep"
	tooLarge  = "have more than 64 MiB when unpacked"
	chartHead = "name: gitops-runtime\nversion: 1.0.0\n"
)

// values returns an input that consists of a values file.
func values(name, says string, text func() string) input {
	return input{name, func(g *ground) []string { return g.values(text()) }, says}
}

func fixed(text string) func() string { return func() string { return text } }

func many(text string, times int) func() string {
	return func() string { return strings.Repeat(text, times) }
}

// numbered returns a text repeated with increasing numbers.
func numbered(format string, times int) string {
	var text strings.Builder
	for i := range times {
		fmt.Fprintf(&text, format, i)
	}
	return text.String()
}

// laughs is an alias bomb: each anchor refers to the previous one ten times.
func laughs(levels int, open, each, end string) string {
	text := "a0: &a0 {x: y}\n"
	for i := range levels {
		text += fmt.Sprintf("a%d: &a%d ", i+1, i+1) + open + strings.TrimSuffix(strings.Repeat(fmt.Sprintf(each, i)+", ", 10), ", ") + end + "\n"
	}
	return text
}

func runtimeNamed(name string) string { return fmt.Sprintf("global: {runtime: {name: %s}}\n", name) }

var hostileValues = []input{
	values("deep brackets", tooDeep, func() string { return "a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) }),
	values("brackets beyond the parser's depth", "values.yaml: ", func() string { return "a: " + strings.Repeat("[", 150_000) }),
	values("deep braces", tooDeep, func() string { return strings.Repeat("{a: ", 5000) + "1" + strings.Repeat("}", 5000) }),
	values("deep dashes", tooDeep, func() string { return "a:\n" + strings.Repeat("- ", 5000) + "b\n" }),
	values("deep indentation", tooDeep, func() string {
		var text strings.Builder
		for i := range 1500 {
			text.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return text.String()
	}),
	values("aliases of aliases", tooMany, func() string { return laughs(9, "[", "*a%d", "]") }),
	values("merge keys of merge keys", tooMany, func() string { return laughs(9, "{<<: [", "*a%d", "]}") }),
	values("a long list used often", tooMany, func() string {
		return "a: &a [" + strings.Repeat("1,", 20_000) + "]\nb: [" + strings.Repeat("*a,", 20_000) + "]\n"
	}),
	values("an anchor within itself", "contains itself", fixed("a: &a [*a, *a, *a]\n")),
	values("anchors within each other", "unknown anchor", fixed("a: &a [*b]\nb: &b [*a]\n")),
	values("a long key above a list", "its keys are too long", func() string {
		return "? " + strings.Repeat("k", 1<<20) + "\n: [" + strings.Repeat("1,", 50_000) + "]\n"
	}),
	values("long keys above each other", "its keys are too long", func() string {
		text := ""
		for i := range 50 {
			text += strings.Repeat(" ", i) + strings.Repeat("k", 1000) + ":\n"
		}
		return text + strings.Repeat(" ", 50) + "[" + strings.Repeat("1,", 10_000) + "]\n" // 50 kB for each of them
	}),
	values("a million keys", tooMany, func() string { return numbered("k%d: 1\n", 1_000_000) }),
	values("as many keys as are read", "RUN101", func() string { return "global: {}\n" + numbered("k%d: 1\n", 90_000) }),
	values("millions of items", tooMany, func() string { return "a: [" + strings.Repeat("1,", 5_000_000) + "]" }),
	values("a file of more than 16 MiB", "it is larger than 16 MiB", many("# nothing\n", 1_700_000)),
	values("a value of 15 MiB", "RUN101", func() string { return "a: " + strings.Repeat("x", 15<<20) + "\n" }),
	values("comments of 15 MiB", tooMany, many("#\n", 15<<19)),
	values("a null byte", "it is not text", fixed("a: b\x00c\n")),
	values("bytes that are not UTF-8", "it is not text", fixed("a: \xff\xfe\xfd\n")),
	values("half of a UTF-16 text", "values.yaml: ", fixed("\xff\xfea\x00:\x00 \x00b")),
	values("escape characters in a name", `\x1b`, fixed(runtimeNamed(`"a\e]0;owned\a\e[31mred"`))),
	values("a workflow command in a name", "RUN102", fixed(runtimeNamed(`"a\n::stop-commands::x\n::error::y"`))),
	values("a right-to-left override in a name", `\u202e`, fixed(runtimeNamed(`"a\u202etxt.exe"`))),
	values("control characters in a key", "RUN101", fixed("global: {\"a\\e[2J\\nb\": 1, runtime: {}}\n")),
	values("a list for a name", "RUN101", fixed(runtimeNamed("[1, {a: b}]"))),
	values("null for every key", "RUN101", fixed("global:\ninstaller:\ntunnel-client:\napp-proxy:\nargo-cd:\n")),
	values("a list for every key", "RUN101", fixed("global: [1]\ninstaller: [2]\ntunnel-client: [3]\napp-proxy: [4]\nargo-cd: [5]\n")),
	values("a map for a key", "values.yaml: ", fixed("? {a: b}\n: c\n? [d]\n: e\n")),
	values("numbers that are not a number", "it contains a value that is not a number", fixed("a: .nan\nb: .inf\n")),
	values("very long numbers", "RUN101", func() string {
		return "a: 1e999999999\nb: 0x" + strings.Repeat("f", 100_000) + "\nc: -" + strings.Repeat("9", 100_000) + "\n"
	}),
	values("one key a hundred thousand times", "is defined twice", many("a: {b: c}\n", 20_000)),
	values("many documents", tooMany, many("---\na: b\n", 200_000)),
	values("YAML tags of other languages", "values.yaml: ", fixed("a: !!python/object/apply:os.system [id]\nb: !!binary '%%%'\n")),
	values("many hosts", "MOD302", func() string {
		return "global: {runtime: {name: local, ingress: {enabled: true, hosts: [" + strings.Repeat("A,", 2000) + "]}}}\n"
	}),
	values("a host that is slow to match", "MOD302", func() string {
		return "global: {runtime: {name: local, ingress: {enabled: true, hosts: [" + strings.Repeat("a-", 500_000) + "]}}}\n"
	}),
	values("a bundle of damaged certificates", "CRT102", func() string {
		return "global: {runtime: {name: local}, codefresh: {tls: {caCerts: {secret: {create: true, content: \"" +
			strings.Repeat(`-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, 2000) + "\"}}}}}\n"
	}),
	values("a bundle without certificates", "CRT101", func() string {
		return "global: {runtime: {name: local}, codefresh: {tls: {caCerts: {secret: {create: true, content: " + strings.Repeat("-----BEGIN ", 500_000) + "}}}}}\n"
	}),
	values("unknown codes", "which is not a code", func() string { return "installer: {skipChecks: [\"\\e[31m\\n::error::x\", 1, {a: b}]}\n" }),
	values("an access token in a URL", "ACC102", fixed("global: {runtime: {name: local}, codefresh: {accountId: a, url: 'https://me:canary@example.com', userToken: {token: canary-token}}}\n")),
	values("a password in the public URL", "MOD801", fixed("global: {runtime: {name: local, ingressUrl: 'https://me:canary@example.com/?t=canary'}}\ntunnel-client: {enabled: false}\n")),
}

var hostileFlags = []input{
	{"a device instead of a file", func(*ground) []string { return []string{"-f", "/dev/zero"} }, "it is larger than 16 MiB"},
	{"a folder instead of a file", func(g *ground) []string { return []string{"-f", g.folder} }, "it is a directory"},
	{"a link to itself", func(g *ground) []string {
		link := filepath.Join(g.folder, "loop.yaml")
		require.NoError(g, os.Symlink(link, link))
		return []string{"-f", link}
	}, "it cannot be opened"},
	{"a name with control characters", func(*ground) []string { return []string{"-f", "\x1b[31m\n::error::x.yaml"} }, "no such file"},
	{"an index of 99 million", func(*ground) []string { return []string{"--set", "a[99999999]=1"} }, "the argument cannot be parsed"},
	{"the largest index, nested", func(*ground) []string { return []string{"--set", strings.Repeat("a[65536].", 20) + "b=1"} }, ""},
	{"a path with thousands of keys", func(*ground) []string { return []string{"--set", strings.Repeat("a.", 30_000) + "b=1"} }, "the argument cannot be parsed"},
	{"deep JSON", func(*ground) []string { return []string{"--set-json", "a=" + strings.Repeat("[", 60_000)} }, "the argument cannot be parsed"},
	{"a long JSON key", func(*ground) []string {
		return []string{"--set-json", `a={"` + strings.Repeat("k", 60_000) + `":[` + strings.Repeat("1,", 30_000) + "1]}"}
	}, "its keys are too long"},
	{"a long JSON list", func(*ground) []string { return []string{"--set-json", "a=[" + strings.Repeat("1,", 60_000) + "1]"} }, "RUN101"},
	{"a device for --set-file", func(*ground) []string { return []string{"--set-file", "a=/dev/zero"} }, "it is larger than 16 MiB"},
	{"an endless values file", func(g *ground) []string { return []string{"-f", g.serve(endless("a: ", "x"))} }, "it is larger than 16 MiB"},
	{"a values file with a redirect loop", func(g *ground) []string {
		return []string{"-f", g.serve(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/"+r.URL.Path, http.StatusFound) })}
	}, "it cannot be fetched"},
	{"a password in the URL of a values file", func(g *ground) []string {
		address := strings.Replace(g.serve(http.NotFound), "http://", "http://me:canary@", 1)
		return []string{"-f", address + "/values.yaml?private_token=canary"}
	}, "/values.yaml?...: the server answers HTTP 404"},
	{"a report to a symbolic link", func(g *ground) []string {
		victim := g.write("victim", "keep")
		require.NoError(g, os.Symlink(victim, filepath.Join(g.folder, "out.json")))
		g.Cleanup(func() {
			text, err := os.ReadFile(victim)
			assert.NoError(g, err)
			assert.Equal(g, "keep", string(text))
		})
		return append(g.values("a: 1\n"), "-o", "json="+filepath.Join(g.folder, "out.json"))
	}, "it is a symbolic link"},
}

// nested returns an archive of nested archives, each with ten copies of the next level.
func nested(g *ground, levels int) []byte {
	inner := g.archive(entry{name: "c0/Chart.yaml", data: []byte("name: c0\n")}, entry{name: "c0/values.yaml", data: []byte("a: " + strings.Repeat("x", 1<<20))})
	for level := 1; level <= levels; level++ {
		meta, files := "dependencies:\n", []entry{}
		for i := range 10 {
			name := fmt.Sprintf("c%d-%d", level-1, i)
			meta += "- {name: " + name + "}\n"
			files = append(files, entry{name: fmt.Sprintf("c%d/charts/%s-1.0.0.tgz", level, name), data: inner})
		}
		files = append(files, entry{name: fmt.Sprintf("c%d/Chart.yaml", level), data: []byte(fmt.Sprintf("name: c%d\nversion: 1.0.0\n", level) + meta)})
		inner = g.archive(files...)
	}
	return inner
}

func depends(repository string) string {
	return chartHead + "dependencies: [{name: below, version: 1.0.0, repository: \"" + repository + "\"}]\n"
}

// doubling returns a schema in which each level refers to the next one twice.
func doubling(levels int) string {
	definitions := map[string]any{"d0": map[string]any{"type": "object"}}
	for i := range levels {
		below := map[string]any{"$ref": fmt.Sprintf("#/definitions/d%d", i)}
		definitions[fmt.Sprintf("d%d", i+1)] = map[string]any{"allOf": []any{below, below}}
	}
	text, _ := json.Marshal(map[string]any{"definitions": definitions, "$ref": fmt.Sprintf("#/definitions/d%d", levels)})
	return string(text)
}

var hostileCharts = []input{
	{"archives within archives", func(g *ground) []string { return g.packed(nested(g, 5)) }, tooLarge},
	{"an archive that unpacks to a gigabyte", func(g *ground) []string {
		name := filepath.Join(g.folder, "chart.tgz")
		file, err := os.Create(name)
		require.NoError(g, err)
		zipped := gzip.NewWriter(file)
		packed := tar.NewWriter(zipped)
		block := make([]byte, 4<<20)
		for i := range 256 {
			require.NoError(g, packed.WriteHeader(&tar.Header{Name: fmt.Sprintf("c/templates/%d.yaml", i), Size: int64(len(block)), Typeflag: tar.TypeReg}))
			_, err = packed.Write(block)
			require.NoError(g, err)
		}
		require.NoError(g, zipped.Close())
		require.NoError(g, file.Close())
		return append(g.values("a: 1\n"), "--chart", name)
	}, tooLarge},
	{"an archive that claims a file of a terabyte", func(g *ground) []string {
		name := filepath.Join(g.folder, "chart.tgz")
		file, err := os.Create(name)
		require.NoError(g, err)
		zipped := gzip.NewWriter(file)
		require.NoError(g, tar.NewWriter(zipped).WriteHeader(&tar.Header{Name: "c/values.yaml", Size: 1 << 40, Typeflag: tar.TypeReg}))
		require.NoError(g, zipped.Close())
		require.NoError(g, file.Close())
		return append(g.values("a: 1\n"), "--chart", name)
	}, "unexpected EOF"},
	{"a truncated archive", func(g *ground) []string {
		whole := g.archive(entry{name: "c/Chart.yaml", data: []byte(chartHead)}, entry{name: "c/values.yaml", data: []byte(numbered("k%d: 1\n", 9999))})
		return g.packed(whole[:len(whole)/2])
	}, "unexpected EOF"},
	{"an archive with paths outside the chart", func(g *ground) []string {
		return g.packed(g.archive(entry{name: "c/../../../etc/Chart.yaml", data: []byte("name: evil\n")}, entry{name: "/etc/values.yaml", data: []byte("a: b\n")}))
	}, "which is outside the chart directory"},
	{"an archive of links", func(g *ground) []string {
		return g.packed(g.archive(entry{name: "c/Chart.yaml", kind: tar.TypeSymlink, link: "/etc/passwd"}, entry{name: "c/values.yaml", kind: tar.TypeLink, link: "/etc/passwd"}))
	}, "Chart.yaml file is missing"},
	{"a file that is not an archive", func(g *ground) []string { return g.packed([]byte("PK\x03\x04")) }, "not a packaged chart"},
	{"an empty archive", func(g *ground) []string { return g.packed(nil) }, "not a packaged chart"},
	{"a chart that depends on itself", func(g *ground) []string { return g.chart("Chart.yaml", depends("file://.")) }, "depends on itself"},
	{"charts that depend on each other", func(g *ground) []string {
		return g.chart("Chart.yaml", depends("file://below"), "below/Chart.yaml", "name: below\nversion: 1.0.0\ndependencies: [{name: up, repository: \"file://..\"}]\n")
	}, "depends on itself"},
	{"a chart that contains a link to itself", func(g *ground) []string {
		args := g.chart("Chart.yaml", depends("file://again"))
		require.NoError(g, os.Symlink(".", filepath.Join(g.folder, "chart", "again")))
		return args
	}, "is a link to a parent directory"},
	{"a long chain of charts", func(g *ground) []string {
		files := []string{"Chart.yaml", depends("file://c0")}
		for i := range 60 {
			files = append(files, fmt.Sprintf("c%d/Chart.yaml", i), strings.Replace(depends(fmt.Sprintf("file://../c%d", i+1)), "gitops-runtime", "below", 1))
		}
		return g.chart(files...)
	}, "more than 8 levels deep"},
	{"ten dependencies each on several levels", func(g *ground) []string {
		files := []string{}
		for level := range 6 {
			for each := range 10 {
				meta := fmt.Sprintf("name: c%d-%d\nversion: 1.0.0\ndependencies:\n", level, each)
				for below := range 10 {
					meta += fmt.Sprintf("- {name: c%d-%d, repository: \"file://../c%d-%d\"}\n", level+1, below, level+1, below)
				}
				files = append(files, fmt.Sprintf("c%d-%d/Chart.yaml", level, each), meta)
			}
		}
		for each := range 10 {
			name := fmt.Sprintf("c6-%d", each)
			files = append(files, name+"/Chart.yaml", "name: "+name+"\nversion: 1.0.0\n", name+"/values.yaml", numbered("k%d: 1\n", 100))
		}
		return g.chart(append([]string{"Chart.yaml", depends("file://c0-0")}, files...)...)
	}, tooMany},
	{"thousands of dependencies", func(g *ground) []string {
		return g.chart("Chart.yaml", chartHead+"dependencies:\n"+numbered("- {name: below, alias: below-%d, repository: \"file://below\"}\n", 20_000),
			"below/Chart.yaml", "name: below\nversion: 1.0.0\n", "below/values.yaml", numbered("k%d: 1\n", 1000))
	}, tooMany},
	{"a hundred aliases for each dependency on several levels", func(g *ground) []string {
		files := []string{"Chart.yaml", chartHead + "dependencies: [{name: c0, repository: \"file://c0\"}]\n"}
		for level := range 4 {
			below := fmt.Sprintf("- {name: c%d, alias: \"a%%d\", repository: \"file://../c%d\"}\n", level+1, level+1)
			files = append(files, fmt.Sprintf("c%d/Chart.yaml", level), fmt.Sprintf("name: c%d\nversion: 1.0.0\ndependencies:\n", level)+numbered(below, 100))
		}
		return g.chart(append(files, "c4/Chart.yaml", "name: c4\nversion: 1.0.0\n")...)
	}, tooMany},
	{"a dependency whose name is a path", func(g *ground) []string {
		return g.chart("Chart.yaml", chartHead+"dependencies: [{name: \"../../../../etc\"}]\n")
	}, "needs its dependency ../../../../etc"},
	{"aliases of aliases in Chart.yaml", func(g *ground) []string { return g.chart("Chart.yaml", laughs(9, "[", "*a%d", "]")) }, tooMany},
	{"aliases of aliases in a chart's values", func(g *ground) []string { return g.chart("values.yaml", laughs(9, "[", "*a%d", "]")) }, tooMany},
	{"a chart with millions of values", func(g *ground) []string { return g.chart("values.yaml", "a: ["+strings.Repeat("1,", 2_000_000)+"]\n") }, tooMany},
	{"a chart with a large values file", func(g *ground) []string { return g.chart("values.yaml", numbered("k%d: 1\n", 2_000_000)) }, "more than 5 MiB"},
	{"a chart with deeply nested values", func(g *ground) []string {
		return g.chart("values.yaml", "a: "+strings.Repeat("[", 5000)+strings.Repeat("]", 5000))
	}, tooDeep},
	{"a chart whose values are a pipe", func(g *ground) []string {
		args := g.chart()
		require.NoError(g, syscall.Mkfifo(filepath.Join(g.folder, "chart", "values.yaml"), 0o600))
		return args
	}, "is not a regular file"},
	{"a chart whose values are a device", func(g *ground) []string {
		args := g.chart()
		require.NoError(g, os.Symlink("/dev/zero", filepath.Join(g.folder, "chart", "values.yaml")))
		return append(args, "--follow-links")
	}, "is not a regular file"},
	{"a chart name with control characters", func(g *ground) []string {
		return g.chart("Chart.yaml", "name: \"a\\e[31m\\n::error::x\"\nversion: 1.0.0\n")
	}, "SCH100"},
	{"a chart version with control characters", func(g *ground) []string {
		return g.chart("Chart.yaml", "name: a\nversion: \"\\e[2J\"\n")
	}, "is invalid"},
	{"a deeply nested schema", func(g *ground) []string {
		return g.chart("values.schema.json", strings.Repeat(`{"not":`, 4000)+"true"+strings.Repeat("}", 4000))
	}, tooDeep},
	{"a schema with exponential references", func(g *ground) []string { return g.chart("values.schema.json", doubling(60)) }, "SCH100"},
	{"a schema that refers to itself", func(g *ground) []string { return g.chart("values.schema.json", `{"$ref": "#"}`) }, "SCH100"},
	{"a schema with remote references", func(g *ground) []string {
		address := g.serve(func(http.ResponseWriter, *http.Request) { g.Error("the schema was fetched") })
		return g.chart("values.schema.json", fmt.Sprintf(`{"$schema": %q, "$id": %q, "$ref": %q, "properties": {"a": {"$ref": %q}}}`, address+"/s", address+"/i", address+"/x.json", address+"/y.json#/z"))
	}, "SCH100"},
	{"a schema with a reference to a local file", func(g *ground) []string { return g.chart("values.schema.json", `{"$ref": "file:///etc/passwd"}`) }, "only references within the file are followed"},
	{"a schema with a large pattern", func(g *ground) []string {
		return g.chart("values.schema.json", `{"properties": {"global": {"patternProperties": {"`+strings.Repeat("(a{1000}|b{1000})", 50)+`": {"not": {}}}}}}`)
	}, "SCH100"},
	{"a schema with a backtracking pattern", func(g *ground) []string {
		g.Helper()
		args := g.chart("values.schema.json", `{"properties": {"a": {"pattern": "^(a+)+$"}}}`)
		return append(args, "--set", "a="+strings.Repeat("a", 50_000)+"!")
	}, "SCH103"},
	{"a schema with a large enum", func(g *ground) []string {
		return g.chart("values.schema.json", `{"properties": {"global": {"enum": [`+strings.TrimSuffix(numbered("%d,", 100_000), ",")+`]}}}`)
	}, "SCH103"},
	{"a schema that is not JSON", func(g *ground) []string { return g.chart("values.schema.json", "{\"type\": \x1b[31m") }, "SCH100"},
}
