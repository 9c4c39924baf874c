package process

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExec(t *testing.T) {
	for name, test := range map[string]struct {
		command Command
		want    string
		err     string
	}{
		"output":      {command: Command{Name: "sh", Args: []string{"-c", "echo a; echo b"}}, want: "a\nb"},
		"environment": {command: Command{Name: "sh", Args: []string{"-c", `echo "$A"`}, Env: []string{"A=1"}}, want: "1"},
		"input":       {command: Command{Name: "cat", Stdin: strings.NewReader("in")}, want: "in"},
		"directory":   {command: Command{Name: "pwd", Dir: "/"}, want: "/"},
		"failure": {
			command: Command{Name: "sh", Args: []string{"-c", "echo why >&2; exit 3"}},
			err:     "sh -c echo why >&2; exit 3: exit status 3\n\twhy",
		},
		"silent failure": {command: Command{Name: "false"}, err: "false: exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Exec(context.Background(), test.command)
			if test.err != "" {
				assert.EqualError(t, err, test.err)
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestExecReportsCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Exec(ctx, Command{Name: "true"})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTailKeepsTheLastLines(t *testing.T) {
	got := tail(strings.Repeat("line\n", 40))
	assert.Equal(t, strings.Repeat("\n\tline", 15), got)
}
