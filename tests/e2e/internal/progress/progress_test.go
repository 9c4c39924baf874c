package progress

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestStepWritesOneLine(t *testing.T) {
	failure := errors.New("no")
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"done":   {nil, "    0.0s boil water\n"},
		"failed": {failure, "    0.0s boil water: failed\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			got := Step(Lines(&out), "boil water", func() error { return test.err })
			assert.Equal(t, test.err, got)
			assert.Equal(t, test.want, out.String())
		})
	}
}

func TestStepWithoutObserver(t *testing.T) {
	done := false
	assert.NoError(t, Step(nil, "quiet", func() error { done = true; return nil }))
	assert.True(t, done)
}

func TestLongStepReportsProgress(t *testing.T) {
	reader, writer := io.Pipe()
	observer := &lines{out: writer, delay: time.Millisecond, running: map[string]*time.Timer{}}
	go observer.Begin("boil the ocean")
	line := make([]byte, 64)
	n, err := reader.Read(line)
	assert.NoError(t, err)
	assert.Equal(t, "   ...   boil the ocean\n", string(line[:n]))
}
