package validatecmd_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"gitops-runtime/internal/testkit"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/local"
	"gitops-runtime/validator/validatecmd"
)

var update = flag.Bool("update", false, "write what the cases print into their files")

// casesFolder contains the cases, in one folder for each group of checks or part of the program.
const casesFolder = "testdata/cases"

// caseNames returns the names of the cases, such as "git/github-401". Any other file is an error because it would not be run.
func caseNames(t *testing.T) []string {
	t.Helper()
	var names []string
	require.NoError(t, fs.WalkDir(os.DirFS(casesFolder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		require.Equal(t, ".txtar", path.Ext(name), "%s is not a case", name)
		require.Equal(t, 1, strings.Count(name, "/"), "%s is not in the folder of a check", name)
		names = append(names, strings.TrimSuffix(name, ".txtar"))
		return nil
	}))
	require.NotEmpty(t, names)
	return names
}

// Every case is a run: its values, its environment, and its output.
func TestCases(t *testing.T) {
	printed, readers := map[string]string{}, newReaders(t)
	for _, name := range caseNames(t) {
		one := readCase(t, name)
		t.Run(name, func(t *testing.T) {
			got := one.run(t, readers)
			printed[name] = got
			if folder := path.Dir(name); folder != "report" && folder != "skip" {
				got = findingsOnly(got)
			}
			if *update {
				one.set("want", got)
				one.write(t)
				return
			}
			assert.Equal(t, one.get("want"), got)
		})
	}
	if t.Failed() {
		return
	}
	assert.GreaterOrEqual(t, readers.runs, 120, "too few reports were read")
	t.Run("every code is found", func(t *testing.T) { everyCodeIsFound(t, printed) })
	t.Run("every provider in every situation", func(t *testing.T) { everyProviderInEverySituation(t, printed) })
	t.Run("twelve faults", func(t *testing.T) { twelveFaults(t, printed) })
}

var (
	// unremarkable matches the lines of checks that found nothing, and headings of groups that have no other lines.
	unremarkable = regexp.MustCompile(`(?m)^  (ok|skip) +[A-Z]{3}[0-9]{3}.*\n`)
	heading      = regexp.MustCompile(`(?m)^\n[a-z ]+\n(\n)`)
	counts       = regexp.MustCompile(`(?m)^[0-9]+ checks: [0-9]+ passed(.*?)(, [0-9]+ skipped)?$`)
)

// findingsOnly returns a text report without the checks that found nothing, so that a new check changes only the cases that are about it; whole reports
// are in the folders report and skip.
func findingsOnly(text string) string {
	text = unremarkable.ReplaceAllString(text, "")
	for before := ""; before != text; {
		before, text = text, heading.ReplaceAllString(text, "$1")
	}
	return counts.ReplaceAllString(text, "N checks: N passed$1")
}

// code is the code of a check or of a finding.
var code = regexp.MustCompile(`\b[A-Z]{3}[1-9][0-9]{2}\b`)

func everyCodeIsFound(t *testing.T, printed map[string]string) {
	t.Helper()
	seen := map[string]bool{}
	for _, text := range printed {
		for _, one := range code.FindAllString(text, -1) {
			seen[one] = true
		}
	}
	for _, row := range findings.Table() {
		assert.True(t, seen[row.Code], "no case finds %s", row.Code)
	}
}

// runCase is a case: the sections args, world and want, and files by their names.
type runCase struct {
	file    string
	archive *txtar.Archive
}

func readCase(t *testing.T, name string) *runCase {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(casesFolder, filepath.FromSlash(name)+".txtar"))
	require.NoError(t, err)
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	return &runCase{file, archive}
}

// names are those of the sections and files.
func (c *runCase) names() []string {
	var names []string
	for _, file := range c.archive.Files {
		names = append(names, file.Name)
	}
	return names
}

func (c *runCase) get(name string) string {
	for _, file := range c.archive.Files {
		if file.Name == name {
			return string(file.Data)
		}
	}
	return ""
}

func (c *runCase) set(name, text string) {
	for i, file := range c.archive.Files {
		if file.Name == name {
			c.archive.Files[i].Data = []byte(text)
			return
		}
	}
	c.archive.Files = append(c.archive.Files, txtar.File{Name: name, Data: []byte(text)})
}

func (c *runCase) write(t *testing.T) {
	t.Helper()
	require.NoError(t, os.WriteFile(c.file, txtar.Format(c.archive), 0o600))
}

// run runs the case in its own folder and returns exit code, output and errors as one text, in which addresses of this run are replaced by fixed
// names.
func (c *runCase) run(t *testing.T, readers *readers) string {
	t.Helper()
	t.Chdir(t.TempDir())
	world := startWorld(t, c.get("world"))
	for _, name := range c.names() {
		if name == "args" || name == "world" || name == "want" {
			continue
		}
		testkit.WriteFile(t, name, world.replace(c.consenting(name, world)))
	}
	var args []string
	for _, line := range strings.Split(strings.TrimSpace(c.get("args")), "\n") {
		if line != "" {
			args = append(args, world.replace(line))
		}
	}
	if c.needsConsent(world) && (len(args) == 0 || args[0] != "hook") {
		args = append(args, "--set", "global.codefresh.allowInsecureHTTP=true")
	}
	var out, errors bytes.Buffer
	code := validatecmd.Main(context.Background(), readers.further(t, args), validatecmd.System{
		In: strings.NewReader(c.get("stdin")), Out: &out, Err: &errors,
		Version: "0.1.0", Now: func() time.Time { return today }, Getenv: world.getenv, Connect: world.connect, Registries: &local.Registries{},
	})
	readers.read(t, code)
	text := fmt.Sprintf("exit %d\n%s%s", code, out.String(), errors.String())
	if left, err := os.ReadFile("termination-log"); err == nil {
		text += "termination message:\n" + string(left) + "\n"
	}
	for _, event := range world.events {
		text += "event: " + event + "\n"
	}
	for _, change := range slices.Sorted(slices.Values(world.changes)) {
		text += "change: " + change + "\n"
	}
	text = world.mask(text)
	for _, secret := range canaries {
		assert.NotContains(t, text, secret)
	}
	return text
}

// needsConsent reports whether a case contacts the environment's platform, which uses plain HTTP.
func (c *runCase) needsConsent(world *world) bool {
	asks := func(name string) bool {
		return name != "world" && name != "want" && strings.Contains(c.get(name), "{platform}")
	}
	return !world.spec.NoConsent && slices.ContainsFunc(c.names(), asks)
}

// consenting returns a file of a case, for the hook with the value that allows plain HTTP, because it has no flag for it. The hook prints no line
// numbers, so the additional line has no effect.
func (c *runCase) consenting(name string, world *world) string {
	text := c.get(name)
	if !c.needsConsent(world) || !strings.HasPrefix(c.get("args"), "hook") {
		return text
	}
	text = regexp.MustCompile(`(?m)^( +)url: "\{platform\}"$`).ReplaceAllString(text, "$0\n${1}allowInsecureHTTP: true")
	return strings.ReplaceAll(text, `url: "{platform}",`, `url: "{platform}", allowInsecureHTTP: true,`)
}

// today is the current date in the cases.
var today = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// canaries are the secrets in the cases, which must not be printed.
var canaries = []string{"user-token-admin", "user-token-member", "user-token-acc2", "user-token-unknown", "runtime-token-canary", "git-token-canary", "c2VjcmV0"}
