// Package releasetest contains helpers for tests of releases: a signer without cosign, and a compiler that returns a small program in place of the
// large ones.
package releasetest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/image"
	"gitops-runtime/hack/release/sign"
	"gitops-runtime/hack/release/statement"
)

// Signer signs with its own key and creates bundles in cosign's format.
type Signer struct {
	key *ecdsa.PrivateKey
	mu  sync.Mutex
	// signed counts signatures.
	signed int
}

// NewSigner creates a signer.
func NewSigner(t testing.TB) *Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return &Signer{key: key}
}

type bundle struct {
	DSSEEnvelope struct {
		Payload    []byte `json:"payload"`
		Signatures [1]struct {
			Sig []byte `json:"sig"`
		} `json:"signatures"`
	} `json:"dsseEnvelope"`
}

// Sign signs a statement.
func (s *Signer) Sign(_ context.Context, payload []byte) ([]byte, error) {
	s.mu.Lock()
	s.signed++
	s.mu.Unlock()
	hash := sha256.Sum256(payload)
	signature, err := ecdsa.SignASN1(rand.Reader, s.key, hash[:])
	if err != nil {
		return nil, err
	}
	var result bundle
	result.DSSEEnvelope.Payload, result.DSSEEnvelope.Signatures[0].Sig = payload, signature
	return json.Marshal(result)
}

// Verify verifies a bundle.
func (s *Signer) Verify(_ context.Context, content []byte, predicateType, digest string) ([]byte, error) {
	var read bundle
	if err := json.Unmarshal(content, &read); err != nil {
		return nil, err
	}
	payload, err := sign.Payload(content)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(payload)
	if !ecdsa.VerifyASN1(&s.key.PublicKey, hash[:], read.DSSEEnvelope.Signatures[0].Sig) {
		return nil, errors.New("not signed by the key of the test")
	}
	_, err = statement.Read(payload, predicateType, digest)
	return payload, err
}

// Signed returns the number of statements that were signed.
func (s *Signer) Signed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.signed
}

// Compiler returns the same small program for all programs and architectures.
func Compiler(t testing.TB) image.Compiler {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module example.com/small\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte("package main\n\nfunc main() { println(\"small\") }\n"), 0o600))
	out := filepath.Join(folder, "small")
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, ".")
	command.Dir = folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOWORK=off")
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	return func(context.Context, image.Program, string, string) (string, error) { return out, nil }
}
