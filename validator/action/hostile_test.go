//go:build !race

package actions_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
	"gitops-runtime/tests/hostile"
)

// annotation matches the commands of GitHub Actions that the action may print.
var annotation = regexp.MustCompile(`^::(error|warning|notice) (file=[^:]*,line=|title=|file=)`)

const bad = "global:\n  runtim: {}\n"

// hostileInput is a pull request, or a revision and names that come from one.
type hostileInput struct {
	name   string
	files  map[string]string // of the checkout
	inputs map[string]string
	want   string // part of the output, or of the preview
}

func hostileInputs() []hostileInput {
	with := func(name, title, want string) hostileInput {
		return hostileInput{title, map[string]string{"bad.yaml": bad, name: good}, map[string]string{"files": "bad.yaml\n" + name + "\n"}, want}
	}
	input := func(title, name, value, want string) hostileInput {
		return hostileInput{title, map[string]string{"bad.yaml": bad}, map[string]string{"files": "bad.yaml\n", name: value}, want}
	}
	preview := func(title, name, revision, want string) hostileInput {
		return hostileInput{title, map[string]string{name: good}, map[string]string{"files": "*\n", "preview": revision}, want}
	}
	const found = "file=bad.yaml"
	return []hostileInput{
		with("-", "a file named as standard input", "standard input is one file"),
		with("-o", "a file named as a flag with a value", found),
		with("--", "a file named as the end of flags", found),
		with("-f=evil", "a file named as a values file", found),
		with("--output=html=evil", "a file named as a report", found),
		with("--config=evil", "a file named as a flag that does not exist", found),
		with("$(touch evil).yaml", "a command in a name", found),
		with("`touch evil`.yaml", "a command in backquotes in a name", found),
		with("a;touch evil;.yaml", "a list of commands in a name", found),
		with("\"'.yaml", "quotes in a name", found),
		with("* [a-z] ?.yaml", "patterns in a name", "no file matches"),
		with("::stop-commands::x", "a command of the pipeline as a name", found),
		with("a%0A::error::x", "an encoded command of the pipeline in a name", found),
		with("\u202elmay.a", "a name that reads backwards", found),
		with("\x1b[31m.yaml", "a name with escape characters", `\x1b[31m.yaml" cannot be read`),
		with(strings.Repeat("a", 255), "a name of 255 letters", found),
		input("a file out of the checkout", "files", "../../../../etc/passwd\n", "etc/passwd"),
		input("a device", "files", "/dev/zero\n", "/dev/zero"),
		input("as many names as fit", "files", strings.Repeat(strings.Repeat("a", 200)+"\n", 600), "no such file"),
		input("a command as a namespace", "namespace", "$(touch evil)", "namespace"),
		input("lines as a namespace", "namespace", "a\n::stop-commands::x", "namespace"),
		input("a flag as a namespace", "namespace", "--skip=SCH101", "namespace"),
		input("a flag as a common file", "common", "--skip=SCH101\n", "--skip=SCH101"),
		input("a command as an argument", "arguments", "$(touch evil)\n--skip=$(touch evil)\n", "touch evil"),
		{"a flag as a revision", map[string]string{"good.yaml": good, "evil:./other.yaml": good}, map[string]string{"files": "*\n", "preview": "--output=evil"}, ""},
		preview("a command as a revision", "good.yaml", "$(touch evil)", ""),
		preview("a range of revisions", "good.yaml", "HEAD..HEAD", ""),
		preview("Markdown in a name", "a](http:evil) <img src=evil onerror=alert(1)> @everyone.yaml", "HEAD", "## a__http_evil_ _img src_evil onerror_alert_1__ _everyone.yaml"),
		preview("a name with escape characters in a preview", "\x1b[31m::error::x.yaml", "HEAD", "## __31m__error__x.yaml"),
		preview("a flag as a name in a preview", "--chart=evil.yaml", "HEAD", "## --chart_evil.yaml"),
	}
}

// TestHostileInputs: names and revisions of strangers run nothing, write nothing, and neither silence a finding nor say anything to the pipeline.
func TestHostileInputs(t *testing.T) {
	const name, kind = "Action", "names and inputs"
	program, worst := hostile.Build(t, "../cmd/validate-values"), hostile.Worst{}
	for _, one := range hostileInputs() {
		t.Run(one.name, func(t *testing.T) {
			folder := testkit.Folder(t, one.files)
			for _, arguments := range [][]string{{"init", "--quiet"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "a"}} {
				command := exec.CommandContext(t.Context(), "git", arguments...)
				command.Dir = folder
				out, err := command.CombinedOutput()
				require.NoError(t, err, string(out))
			}
			before := content(t, folder)
			var end hostile.Ending
			said, outputs, err := runWith(t, program, folder, one.inputs, func(state *os.ProcessState) {
				end.Took += state.UserTime() + state.SystemTime()
				end.Memory = max(end.Memory, state.SysUsage().(*syscall.Rusage).Maxrss<<10) //nolint:forcetypeassert // on Linux
			})
			var exited *exec.ExitError
			assert.True(t, err == nil || errors.As(err, &exited), "%v", err)
			for line := range strings.Lines(said) {
				line = strings.TrimSuffix(line, "\n")
				assert.NotContains(t, line, "\x1b")
				if strings.HasPrefix(strings.TrimSpace(line), "::") {
					assert.Regexp(t, annotation, line)
				}
			}
			for line := range strings.Lines(outputs) {
				assert.Regexp(t, `^(sarif|preview)=/`, line)
				if _, file, is := strings.Cut(strings.TrimSpace(line), "preview="); is {
					text, err := os.ReadFile(file)
					require.NoError(t, err)
					said += string(text)
				}
			}
			assert.Contains(t, said, one.want)
			assert.Equal(t, before, content(t, folder))
			assert.LessOrEqual(t, end.Memory, int64(hostile.MaxMemory), "bytes of memory")
			assert.LessOrEqual(t, end.Took, hostile.MaxTime, "CPU time")
			t.Logf("%d MiB, %s: %s", end.Memory>>20, end.Took, hostile.Clip(said))
			worst.Add(kind, end)
		})
	}
	worst.Log(t, name)
	hostile.Listed(t, name, map[string]int{kind: len(hostileInputs())})
}

// content returns the files of a checkout by their paths.
func content(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "/.git/") {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = string(text)
		return err
	}))
	return found
}
