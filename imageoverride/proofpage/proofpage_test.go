package proofpage_test

import (
	"bytes"
	"errors"
	"flag"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/proof"
	"gitops-runtime/imageoverride/proofpage"
	"gitops-runtime/imageoverride/solve"
	"gitops-runtime/internal/webpage/webpagetest"
)

var update = flag.Bool("update", false, "write the pages below testdata")

const hostile = `</code></p><script>alert(1)</script><img src=x onerror=alert(2)>"'` + "\x1b[31m\u202e"

func golden(t *testing.T, name string, result generate.Result) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, proofpage.Write(&out, result, "1.0.0"))
	webpagetest.Golden(t, *update, filepath.Join("testdata", name), out.String())
}

func TestProved(t *testing.T) {
	t.Parallel()
	golden(t, "proved.html", generate.Result{KubeVersion: "v1.37.0", Images: 3, Mirror: []mapping.Pair{
		{Source: "docker.io/library/nats:2.11.17", Target: "registry.example.com/docker.io/library/nats:2.11.17"},
		{Source: "quay.io/argoproj/argocd:v3.4.13", Target: "registry.example.com/quay.io/argoproj/argocd:v3.4.13"},
	}})
}

func TestInDoubt(t *testing.T) {
	t.Parallel()
	doubt := generate.Doubt{Scenario: "default", Place: "ConfigMap/a data.b", Text: hostile, Reason: "no reference"}
	golden(t, "in-doubt.html", generate.Result{
		KubeVersion: hostile, Images: 1, Mirror: []mapping.Pair{{Source: hostile, Target: hostile}},
		Outside:   []generate.Left{{Scenario: "a", Outside: proof.Outside{Object: "Pod/a", Path: "spec", Image: hostile, Template: "t.yaml"}}, {Scenario: "b", Outside: proof.Outside{Object: "Pod/a", Path: "spec", Image: hostile, Template: "t.yaml"}}},
		Unread:    []generate.Doubt{doubt},
		Suspected: []generate.Doubt{doubt},
		Unreached: []solve.Unreached{{Scenario: "a", Location: locate.Location{Field: locate.Field{Path: "spec.image"}}, Reason: hostile}},
		Changes:   []proof.Change{{Field: "Pod/a spec.b", Before: hostile, After: "x"}},
		NameOnly:  []string{"quay.io/a/b"}, Unseen: []string{"t.yaml:3"}, Warnings: []string{hostile},
	})
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestErrors(t *testing.T) {
	t.Parallel()
	assert.ErrorContains(t, proofpage.Write(broken{}, generate.Result{}, "1.0.0"), "full")
}
