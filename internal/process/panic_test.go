package process_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/process"
)

func run(task func()) (err error) {
	defer process.ContainPanic(&err)
	task()
	return nil
}

func TestPanic(t *testing.T) {
	t.Parallel()
	assert.NoError(t, run(func() {}))
	assert.EqualError(t, run(func() { panic("a secret value") }), "a fault at panic_test.go:20 (string), which is a bug")
	var missing map[string]int
	err := run(func() { missing["a"] = 1 })
	assert.ErrorContains(t, err, "a fault at panic_test.go:22 (")
}
