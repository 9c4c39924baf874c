// Package statement creates the statements about a published artifact: that it was released (the signature), its components (an SPDX document), and how
// it was built (SLSA provenance). Each is an in-toto statement; the same release produces the same statements.
package statement

import (
	"encoding/json"
	"fmt"
)

// Types of predicates.
const (
	// Signature is the predicate type of `cosign sign` of cosign 3: https://github.com/sigstore/cosign/blob/v3.1.3/pkg/types/predicate.go
	Signature = "https://sigstore.dev/cosign/sign/v1"
	// SBOM is cosign's type spdxjson: https://github.com/sigstore/cosign/blob/v3.1.3/cmd/cosign/cli/options/predicate.go
	SBOM = "https://spdx.dev/Document"
	// Provenance is cosign's type slsaprovenance1: https://slsa.dev/spec/v1.1/provenance
	Provenance = "https://slsa.dev/provenance/v1"
)

// Types returns the types of the statements about every artifact, in order.
func Types() []string { return []string{Signature, SBOM, Provenance} }

const statementType = "https://in-toto.io/Statement/v1"

// Statement is an in-toto statement: https://github.com/in-toto/attestation/blob/v1.1.0/spec/v1/statement.md
type Statement struct {
	Type          string          `json:"_type"`
	Subject       []Subject       `json:"subject"`
	PredicateType string          `json:"predicateType"`
	Predicate     json.RawMessage `json:"predicate"`
}

// Subject is what a statement is about.
type Subject struct {
	// Name is host/path of the repository that the artifact was published to.
	Name   string            `json:"name,omitempty"`
	Digest map[string]string `json:"digest"`
}

// About returns a statement about an artifact with a name and a digest (sha256, in hexadecimal).
func About(name, digest, predicateType string, predicate any) ([]byte, error) {
	content, err := json.Marshal(predicate)
	if err != nil {
		return nil, fmt.Errorf("predicate %s of %s: %w", predicateType, name, err)
	}
	return json.Marshal(Statement{
		Type: statementType, PredicateType: predicateType, Predicate: content,
		Subject: []Subject{{Name: name, Digest: map[string]string{"sha256": digest}}},
	})
}

// Read reads a statement and verifies its type and the digest of its subject.
func Read(text []byte, predicateType, digest string) (Statement, error) {
	var read Statement
	if err := json.Unmarshal(text, &read); err != nil {
		return read, fmt.Errorf("statement: %w", err)
	}
	switch {
	case read.Type != statementType:
		return read, fmt.Errorf("the statement has the type %q instead of %s", read.Type, statementType)
	case read.PredicateType != predicateType:
		return read, fmt.Errorf("the statement is %q instead of %s", read.PredicateType, predicateType)
	case len(read.Subject) != 1 || read.Subject[0].Digest["sha256"] != digest:
		return read, fmt.Errorf("the statement is about something else than sha256:%s", digest)
	}
	return read, nil
}
