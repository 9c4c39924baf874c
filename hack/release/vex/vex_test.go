package vex_test

import (
	"bytes"
	"testing"

	openvex "github.com/openvex/go-vex/pkg/vex"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/imagelock"
	"gitops-runtime/hack/release/vex"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/vulnerable"
)

// list has one vulnerability of each kind.
const list = `
date: "2026-11-21"
products:
  - name: Redis
    images: [docker.io/library/redis]
    vulnerabilities:
      - {id: CVE-1, severity: high, affected: "<8.2.0", fixed: 8.2.0, found: advisory, summary: Old, source: "https://example.com/1"}
      - {id: CVE-2, severity: low, affected: ">=8.0.0, <8.2.5", fixed: 8.2.5, found: release, summary: New, source: "https://example.com/2", accepted: it cannot be built}
      - {id: CVE-3, severity: low, affected: ">=9.0.0, <9.0.1", fixed: 9.0.1, found: database, summary: Later, source: "https://example.com/3"}
unclear:
  - {product: Redis, ids: [CVE-4], what: The range is not known, source: "https://example.com/4"}
`

// document returns the document about images as JSON, read again.
func document(t *testing.T, of vulnerable.List, images []string, digests map[string]string) *openvex.VEX {
	t.Helper()
	made, err := vex.Document(of, images, digests, "Acme")
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, made.ToJSON(&text))
	read, err := openvex.Parse(text.Bytes())
	require.NoError(t, err)
	return read
}

func TestDocument(t *testing.T) {
	read, err := vulnerable.Read([]byte(list))
	require.NoError(t, err)
	made := document(t, read, []string{"docker.io/library/redis:8.2.4-alpine", "quay.io/other/image:1.0.0", "quay.io/no/version:abc"}, map[string]string{"docker.io/library/redis:8.2.4-alpine": "sha256:aa"})
	assert.Equal(t, "Acme", made.Author)
	assert.Equal(t, "2026-11-21", made.Timestamp.Format("2006-01-02"))
	status := map[string][3]string{}
	for _, one := range made.Statements {
		require.Len(t, one.Products, 1)
		assert.Equal(t, "pkg:oci/redis@sha256%3Aaa?repository_url=docker.io%2Flibrary%2Fredis&tag=8.2.4-alpine", one.Products[0].ID)
		status[string(one.Vulnerability.Name)] = [3]string{string(one.Status), one.ActionStatement, string(one.Justification)}
	}
	assert.Equal(t, map[string][3]string{
		"CVE-1": {"fixed", "", ""},
		"CVE-2": {"affected", "Update to 8.2.5 or later. Not updated yet: it cannot be built.", ""},
		"CVE-3": {"not_affected", "", "vulnerable_code_not_present"},
		"CVE-4": {"under_investigation", "", ""},
	}, status)
	assert.Equal(t, "Affected are versions <8.2.0; source (advisory): https://example.com/1", made.Statements[0].StatusNotes)
	again := document(t, read, []string{"docker.io/library/redis:8.2.4-alpine"}, map[string]string{"docker.io/library/redis:8.2.4-alpine": "sha256:aa"})
	assert.Equal(t, made.ID, again.ID, "the same statements have another id")
}

// The document of this checkout has a statement for each vulnerability of each image that the list covers, and is affected only where the list accepts it.
func TestDocumentOfTheCheckout(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	product, err := address.Read(root)
	require.NoError(t, err)
	images, err := imagelock.Listed(root, product.Images())
	require.NoError(t, err)
	known, err := vulnerable.Known()
	require.NoError(t, err)
	accepted := map[string]bool{}
	for _, of := range known.Products {
		for _, one := range of.Vulnerabilities {
			accepted[one.ID] = one.Accepted != ""
		}
	}
	made := document(t, known, images, nil)
	count := map[openvex.Status]int{}
	for _, one := range made.Statements {
		count[one.Status]++
		if one.Status == openvex.StatusAffected {
			assert.True(t, accepted[string(one.Vulnerability.Name)], "%s of %s is not accepted", one.Vulnerability.Name, one.Products[0].ID)
		}
	}
	assert.Greater(t, count[openvex.StatusFixed], 20)
	assert.Positive(t, count[openvex.StatusUnderInvestigation])
}
