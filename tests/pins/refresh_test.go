package pins_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/pins"
)

func TestRefresh(t *testing.T) {
	t.Parallel()
	const list = `# A comment.
date: "2026-01-02"

products:
  - name: Thing
    module: example.com/thing
    linked: true
    vulnerabilities:
      - {id: CVE-1, severity: high, affected: "<1.0.0", fixed: 1.0.0, found: advisory, summary: S, source: "https://example.com"}

# Others.
unlisted: []
`
	of := func(id, module, aliases, events string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"id": "` + id + `", "summary": "It: breaks", "aliases": [` + aliases + `], "affected": [{"package": {"name": "` + module +
			`", "ecosystem": "Go"}, "ranges": [{"type": "SEMVER", "events": [` + events + `]}]}]}`)}
	}
	database := fstest.MapFS{
		"ID/GO-1.json": of("GO-1", "example.com/thing", `"CVE-1"`, `{"introduced": "0"}, {"fixed": "1.0.0"}`),
		"ID/GO-2.json": of("GO-2", "example.com/thing", "", `{"introduced": "0"}, {"fixed": "1.2.0"}, {"introduced": "2.0.0"}, {"fixed": "2.1.0"}`),
		"ID/GO-3.json": of("GO-3", "example.com/linked", "", `{"introduced": "1.0.0"}, {"fixed": "1.1.0"}`),
		"ID/GO-4.json": of("GO-4", "example.com/linked", "", `{"introduced": "0"}`),
		"ID/GO-5.json": of("GO-5", "example.com/other", "", `{"introduced": "0"}, {"fixed": "9.0.0"}`),
	}
	text, unfixed, err := pins.Refresh([]byte(list), database, []pins.Pin{{What: "example.com/linked", Version: "v1.1.0", File: "go.mod"}}, "2026-11-22")
	require.NoError(t, err)
	assert.Equal(t, `# A comment.
date: "2026-11-22"

products:
  - name: Thing
    module: example.com/thing
    linked: true
    vulnerabilities:
      - {id: GO-2, severity: unknown, affected: "<1.2.0 || >=2.0.0, <2.1.0", fixed: 2.1.0, found: database, summary: "It: breaks", source: "https://pkg.go.dev/vuln/GO-2"}
      - {id: CVE-1, severity: high, affected: "<1.0.0", fixed: 1.0.0, found: advisory, summary: S, source: "https://example.com"}

  - name: example.com/linked
    module: example.com/linked
    linked: true
    vulnerabilities:
      - {id: GO-3, severity: unknown, affected: ">=1.0.0, <1.1.0", fixed: 1.1.0, found: database, summary: "It: breaks", source: "https://pkg.go.dev/vuln/GO-3"}

# Others.
unlisted: []
`, string(text))
	assert.Equal(t, []string{"GO-4 in example.com/linked has no fixed version: add it under unclear, or accept it"}, unfixed)
	_, _, err = pins.Refresh([]byte(list), fstest.MapFS{}, nil, "2026-11-22")
	assert.ErrorContains(t, err, "it contains no files ID/GO-*.json")
}
