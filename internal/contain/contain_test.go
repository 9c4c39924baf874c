package contain_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/contain"
)

func run(task func()) (err error) {
	defer contain.Panic(&err)
	task()
	return nil
}

func TestPanic(t *testing.T) {
	t.Parallel()
	assert.NoError(t, run(func() {}))
	assert.EqualError(t, run(func() { panic("a secret value") }), "a fault at contain_test.go:20 (string), which is a bug")
	var missing map[string]int
	err := run(func() { missing["a"] = 1 })
	assert.ErrorContains(t, err, "a fault at contain_test.go:22 (")
}
