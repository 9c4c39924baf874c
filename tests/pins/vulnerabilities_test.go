package pins_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/pins"
)

func TestSecurityReview3NoPinHasAKnownVulnerability(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	pinned, err := pins.Pins(root)
	require.NoError(t, err)
	list, err := pins.Known()
	require.NoError(t, err)
	wrong, err := list.Check(pinned)
	require.NoError(t, err)
	assert.Empty(t, wrong)
}

// The pins the project had before are the proof that the list finds what it is for.
func TestTheListFindsPinsOfTheYearBefore(t *testing.T) {
	t.Parallel()
	list, err := pins.Known()
	require.NoError(t, err)
	for what, pin := range map[string]pins.Pin{
		"CVE-2026-28229": {What: "quay.io/argoproj/argocli", Version: "v3.7.6", File: "charts/argo-workflows/values.yaml"},
		"CVE-2026-33218": {What: "docker.io/library/nats", Version: "2.11.9", File: "charts/argo-events/values.yaml"},
		"CVE-2026-22728": {What: "quay.io/codefresh/sealed-secrets-controller", Version: "0.32.0", File: "charts/gitops-runtime/values.yaml"},
		"CVE-2025-62507": {What: "public.ecr.aws/docker/library/redis", Version: "8.2.2-alpine", File: "charts/argo-cd/values.yaml"},
		"CVE-2026-42945": {What: "docker.io/nginxinc/nginx-unprivileged", Version: "1.29-alpine3.22", File: "charts/gitops-runtime/values.yaml"},
		"CVE-2026-26081": {What: "public.ecr.aws/docker/library/haproxy", Version: "3.0.8-alpine", File: "charts/argo-cd/values.yaml"},
		"CVE-2026-40910": {What: "github.com/fatedier/frp", Version: "v0.66.0", File: "tests/e2e/programs/frp/go.mod", Program: "frp"},
		"CVE-2026-35206": {What: "helm.sh/helm/v3", Version: "v3.19.0", File: "go.mod"},
		"GO-2026-5026":   {What: "golang.org/x/net", Version: "v0.52.0", File: "go.mod"},
		"GO-2026-5970":   {What: "golang.org/x/text", Version: "v0.35.0", File: "go.mod"},
	} {
		wrong, err := list.Check([]pins.Pin{pin})
		require.NoError(t, err)
		assert.Contains(t, joined(wrong), pin.File+": "+pin.What+" "+pin.Version+" has "+what+" (", what)
	}
}

func joined(lines []string) (text string) {
	for _, line := range lines {
		text += line + "\n"
	}
	return text
}

const sample = `
date: "2026-01-02"
products:
- name: Thing
  images: [quay.io/a/thing]
  module: example.test/thing
  program: thing
  vulnerabilities:
  - {id: X-1, severity: high, affected: ">=1.0.0, <1.2.3", fixed: 1.2.3, found: advisory, summary: It breaks, source: "https://example.test/x1"}
  - {id: X-2, severity: low, affected: "<1.3.0", fixed: 1.3.0, found: advisory, summary: It bends, source: "https://example.test/x2", accepted: It is never bent}
unlisted:
- {pins: [quay.io/closed], why: Closed}
`

func TestCheck(t *testing.T) {
	t.Parallel()
	image := func(version string) pins.Pin {
		return pins.Pin{What: "quay.io/a/thing", Version: version, File: "charts/x/values.yaml"}
	}
	stale := "Thing: X-2 is accepted, but no pin has it: remove the field accepted"
	for name, c := range map[string]struct {
		pins []pins.Pin
		want []string
	}{
		"the first fixed version":          {pins: []pins.Pin{image("v1.2.3")}},
		"a tag with a suffix":              {pins: []pins.Pin{image("1.2.3-alpine3.24")}},
		"nothing of it is left":            {pins: []pins.Pin{image("1.3.0")}, want: []string{stale}},
		"a tag that is not a version":      {pins: []pins.Pin{image("latest")}, want: []string{"charts/x/values.yaml: quay.io/a/thing latest is not a version that can be compared: pin a release", stale}},
		"the program's own go.mod":         {pins: []pins.Pin{{What: "example.test/thing", Version: "v1.2.3", File: "tests/e2e/programs/thing/go.mod", Program: "thing"}}},
		"a closed image":                   {pins: []pins.Pin{image("1.2.3"), {What: "quay.io/closed/x", Version: "4212bc7", File: "charts/x/values.yaml"}}},
		"a library of another program":     {pins: []pins.Pin{image("1.2.3"), {What: "example.test/thing", Version: "v1.0.0", File: "tests/e2e/programs/thing/go.mod", Program: "other"}}, want: []string{"tests/e2e/programs/thing/go.mod: the list of known vulnerabilities does not cover other: add a product, or an entry under unlisted that says why"}},
		"an image that is not in the list": {pins: []pins.Pin{image("1.2.3"), {What: "quay.io/b/c", Version: "1", File: "charts/x/values.yaml"}}, want: []string{"charts/x/values.yaml: the list of known vulnerabilities does not cover quay.io/b/c: add a product, or an entry under unlisted that says why"}},
		"a vulnerable one": {pins: []pins.Pin{image("1.2.2")}, want: []string{
			"charts/x/values.yaml: quay.io/a/thing 1.2.2 has X-1 (high: It breaks): pin 1.2.3 or newer; see https://example.test/x1"}},
		"no pin": {want: []string{"Thing is pinned nowhere: remove it from the list", stale}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := pins.Read([]byte(sample))
			require.NoError(t, err)
			wrong, err := list.Check(c.pins)
			require.NoError(t, err)
			assert.Equal(t, c.want, wrong)
		})
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"an unknown field":            {"dates: x\n", `unknown field "dates"`},
		"no date":                     {"products: []\n", `date: parsing time ""`},
		"a fix within the range":      {entry(`found: release, severity: low, affected: "<2.0.0", fixed: 1.9.9`), "P: X: the fixed version 1.9.9 is in the affected range <2.0.0"},
		"a severity of its own":       {entry(`found: release, severity: awful, affected: "<2.0.0", fixed: 2.0.0`), "P: X: id, summary, source and a severity"},
		"a range that is no range":    {entry(`found: release, severity: low, affected: "old", fixed: 2.0.0`), `P: X: affected "old"`},
		"a fix that is not a version": {entry(`found: release, severity: low, affected: "<2.0.0", fixed: soon`), `P: X: fixed "soon"`},
	} {
		_, err := pins.Read([]byte(c.text))
		assert.ErrorContains(t, err, c.want, name)
	}
}

func entry(fields string) string {
	return "date: \"2026-01-02\"\nproducts:\n- name: P\n  vulnerabilities:\n  - {id: X, summary: s, source: h, " + fields + "}\n"
}
