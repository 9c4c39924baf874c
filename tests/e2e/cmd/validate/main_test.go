package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/hostile"
	"gitops-runtime/validator/validatecmd"
)

// The stand-in does not know a user's real token: the program explains this before it reports that the token is rejected.
func TestARealTokenMeetsARehearsal(t *testing.T) {
	program, values := hostile.Build(t, "."), filepath.Join(t.TempDir(), "values.yaml")
	for token, code := range map[string]int{"64f0c2a1b3d4.a-real-token": validatecmd.ExitFailed, "user-token-admin": validatecmd.ExitOK} {
		text := "global: {codefresh: {accountId: acc1, userToken: {token: " + token + "}}, runtime: {name: production}}\n"
		require.NoError(t, os.WriteFile(values, []byte(text), 0o600))
		var out, errs bytes.Buffer
		command := exec.CommandContext(t.Context(), program, "-f", values, "--no-cluster")
		command.Stdout, command.Stderr = &out, &errs
		var ended *exec.ExitError
		if err := command.Run(); code == validatecmd.ExitOK {
			require.NoError(t, err, out.String())
		} else {
			require.ErrorAs(t, err, &ended)
			require.Equal(t, code, ended.ExitCode(), out.String())
			require.Contains(t, out.String(), "ACC101")
		}
		require.Regexp(t, `^This is a rehearsal: a stand-in at http://127\.0\.0\.1:\d+ answers instead of the platform of the values\.`, errs.String())
		require.NotContains(t, out.String()+errs.String(), "a-real-token")
	}
}

func TestWithNamespace(t *testing.T) {
	for given, want := range map[string]string{
		"-f x":             "-f x --namespace codefresh",
		"-n other":         "-n other",
		"-nother":          "-nother",
		"-n=other":         "-n=other",
		"--namespace=o":    "--namespace=o",
		"--namespace o":    "--namespace o",
		"explain RUN101":   "explain RUN101",
		"--help":           "--help",
		"version":          "version",
		"--no-cluster a.y": "--no-cluster a.y --namespace codefresh",
	} {
		assert.Equal(t, want, strings.Join(withNamespace(strings.Fields(given)), " "), given)
	}
}

func TestNamesPlatform(t *testing.T) {
	for given, want := range map[string]bool{
		"--set global.codefresh.url=https://x":  true,
		"--set=global.codefresh.url=https://x":  true,
		"--set a=b,global.codefresh.url=http:x": true,
		"explain":                               true,
		"-f values.yaml":                        false,
		"--set global.codefresh.accountId=x":    false,
	} {
		assert.Equal(t, want, namesPlatform(slices.Clone(strings.Fields(given))), given)
	}
}
