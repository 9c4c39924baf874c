package gobuild_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
	"gitops-runtime/tests/e2e/images/gobuild"
)

const hello = "package main\n\nfunc main() { println(\"hello\") }\n"

// checkout returns the toolchain of a checkout with a small module in each folder.
func checkout(t *testing.T, folders ...string) gobuild.Toolchain {
	t.Helper()
	root := t.TempDir()
	for _, folder := range folders {
		testkit.WriteFile(t, filepath.Join(root, folder, "go.mod"), "module example.test/hello\n\ngo 1.24\n")
		testkit.WriteFile(t, filepath.Join(root, folder, "go.sum"), "")
		testkit.WriteFile(t, filepath.Join(root, folder, "main.go"), hello)
	}
	return gobuild.Toolchain{Root: root, Cache: t.TempDir()}
}

// program returns the program of a folder, compiled with the flags of tests to use the same build cache.
func program(folder string) gobuild.Program {
	return gobuild.Program{Name: "hello", Dir: folder, Package: ".", Own: true}
}

func TestBuildMakesAProgramThatRuns(t *testing.T) {
	tools, ctx := checkout(t, "a"), context.Background()
	out := filepath.Join(t.TempDir(), "hello")
	require.NoError(t, tools.Fetch(ctx, program("a")))
	require.NoError(t, tools.Build(ctx, program("a"), out))
	output, err := exec.CommandContext(ctx, out).CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "hello\n", string(output))
}

func TestKeyFollowsWhatTheProgramIsMadeFrom(t *testing.T) {
	tools := checkout(t, "a", "b")
	key := func(p gobuild.Program) string {
		text, err := tools.Key(context.Background(), p)
		require.NoError(t, err)
		return text
	}
	before := key(program("a"))
	assert.Regexp(t, "^program-hello-[0-9a-f]{24}$", before)
	assert.Equal(t, before, key(program("b")), "the path of the checkout")

	testkit.WriteFile(t, filepath.Join(tools.Root, "a", "main_test.go"), "package main\n")
	assert.Equal(t, before, key(program("a")), "a test file")

	flags := program("a")
	flags.LDFlags = "-X main.version=1"
	assert.NotEqual(t, before, key(flags), "linker flags")

	external := program("a")
	external.Own = false
	assert.NotEqual(t, before, key(external), "compiler flags")

	testkit.WriteFile(t, filepath.Join(tools.Root, "a", "main.go"), strings.ReplaceAll(hello, "hello", "good day"))
	assert.NotEqual(t, before, key(program("a")), "a source file")

	testkit.WriteFile(t, filepath.Join(tools.Root, "b", "go.sum"), "\n")
	assert.NotEqual(t, before, key(program("b")), "the module files")
}

func TestErrors(t *testing.T) {
	tools, ctx := checkout(t, "broken"), context.Background()
	testkit.WriteFile(t, filepath.Join(tools.Root, "broken", "main.go"), "package main\n\nfunc main() { undefined() }\n")
	folder := filepath.Join(tools.Root, "broken")

	err := tools.Build(ctx, program("broken"), filepath.Join(t.TempDir(), "x"))
	assert.EqualError(t, err, "building hello: go build in "+folder+": exit status 1:\n# example.test/hello\n./main.go:3:15: undefined: undefined")

	ended, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, tools.Build(ended, program("broken"), "x"), context.Canceled)

	err = tools.Fetch(ctx, program("nowhere"))
	assert.ErrorContains(t, err, "modules of hello: ")

	t.Setenv("PATH", t.TempDir())
	_, err = tools.Key(ctx, program("broken"))
	assert.EqualError(t, err, "hello: the Go compiler is needed to build images from source: install the Go version of go.mod "+
		`and put it on PATH: exec: "go": executable file not found in $PATH`)
}

func TestZoneInfoIsThere(t *testing.T) {
	file, err := checkout(t, "").ZoneInfo(context.Background())
	require.NoError(t, err)
	assert.FileExists(t, file)
}
