package commands_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	images "gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/valueschema"
	"gitops-runtime/tests/commands"
	"gitops-runtime/tests/manifests"
	"gitops-runtime/tests/render"
	"gitops-runtime/validator/backupcmd"
	"gitops-runtime/validator/doctorcmd"
	"gitops-runtime/validator/local"
	"gitops-runtime/validator/migrate"
	"gitops-runtime/validator/previewcmd"
	values "gitops-runtime/validator/validatecmd"
)

// umbrella is the chart that pages describe if they name none.
const umbrella = "gitops-runtime"

// checkout is the repository, with the programs that parse commands.
type checkout struct {
	root    string
	charts  map[string]string // the version of each
	tools   map[string]string // helm and kubectl
	objects *manifests.Validator
}

func newCheckout(t *testing.T) checkout {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	objects, err := manifests.NewValidator(t.Context(), root)
	require.NoError(t, err)
	c := checkout{root: root, charts: map[string]string{}, tools: map[string]string{}, objects: objects}
	files, err := filepath.Glob(filepath.Join(root, "charts", "*", "Chart.yaml"))
	require.NoError(t, err)
	for _, file := range files {
		var chart struct{ Name, Version string }
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(text, &chart))
		c.charts[chart.Name] = chart.Version
	}
	for _, name := range []string{"helm", "kubectl"} {
		made := exec.CommandContext(t.Context(), "make", "--no-print-directory", "bin/"+name)
		made.Dir = root
		out, err := made.CombinedOutput()
		require.NoError(t, err, string(out))
		c.tools[name] = filepath.Join(root, "bin", name)
	}
	return c
}

// TestPages checks that every command that a page shows is understood by the program it names, and all YAML by the chart or kind it is for.
func TestPages(t *testing.T) {
	// Helm looks for a post-renderer when it parses the flag.
	programs := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(programs, "image-override"), []byte("#!/bin/sh\n"), 0o700))
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	c := newCheckout(t)
	seen := 0
	for _, page := range pages(t, c.root) {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(c.root, page))
			require.NoError(t, err)
			for _, block := range commands.Blocks(string(text)) {
				seen++
				assert.Empty(t, c.block(t, page, block), "%s:%d", page, block.Line)
			}
		})
	}
	assert.Greater(t, seen, 60, "pages show fewer commands than before")
}

// Each error that a page can have is reported.
func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	for text, want := range map[string]string{
		"make gone":                                            "the Makefile has no target gone",
		"make test NOTHING=1":                                  "the Makefile does not read the variable NOTHING",
		"helm upgrad a b":                                      `unknown command "upgrad"`,
		"helm upgrade a b --installl":                          "unknown flag: --installl",
		"helm pull oci://x/gitops-runtime":                     "specifies no version",
		"kubectl logs a --namespacee b":                        "unknown flag: --namespacee",
		"kubectl lgos a":                                       `unknown command "lgos"`,
		"validate-values --nothing":                            "unknown flag: --nothing",
		"validate-values explain ZZZ999":                       "ZZZ999",
		"image-override generate --nothing x":                  "unknown flag: --nothing",
		"image-override nothing":                               `unknown command "nothing"`,
		"nothing at all":                                       "no test supports the program nothing",
		"helm install a charts/argo-cd --set server.nothing=1": "nothing",
		"helm install a charts/gitops-runtime -f gone.yaml --set global.runtime.name=b --set global.codefresh.accountId=c --set nothing=1": "nothing",
	} {
		var messages []string
		for _, problem := range c.block(t, "docs/page.md", commands.Block{Language: "sh", Text: text}) {
			messages = append(messages, problem.Error())
		}
		assert.Contains(t, strings.Join(messages, "\n"), want, text)
	}
	for text, want := range map[string]string{
		"global: {runtime: {nme: x}}":                                     "nme",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndatta: {}": "datta",
		"apiVersion: apps/v1\nkind: Nothing\nmetadata: {name: a}":         "Nothing",
		"a: b: c": "not valid YAML",
	} {
		problems := c.block(t, "docs/page.md", commands.Block{Language: "yaml", Text: text})
		if assert.NotEmpty(t, problems, text) {
			assert.Contains(t, fmt.Sprint(problems), want, text)
		}
	}
	assert.NotEmpty(t, c.block(t, "docs/page.md", commands.Block{Language: "pascal"}))
}

// pages returns the pages for readers: all Markdown except generated files and third-party copies.
func pages(t *testing.T, root string) []string {
	t.Helper()
	var found []string
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (path == "bin" || path == "out" || path != "." && strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			found = append(found, path)
		}
		return nil
	}))
	return found
}

// fragments describes the YAML of pages that is neither values nor an object, by page.
var fragments = map[string]string{
	"charts/common/README.md": "facts of a component, which are templates",
	"schema/README.md":        "lines of a values.yaml, with schema notes",
}

// block returns what is wrong with a block.
func (c checkout) block(t *testing.T, page string, block commands.Block) []error {
	t.Helper()
	switch block.Language {
	case "console", "bash", "sh", "shell":
		found, err := block.Commands()
		if err != nil {
			return []error{err}
		}
		var problems []error
		for _, command := range found {
			if err := c.command(t, command); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", command, err))
			}
		}
		return problems
	case "yaml":
		if fragments[page] != "" {
			return nil
		}
		return c.yaml(t, page, block.Text)
	case "", "mermaid", "text", "json", "hcl", "diff":
		return nil
	}
	return []error{fmt.Errorf("no test supports the language %q", block.Language)}
}

// unread are third-party programs whose commands no test can check here.
var unread = []string{"grep", "xargs", "id", "cd", "git", "docker", "cosign", "pre-commit", "echo", "cat", "export", "sed", "curl", "jq", "brew", "terraform", "tofu", "flux", "helmfile", "argocd", "oras", "gh", "sha256sum", "true"}

func (c checkout) command(t *testing.T, command commands.Command) error {
	t.Helper()
	program, args := command.Words[0], command.Words[1:]
	switch {
	case program == "make":
		return c.make(args)
	case program == "helm":
		return errors.Join(c.parses(t.Context(), "helm", args), c.helm(t, command))
	case program == "kubectl":
		return c.parses(t.Context(), "kubectl", args)
	case program == "go":
		return c.packages(args)
	case program == "image-override":
		return understood(args, func(args []string, out io.Writer) int {
			var help strings.Builder
			code := images.Main(args, images.Streams{Out: io.MultiWriter(out, &help), Err: out})
			if code == 0 && !strings.Contains(help.String(), "image-override "+args[0]) {
				fmt.Fprintf(out, "unknown command %q", args[0])
				return 1
			}
			return code
		})
	case program == "validate-values":
		return understood(args, validate)
	case strings.HasPrefix(program, "hack/tools/"), strings.HasPrefix(program, ".ci/"):
		_, err := os.Stat(filepath.Join(c.root, program))
		return err
	case slices.Contains(unread, program):
		return nil
	}
	return fmt.Errorf("no test supports the program %s", program)
}

func validate(args []string, out io.Writer) int {
	system := values.System{In: strings.NewReader(""), Out: out, Err: out, Version: "test", Now: time.Now, Getenv: func(string) string { return "" }}
	system.Connect, system.Registries, system.BuiltIn = local.Connect, &local.Registries{}, local.BuiltIn
	system.Migrate, system.Preview, system.Schema = migrate.Command, previewcmd.Command, valueschema.Bundle
	system.Further = []func(values.System, *int) *cobra.Command{doctorcmd.Command, backupcmd.Backup, backupcmd.Restore}
	return values.Main(context.Background(), args, system)
}

// understood makes a program parse its arguments and print its help. Commands that explain a code run unchanged.
func understood(args []string, run func(args []string, out io.Writer) int) error {
	if len(args) == 0 || args[0] != "explain" {
		args = append(slices.Clone(args), "--help")
	}
	var out bytes.Buffer
	if code := run(args, &out); code != 0 {
		return fmt.Errorf("exit code %d: %s", code, out.String())
	}
	return nil
}

// parses makes Helm or kubectl parse all flags; with --help as the last flag, neither runs the command.
func (c checkout) parses(ctx context.Context, tool string, args []string) error {
	out, err := exec.CommandContext(ctx, c.tools[tool], append(slices.Clone(args), "--help")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

var (
	assigned = regexp.MustCompile(`^([A-Za-z0-9_]+)=`)
	chartful = regexp.MustCompile(`^(?:oci://.*/|charts/|\./)?([a-z-]+?)(?:-[0-9][0-9.]*\.tgz)?$`)
)

func (c checkout) make(args []string) error {
	var text []byte
	for _, name := range []string{"Makefile", "tests/tests.mk", "tests/e2e/e2e.mk", "hack/release/release.mk", "hack/tools/tools.mk"} {
		part, err := os.ReadFile(filepath.Join(c.root, name))
		if err != nil {
			return err
		}
		text = append(text, part...)
	}
	for _, arg := range args {
		if variable := assigned.FindStringSubmatch(arg); variable != nil {
			if !regexp.MustCompile(`\$[({]` + variable[1] + `[)}]|\$\(or \$\(` + variable[1] + `\)|\b` + variable[1] + `\b *\??=`).Match(text) {
				return fmt.Errorf("the Makefile does not read the variable %s", variable[1])
			}
		} else if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(arg) + `:`).Match(text) {
			return fmt.Errorf("the Makefile has no target %s", arg)
		}
	}
	return nil
}

// packages resolves the folders that a go command names.
func (c checkout) packages(args []string) error {
	for _, arg := range args {
		if path, ok := strings.CutPrefix(arg, "./"); ok && !strings.HasPrefix(path, "...") {
			if _, err := os.Stat(filepath.Join(c.root, strings.TrimSuffix(path, "/..."))); err != nil {
				return err
			}
		}
	}
	return nil
}

// written are the values that readers of a chart have written, as files of its folder ci.
var written = map[string][]string{umbrella: {"tunnel"}, "managed-cluster": {"runtime"}}

// second is the chart that a page has values of besides those of the umbrella.
var second = map[string]string{"docs/managed-clusters.md": "managed-cluster"}

// helm renders the chart of a command with its values, and requires a version for each chart in a registry.
func (c checkout) helm(t *testing.T, command commands.Command) error {
	t.Helper()
	chart, remote := "", false
	for _, word := range command.Words[1:] {
		found := chartful.FindStringSubmatch(word)
		if found == nil || c.charts[found[1]] == "" || chart != "" && !strings.Contains(word, "/") {
			continue
		}
		chart, remote = found[1], strings.HasPrefix(word, "oci://")
	}
	if chart == "" {
		return nil
	}
	if remote {
		if named := command.Flag("--version"); len(named) == 0 {
			return errors.New("the chart is in a registry, and the command specifies no version: Helm installs the newest")
		} else if named[0] != c.charts[chart] {
			return fmt.Errorf("the version is %s, but %s in Chart.yaml", named[0], c.charts[chart])
		}
	}
	if verb := command.Words[1]; verb != "install" && verb != "upgrade" && verb != "template" {
		return nil
	}
	release := render.Release{Chart: chart, Set: map[string]string{}, SetJSON: map[string]string{}}
	for _, name := range command.Flag("-f", "--values") {
		if at, known := strings.CutPrefix(name, umbrella+"/"); known {
			release.Values = append(release.Values, filepath.Join(c.root, "charts", umbrella, at))
		} else if _, err := os.Stat(filepath.Join(c.root, name)); err == nil {
			release.Values = append(release.Values, filepath.Join(c.root, name))
		} else {
			release.Files = written[chart]
		}
	}
	pairs(release.Set, command.Flag("--set", "--set-string"))
	pairs(release.SetJSON, command.Flag("--set-json"))
	_, err := release.Text(t)
	return err
}

func pairs(into map[string]string, all []string) {
	for _, pair := range all {
		path, value, _ := strings.Cut(pair, "=")
		into[path] = value
	}
}

// elsewhere are API groups of programs that this repository neither installs nor has the schemas of.
var elsewhere = regexp.MustCompile(`^([a-z0-9-]+\.)*(toolkit\.fluxcd\.io|external-secrets\.io|sigstore\.dev|kyverno\.io)/`)

// yaml validates objects against their schemas, and everything else against the values of the page's chart.
func (c checkout) yaml(t *testing.T, page, text string) []error {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		return []error{fmt.Errorf("not valid YAML: %w", err)}
	}
	if version, ok := object["apiVersion"].(string); ok && object["kind"] != nil {
		if elsewhere.MatchString(version) {
			return nil
		}
		var problems []error
		for _, problem := range c.objects.Validate(text) {
			problems = append(problems, errors.New(problem.String()))
		}
		return problems
	}
	release := render.Release{Chart: umbrella, Files: []string{"tunnel"}}
	if parts := strings.Split(page, "/"); len(parts) > 2 && parts[0] == "charts" && parts[1] != umbrella {
		release = render.Release{Chart: parts[1]}
	}
	file := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return []error{err}
	}
	release.Values = []string{file}
	_, err := release.Text(t)
	if chart := second[page]; err != nil && chart != "" {
		_, err = render.Release{Chart: chart, Files: written[chart], Values: release.Values}.Text(t)
	}
	if err != nil {
		return []error{err}
	}
	return nil
}
