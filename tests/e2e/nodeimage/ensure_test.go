package nodeimage

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/docker"
	"gitops-runtime/tests/e2e/internal/process"
)

func TestEnsure(t *testing.T) {
	built, err := builder(t, nil).Image()
	require.NoError(t, err)
	for name, test := range map[string]struct {
		has     string // the image the engine has
		limited bool
		reach   bool
		pull    error
		named   string
		want    string
		calls   []string
	}{
		"built before":         {has: built, reach: true, want: built, calls: nil},
		"pulled before":        {has: Upstream, want: Upstream, calls: nil},
		"pulled now":           {reach: true, want: Upstream, calls: []string{"pull"}},
		"not to be pulled":     {reach: true, pull: errors.New("denied"), want: built, calls: []string{"pull", "load", "rm gitops-runtime/node:old"}},
		"no registry":          {want: built, calls: []string{"load", "rm gitops-runtime/node:old"}},
		"named and there":      {named: "kindest/node:v1.33.4", has: "kindest/node:v1.33.4", want: "kindest/node:v1.33.4", calls: nil},
		"named and pulled":     {named: "kindest/node:v1.33.4", want: "kindest/node:v1.33.4", calls: []string{"pull"}},
		"without SYS_RESOURCE": {limited: true, has: Upstream, reach: true, want: built, calls: []string{"load", "rm gitops-runtime/node:old"}},
	} {
		t.Run(name, func(t *testing.T) {
			var calls []string
			engine := docker.At("", func(_ context.Context, c process.Command) (string, error) {
				switch c.Args[0] {
				case "image":
					if c.Args[1] == "rm" {
						calls = append(calls, "rm "+c.Args[2])
						return "", errors.New("in use")
					}
					if c.Args[2] == "--format" {
						return "gitops-runtime/node:old\n" + built, nil
					}
					if c.Args[len(c.Args)-1] == test.has {
						return "0a1b", nil
					}
					return "", nil
				case "pull":
					calls = append(calls, "pull")
					return "", test.pull
				}
				calls = append(calls, c.Args[0])
				return "", nil
			})
			b := builder(t, newMaker().run)
			b.Published = test.named
			write(t, strings.ReplaceAll(b.Cache+"/"+strings.TrimPrefix(built, "gitops-runtime/"), ":", "-")+".tar", "archive")
			reach := func(context.Context, string) error {
				if !test.reach {
					return errors.New("no route to host")
				}
				return nil
			}
			got, err := b.ensure(context.Background(), engine, reach, test.limited)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.calls, calls)
		})
	}
}
