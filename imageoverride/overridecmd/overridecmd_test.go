package overridecmd_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/imageoverride/overridecmd"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// outcome is the complete output of a command line.
type outcome struct {
	code     int
	out, err string
}

func run(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := overridecmd.Run(context.Background(), args, overridecmd.Streams{Out: &out, Err: &errs})
	return outcome{code: code, out: out.String(), err: errs.String()}
}

// compareFolder compares all files of a folder with a golden folder.
func compareFolder(t *testing.T, golden, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.MkdirAll(golden, 0o755))
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
		got, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		require.NoError(t, err)
		path := filepath.Join(golden, entry.Name())
		if *update {
			require.NoError(t, os.WriteFile(path, got, 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), path)
	}
	goldens, err := os.ReadDir(golden)
	require.NoError(t, err)
	require.Len(t, goldens, len(names), "files in %s: %v", golden, names)
}

func TestGenerateGolden(t *testing.T) {
	charts := "../testdata"
	cases := []struct {
		name string
		args []string
		code int
	}{
		{"trap", []string{"trap", "--registry", "reg.corp:5000/x"}, overridecmd.ExitLeftOut},
		{"trap-digests", []string{"trap", "--registry", "reg.corp:5000/x", "--lock"}, overridecmd.ExitLeftOut},
		{"styles-digests", []string{"styles", "--registry", "reg.corp", "--everything", "--lock"}, overridecmd.ExitOK},
		{"trap-everything", []string{"trap", "--registry", "reg.corp:5000/x", "--everything"}, overridecmd.ExitLeftOut},
		{"styles-everything", []string{"styles", "--registry", "reg.corp", "--everything"}, overridecmd.ExitOK},
		{"styles", []string{"styles", "--registry", "reg.corp"}, overridecmd.ExitOK},
		{"styles-keep-path", []string{"styles", "--registry", "reg.corp/mirror", "--strategy", "keep-path"}, overridecmd.ExitOK},
		{"styles-flat", []string{"styles", "--registry", "reg.corp/mirror", "--strategy", "flat"}, overridecmd.ExitOK},
		{"styles-map", []string{"styles", "--registry", "reg.corp", "--map", "quay.io=quay.corp/proxy"}, overridecmd.ExitOK},
		{"styles-scenarios", []string{"styles", "--registry", "reg.corp", "--scenario", "small=" + charts + "/styles/ci/small.yaml", "--scenario", "large=" + charts + "/styles/ci/large.yaml"}, overridecmd.ExitOK},
		{"styles-lists-differ", []string{"styles", "--registry", "reg.corp", "--scenario", "bare=" + charts + "/styles/ci/bare.yaml", "--scenario", "large=" + charts + "/styles/ci/large.yaml"}, overridecmd.ExitLeftOut},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			chart := filepath.Join(charts, test.args[0])
			given := test.args[1:]
			if given[len(given)-1] == "--lock" {
				given = append(slices.Clone(given), lockOf(t, chart, given[:len(given)-1]))
			}
			args := append([]string{"generate", chart, "-o", folder}, given...)
			got := run(t, args...)
			require.Equal(t, test.code, got.code, got.err)
			text := strings.ReplaceAll(got.out+got.err, folder, "OUT")
			require.NoError(t, os.WriteFile(filepath.Join(folder, "screen.txt"), []byte(text), 0o644))
			compareFolder(t, filepath.Join(charts, "golden", test.name), folder)

			require.NoError(t, os.Remove(filepath.Join(folder, "screen.txt")))
			before := read(t, folder)
			require.Equal(t, got, run(t, args...), "a second run prints another output")
			require.Equal(t, before, read(t, folder), "a second run writes other files")
			again := run(t, append(args, "-f", filepath.Join(folder, "values-images-no-tags.yaml"))...)
			require.Equal(t, test.code, again.code, again.err)
			require.Equal(t, before, read(t, folder), "a run with the generated values writes other files")

			verify := append([]string{"verify", chart, "-f", filepath.Join(folder, "values-images-with-tags.yaml")}, strategyOf(test.args[1:])...)
			require.Equal(t, test.code, run(t, verify...).code, "verify has another exit code")
		})
	}
}

// strategyOf omits --lock, which only generate accepts.
func strategyOf(args []string) []string {
	if args[len(args)-1] == "--lock" {
		return args[:len(args)-1]
	}
	return args
}

// lockOf writes a lock file for a chart's images; the digests are derived from the references.
func lockOf(t *testing.T, chart string, args []string) string {
	t.Helper()
	folder := t.TempDir()
	run(t, append([]string{"generate", chart, "-o", folder}, args...)...)
	rows := strings.Split(strings.TrimSpace(read(t, folder)[generate.MirrorFile]), "\n")[1:]
	var locked []mirror.Locked
	for _, row := range rows {
		source, target, _ := strings.Cut(row, ",")
		sum := sha256.Sum256([]byte(source))
		locked = append(locked, mirror.Locked{Source: source, Target: target, Digest: "sha256:" + hex.EncodeToString(sum[:])})
	}
	path := filepath.Join(folder, "image-lock.json")
	require.NoError(t, mirror.WriteLock(path, locked))
	return path
}

func read(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		require.NoError(t, err)
		all[entry.Name()] = string(data)
	}
	return all
}

func TestCommentsSurvive(t *testing.T) {
	folder := t.TempDir()
	args := []string{"generate", "../testdata/styles", "--registry", "reg.corp", "-o", folder}
	require.Equal(t, overridecmd.ExitOK, run(t, args...).code)
	path := filepath.Join(folder, "values-images-no-tags.yaml")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	commented := strings.Replace(string(data), "operator:\n", "# Ours since May.\noperator: # keep\n", 1)
	require.NotEqual(t, string(data), commented)
	require.NoError(t, os.WriteFile(path, []byte(commented), 0o644))
	require.Equal(t, overridecmd.ExitOK, run(t, args...).code)
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, commented, string(again))
}

func TestWrongInput(t *testing.T) {
	folder := t.TempDir()
	bad := filepath.Join(folder, "bad.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("- a\n"), 0o644))
	object := filepath.Join(folder, "object.json")
	require.NoError(t, os.WriteFile(object, []byte("{}"), 0o644))
	chart := "../testdata/styles"
	const misspelt = "Error: the chart's schema rejects the values\n--set strict.tga: fail: SCH101 There is no value strict.tga (did you mean tag?).\n  fix  rename the key to tag\n"
	cases := []struct {
		name string
		args []string
		code int
		err  string
	}{
		{"no chart", []string{"generate", "--registry", "r.io"}, 2, "Error: CHART is missing: a chart's directory, an archive, or oci://host/path[:version]; see image-override generate --help\n"},
		{"two charts", []string{"generate", chart, "b", "--registry", "r.io"}, 2, "Error: \"b\" is one argument too many; see image-override generate --help\n"},
		{"no image", []string{"why", chart}, 2, "Error: IMAGE is missing: a reference as `image-override list` shows it, or its name; see image-override why --help\n"},
		{"an empty image", []string{"why", chart, ""}, 2, "Error: IMAGE is missing: a reference as `image-override list` shows it, or its name; see image-override why --help\n"},
		{"a lock of another kind", []string{"generate", chart, "--registry", "r.io", "--lock", object}, 1, "Error: --lock " + object + " is not a lock file: it is not a list of images with digests; `image-override lock` writes one\n"},
		{"a negative rate", []string{"mirror", bad, "--rate", "-1"}, 2, "Error: --rate -1: write a number of at least 0\n"},
		{"no jobs", []string{"load", bad, "--registry", "r.io", "--jobs", "0"}, 2, "Error: --jobs 0: write a number of at least 1\n"},
		{"no format", []string{"export", bad}, 2, "Error: --format is missing; choose one of annotations, crane, hosts, regsync, skopeo\n"},
		{"no registry", []string{"generate", chart}, 2, "Error: --registry: no registry given; give host[:port][/path], for instance registry.corp:5000/gitops\n"},
		{"no host to map", []string{"generate", chart, "--registry", "r.io", "--map", "=q.io"}, 2, "Error: --map \"=q.io\": write host=registry[/path]\n"},
		{"a file instead of a folder", []string{"generate", chart, "--registry", "r.io", "-o", bad}, 1, "Error: output folder " + bad + " is a file; name another with -o\n"},
		{"scheme", []string{"generate", chart, "--registry", "https://r.io"}, 2, "Error: --registry: \"https://r.io\" has a scheme; leave \"https://\" out\n"},
		{"unknown flag", []string{"verify", chart, "--registri", "r.io"}, 2, "Error: unknown flag: --registri; did you mean --registry?; see image-override verify --help\n"},
		{"unknown strategy", []string{"generate", chart, "--registry", "r.io", "--strategy", "deep"}, 2, "Error: --strategy \"deep\" is unknown; choose one of host-prefix, keep-path, flat\n"},
		{"scenario without file", []string{"generate", chart, "--registry", "r.io", "--scenario", "a"}, 2, "Error: --scenario \"a\": write name=file.yaml[,file.yaml]\n"},
		{"absent chart", []string{"generate", "absent", "--registry", "r.io"}, 1, "Error: chart absent cannot be read: no such file\n"},
		{"values not a map", []string{"generate", chart, "--registry", "r.io", "-f", bad}, 2, "Error: values file " + bad + ": its top level is not a map of values\n"},
		{"no lock", []string{"generate", chart, "--registry", "r.io", "--lock", "absent"}, 1, "Error: --lock absent: no such file; `image-override lock` writes it\n"},
		{"no extra images", []string{"generate", chart, "--registry", "r.io", "--extra-images", "absent"}, 1, "Error: --extra-images absent: no such file\n"},
		{"invalid extra images", []string{"generate", chart, "--registry", "r.io", "--extra-images", bad}, 1, "Error: --extra-images " + bad + ":1: \"- a\" is not an image reference: invalid reference format; write one image per line\n"},
		{"no values", []string{"verify", chart, "--registry", "r.io", "-f", "absent.yaml"}, 2, "Error: values file absent.yaml: no such file\n"},
		{"no values of a scenario", []string{"list", chart, "--scenario", "a=absent.yaml"}, 2, "Error: scenario a: values file absent.yaml: no such file\n"},
		{"a flag without a value", []string{"list", chart, "--set", "a"}, 2, "Error: --set a=...: the argument cannot be parsed; write --set path.to.value=<value>\n"},
		{"kube version", []string{"generate", chart, "--registry", "r.io", "--kube-version", "new"}, 2, "Error: --kube-version \"new\" is not a version; write one such as 1.33\n"},
		{"misspelt value, which also makes a template fail", []string{"generate", "../testdata/trap", "--registry", "r.io", "--set", "strict.tga=v1", "--set", "guarded.flavour=x"}, 2, misspelt},
		{"misspelt value that no template misses", []string{"generate", "../testdata/trap", "--registry", "r.io", "--set", "strict.tga=v1"}, 2, misspelt},
		{"misspelt value with everything on", []string{"generate", "../testdata/trap", "--registry", "r.io", "--set", "strict.tga=v1", "--set", "guarded.flavour=x", "--everything"}, 2, misspelt},
		{"two sources, one target", []string{"generate", "../testdata/trap", "--registry", "r.io", "--strategy", "keep-path"}, 1, "Error: ghcr.io/list/first:v1 and quay.io/list/first:v1 would both become r.io/list/first:v1; choose --strategy host-prefix or set --map for one of the hosts\n"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(folder, "out")
			args := test.args
			if args[0] == "generate" && !slices.Contains(args, "-o") {
				args = append(args, "-o", out)
			}
			require.Equal(t, outcome{code: test.code, err: test.err}, run(t, args...))
			require.NoDirExists(t, out, "a partial output is left")
		})
	}
}
