package docker

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/tests/e2e/internal/process"
)

// recorder fakes the docker program: it records the calls and returns the same output for all.
type recorder struct {
	calls  []string
	answer string
	err    error
}

func (r *recorder) run(_ context.Context, c process.Command) (string, error) {
	r.calls = append(r.calls, c.String())
	return r.answer, r.err
}

func TestNetwork(t *testing.T) {
	list := "docker network ls --quiet --filter name=^kind$"
	for name, test := range map[string]struct {
		found string
		want  []string
	}{
		"there": {"0a1b", []string{list}},
		"made":  {"", []string{list, "docker network create --driver bridge kind"}},
	} {
		t.Run(name, func(t *testing.T) {
			fake := &recorder{answer: test.found}
			assert.NoError(t, At("", fake.run).Network(context.Background(), "kind"))
			assert.Equal(t, test.want, fake.calls)
		})
	}
}

func TestRemove(t *testing.T) {
	for name, test := range map[string]struct{ err, want string }{
		"removed":   {},
		"not there": {err: "exit status 1\n\tError: No such container: a"},
		"refused":   {err: "permission denied", want: "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := &recorder{}
			if test.err != "" {
				fake.err = errors.New(test.err)
			}
			err := At("", fake.run).Remove(context.Background(), "a")
			assert.Equal(t, []string{"docker rm --force --volumes a"}, fake.calls)
			if test.want == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, test.want)
			}
		})
	}
}

func TestEnvNamesTheEngine(t *testing.T) {
	assert.Equal(t, []string{"DOCKER_HOST=unix:///a"}, At("unix:///a", nil).Env())
	assert.Empty(t, At("", nil).Env())
}
