package docker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/internal/process"
)

// engines fakes the docker program: the calls that fail, by "<host> <first argument>".
type engines map[string]error

func (e engines) run(_ context.Context, c process.Command) (string, error) {
	host := "default"
	if len(c.Env) > 0 {
		host = c.Env[0]
	}
	return "", e[host+" "+c.Args[0]]
}

func environment(host string) func(string) (string, bool) {
	return func(name string) (string, bool) { return host, name == "DOCKER_HOST" && host != "" }
}

func TestFind(t *testing.T) {
	down := errors.New("down")
	dir := t.TempDir()
	private := "DOCKER_HOST=unix://" + filepath.Join(dir, "docker.sock")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docker.sock"), nil, 0o600))
	for name, test := range map[string]struct {
		host    string
		engines engines
		want    string
		err     string
	}{
		"named":                       {host: "tcp://other:1", want: "tcp://other:1"},
		"private, already running":    {want: "unix://" + filepath.Join(dir, "docker.sock")},
		"the machine's, private down": {engines: engines{private + " version": down}, want: ""},
		"named but down": {
			host: "tcp://other:1", engines: engines{"DOCKER_HOST=tcp://other:1 version": down},
			err: "DOCKER_HOST is tcp://other:1: the Docker engine does not answer: down; " +
				"name a working engine, or unset it to have one found",
		},
		"named but not for privileged containers": {
			host: "tcp://other:1", engines: engines{"DOCKER_HOST=tcp://other:1 run": down},
			err: "DOCKER_HOST is tcp://other:1: the Docker engine cannot run privileged containers, which kind needs: down; " +
				"name a working engine, or unset it to have one found",
		},
	} {
		t.Run(name, func(t *testing.T) {
			engine, err := Finder{Dir: dir, Run: test.engines.run, Environment: environment(test.host)}.Find(context.Background())
			if test.err != "" {
				assert.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, engine.Host)
		})
	}
}

func TestRunningStartsNothing(t *testing.T) {
	nothing := engines{"default version": errors.New("down")}
	engine, err := Finder{Dir: t.TempDir(), Run: nothing.run, Environment: environment("")}.Running(context.Background())
	assert.NoError(t, err)
	assert.Nil(t, engine)
}
