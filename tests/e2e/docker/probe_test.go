package docker

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExitProgramIsAnELFProgram(t *testing.T) {
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		t.Run(arch, func(t *testing.T) {
			program, err := exitProgram(arch)
			require.NoError(t, err)
			file, err := elf.NewFile(bytes.NewReader(program))
			require.NoError(t, err)
			assert.Equal(t, machine, file.Machine)
			assert.Equal(t, elf.ET_EXEC, file.Type)
			require.Len(t, file.Progs, 1)
			assert.Equal(t, uint64(len(program)), file.Progs[0].Filesz)
		})
	}
	_, err := exitProgram("sparc")
	assert.EqualError(t, err, "no way to try a container on sparc: amd64 and arm64 are supported")
}

func TestExitProgramRuns(t *testing.T) {
	program, err := exitProgram(runtime.GOARCH)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "probe")
	require.NoError(t, os.WriteFile(path, program, 0o700))
	assert.NoError(t, exec.Command(path).Run())
}
