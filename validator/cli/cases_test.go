package cli_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gitops-runtime/validator/cli"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/local"
)

var update = flag.Bool("update", false, "write what the cases print into their files")

// Every file under testdata/cases is a run: its values, the world it runs in,
// and what it prints. Sections begin with "-- name --": args, world, want, and
// any other name is a file.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/cases/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	seen, readers := map[string]bool{}, newReaders(t)
	for _, name := range names {
		absolute, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			one := readCase(t, absolute)
			got := one.run(t, readers)
			for _, code := range regexp.MustCompile(`\b[A-Z]{3}[1-9][0-9]{2}\b`).FindAllString(got, -1) {
				seen[code] = true
			}
			if *update {
				one.set("want", got)
				one.write(t, absolute)
				return
			}
			if want := one.get("want"); got != want {
				t.Errorf("%s\n--- got\n%s--- want\n%s", name, got, want)
			}
		})
	}
	if readers.runs < 120 && !t.Failed() {
		t.Errorf("the reports of %d runs were read", readers.runs)
	}
	for _, row := range findings.Table() {
		if !seen[row.Code] && !t.Failed() {
			t.Errorf("no case finds %s", row.Code)
		}
	}
}

// runCase is a case file in memory.
type runCase struct {
	comment string
	names   []string
	texts   map[string]string
}

func readCase(t *testing.T, name string) *runCase {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	one := &runCase{texts: map[string]string{}}
	header := regexp.MustCompile(`(?m)^-- (.+) --\n`)
	spots := header.FindAllSubmatchIndex(data, -1)
	for i, spot := range spots {
		end := len(data)
		if i+1 < len(spots) {
			end = spots[i+1][0]
		}
		one.set(string(data[spot[2]:spot[3]]), string(data[spot[1]:end]))
	}
	if len(spots) > 0 {
		one.comment = string(data[:spots[0][0]])
	}
	return one
}

func (c *runCase) get(name string) string { return c.texts[name] }

func (c *runCase) set(name, text string) {
	if !slices.Contains(c.names, name) {
		c.names = append(c.names, name)
	}
	c.texts[name] = text
}

func (c *runCase) write(t *testing.T, file string) {
	t.Helper()
	var text strings.Builder
	text.WriteString(c.comment)
	for _, name := range c.names {
		fmt.Fprintf(&text, "-- %s --\n%s", name, c.texts[name])
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run plays the case in a folder of its own and gives exit code, output and
// errors as one text, in which addresses of this run have lasting names.
func (c *runCase) run(t *testing.T, readers *readers) string {
	t.Helper()
	t.Chdir(t.TempDir())
	world := startWorld(t, c.get("world"))
	for _, name := range c.names {
		if name == "args" || name == "world" || name == "want" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(world.replace(c.consenting(name, world))), 0o644); err != nil {
			t.Fatal(err)
		}
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
	code := cli.Main(context.Background(), readers.further(t, args), cli.System{
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
		if strings.Contains(text, secret) {
			t.Errorf("the output shows the secret %q", secret)
		}
	}
	return text
}

// needsConsent tells whether a case asks the world's platform, which speaks plain HTTP.
func (c *runCase) needsConsent(world *world) bool {
	asks := func(name string) bool {
		return name != "world" && name != "want" && strings.Contains(c.get(name), "{platform}")
	}
	return !world.spec.NoConsent && slices.ContainsFunc(c.names, asks)
}

// consenting is a file of a case, for the hook with the consent that no flag can
// give there; the hook prints no lines, so one more does no harm.
func (c *runCase) consenting(name string, world *world) string {
	text := c.get(name)
	if !c.needsConsent(world) || !strings.HasPrefix(c.get("args"), "hook") {
		return text
	}
	text = regexp.MustCompile(`(?m)^( +)url: "\{platform\}"$`).ReplaceAllString(text, "$0\n${1}allowInsecureHTTP: true")
	return strings.ReplaceAll(text, `url: "{platform}",`, `url: "{platform}", allowInsecureHTTP: true,`)
}

// today is the day on which the cases play.
var today = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// canaries are secrets that the cases use; none may ever be printed.
var canaries = []string{"user-token-admin", "user-token-member", "user-token-acc2", "user-token-unknown", "runtime-token-canary", "git-token-canary", "c2VjcmV0"}
