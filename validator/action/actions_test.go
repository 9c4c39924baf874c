package actions_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/testkit"
)

// action is what a test needs of an action.yml.
// https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax
type action struct {
	Inputs map[string]struct {
		Default  string
		Required bool
	}
	Runs struct {
		Using string
		Steps []struct {
			ID, Uses, Shell, Run string
			Env                  map[string]string
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{ *([a-z._-]+) *\}\}`)

// run runs the steps of an action in a folder, with inputs, and returns its output and its outputs.
func run(t *testing.T, folder string, inputs map[string]string) (said, outputs string, err error) {
	t.Helper()
	return runWith(t, "", folder, inputs, nil)
}

// runWith is run with a program that was built before, unless it is "". It reports the process of each step.
func runWith(t *testing.T, program, folder string, inputs map[string]string, ended func(*os.ProcessState)) (said, outputs string, err error) {
	t.Helper()
	place, err := filepath.Abs("validate-values")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(place, "action.yml"))
	require.NoError(t, err)
	var read action
	require.NoError(t, yaml.Unmarshal(text, &read))
	require.Equal(t, "composite", read.Runs.Using)
	contexts := map[string]string{"github.action_path": place}
	for name, input := range read.Inputs {
		contexts["inputs."+name] = input.Default
		given, is := inputs[name]
		require.True(t, is || !input.Required, "the input %s is required", name)
		if is {
			contexts["inputs."+name] = given
		}
	}
	temporary := t.TempDir()
	file := filepath.Join(temporary, "output")
	for _, step := range read.Runs.Steps {
		if step.Uses != "" {
			require.Regexp(t, `^[\w-]+/[\w-]+@[0-9a-f]{40}$`, step.Uses, "actions are pinned by commit")
			continue
		}
		if step.ID == "build" && program != "" {
			require.NoError(t, os.Symlink(program, filepath.Join(temporary, "validate-values")))
			continue
		}
		// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell
		require.Equal(t, "bash", step.Shell)
		command := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		command.Dir = folder
		command.Env = append(os.Environ(), "RUNNER_TEMP="+temporary, "GITHUB_OUTPUT="+file, "GITHUB_ACTIONS=true")
		for name, value := range step.Env {
			command.Env = append(command.Env, name+"="+expression.ReplaceAllStringFunc(value, func(found string) string {
				key := expression.FindStringSubmatch(found)[1]
				require.Contains(t, contexts, key)
				return contexts[key]
			}))
		}
		out, stepErr := command.CombinedOutput()
		said += string(out)
		if ended != nil {
			ended(command.ProcessState)
		}
		if stepErr != nil {
			err = stepErr
			break
		}
	}
	made, readErr := os.ReadFile(file)
	if !os.IsNotExist(readErr) {
		require.NoError(t, readErr)
	}
	return said, string(made), err
}

const good = `global:
  codefresh: {accountId: acc1, userToken: {secretKeyRef: {name: key, key: token}}}
  runtime: {name: local}
`

func TestValidateValues(t *testing.T) {
	folder := testkit.Folder(t, map[string]string{"good.yaml": good, "bad.yaml": "global:\n  runtim:\n    name: local\n", "odd name/good.yaml": good})
	said, _, err := run(t, folder, map[string]string{"files": "bad.yaml\ngood.yaml\n"})
	require.Error(t, err, said)
	require.Equal(t, 3, err.(*exec.ExitError).ExitCode(), said)
	require.Regexp(t, `(?m)^::error .*file=bad\.yaml.*runtim`, said)
	require.NotRegexp(t, `(?m)^::error .*file=good\.yaml`, said)

	// second audit, finding 7: a file with the name of a flag silenced a finding
	said, _, err = run(t, testkit.Folder(t, map[string]string{"bad.yaml": "global:\n  runtim: {}\n", "--skip=SCH101": good}), map[string]string{"files": "bad.yaml\n--skip=SCH101\n"})
	require.Error(t, err, said)
	require.Regexp(t, `(?m)^::error .*file=bad\.yaml.*runtim`, said)

	said, outputs, err := run(t, folder, map[string]string{"files": "odd name/good.yaml\n", "namespace": "team"})
	require.NoError(t, err, said)
	sarif, found := strings.CutPrefix(strings.TrimSpace(outputs), "sarif=")
	require.True(t, found, outputs)
	require.FileExists(t, sarif)
}

// The preview compares each file with its version of a revision of Git.
func TestPreview(t *testing.T) {
	folder := testkit.Folder(t, map[string]string{"clusters/a.yaml": good, "common.yaml": "argo-cd: {}\n"})
	git := func(args ...string) {
		command := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message", "a")
	testkit.WriteFile(t, filepath.Join(folder, "clusters/a.yaml"), good+"app-proxy: {env: {SOME: value}}\n")
	testkit.WriteFile(t, filepath.Join(folder, "clusters/new.yaml"), good)
	inputs := map[string]string{"files": "clusters/*.yaml\n", "common": "common.yaml\n", "preview": "HEAD"}
	said, outputs, err := run(t, folder, inputs)
	require.NoError(t, err, said)
	_, file, found := strings.Cut(outputs, "preview=")
	require.True(t, found, outputs)
	text, err := os.ReadFile(strings.TrimSpace(strings.SplitN(file, "\n", 2)[0]))
	require.NoError(t, err)
	require.Contains(t, string(text), "## clusters/a.yaml")
	require.Contains(t, string(text), "restarts** `Deployment/cap-app-proxy`")
	require.NotContains(t, string(text), "new.yaml")

	inputs["preview-fail-on"] = "restarts"
	said, _, err = run(t, folder, inputs)
	require.Error(t, err, said)
	require.Equal(t, 3, err.(*exec.ExitError).ExitCode(), said)
}
