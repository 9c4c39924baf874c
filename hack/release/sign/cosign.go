// Package sign signs statements and verifies signatures with the program cosign. It does not contact a registry: cosign reads a statement from a file
// and writes a Sigstore bundle to a file, and vice versa.
package sign

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Cosign is the program cosign.
type Cosign struct {
	// Path is the path of the program.
	Path string
	// Key is the private key: a file, or an address of a KMS. If it is empty, Fulcio issues a certificate for an identity token of the environment.
	Key string
	// Identity is the identity of valid signers.
	Identity Identity
}

// PublicKey writes the public key of the private one to a file.
func (c Cosign) PublicKey(ctx context.Context, file string) error {
	return c.run(ctx, "public-key", "--key", c.Key, "--outfile", file)
}

// Sign returns the bundle of a signed statement.
func (c Cosign) Sign(ctx context.Context, statement []byte) ([]byte, error) {
	folder, err := os.MkdirTemp("", "sign")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	in, out := filepath.Join(folder, "statement.json"), filepath.Join(folder, "bundle.json")
	if err := os.WriteFile(in, statement, 0o600); err != nil {
		return nil, err
	}
	if err := c.run(ctx, append([]string{"attest-blob", "--yes", "--statement", in, "--bundle", out}, c.signing()...)...); err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return os.ReadFile(out)
}

// File signs a file and writes the bundle of its signature to a file. The signature is verified immediately.
func (c Cosign) File(ctx context.Context, file, bundle string) error {
	if err := c.run(ctx, append(append([]string{"sign-blob", "--yes", "--bundle", bundle}, c.signing()...), file)...); err != nil {
		return fmt.Errorf("sign %s: %w", file, err)
	}
	if err := c.run(ctx, append(append([]string{"verify-blob", "--bundle", bundle}, c.Identity.Flags()...), file)...); err != nil {
		return fmt.Errorf("%s is not signed by %s: %w", file, c.Identity, err)
	}
	return nil
}

// signing returns cosign's flags for the signer, and for the transparency log.
func (c Cosign) signing() []string {
	var flags []string
	if c.Key != "" {
		flags = append(flags, "--key", c.Key)
	}
	if c.Identity.Offline {
		flags = append(flags, "--use-signing-config=false", "--tlog-upload=false")
	}
	return flags
}

// Verify verifies that a bundle is signed by the identity and is a statement of a type about a digest (sha256, in hexadecimal); it returns the
// statement.
func (c Cosign) Verify(ctx context.Context, bundle []byte, predicateType, digest string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "verify")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	in := filepath.Join(folder, "bundle.json")
	if err := os.WriteFile(in, bundle, 0o600); err != nil {
		return nil, err
	}
	arguments := append([]string{"verify-blob-attestation", "--bundle", in, "--type", predicateType, "--digest", digest, "--digestAlg", "sha256"}, c.Identity.Flags()...)
	if err := c.run(ctx, arguments...); err != nil {
		return nil, fmt.Errorf("not signed by %s: %w", c.Identity, err)
	}
	return Payload(bundle)
}

// Payload returns the statement of a bundle, regardless of the signer.
func Payload(bundle []byte) ([]byte, error) {
	var read struct {
		DSSEEnvelope struct {
			Payload string `json:"payload"`
		} `json:"dsseEnvelope"`
	}
	if err := json.Unmarshal(bundle, &read); err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	payload, err := base64.StdEncoding.DecodeString(read.DSSEEnvelope.Payload)
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	return payload, nil
}

// run runs cosign; its error output becomes the error.
func (c Cosign) run(ctx context.Context, arguments ...string) error {
	out, err := exec.CommandContext(ctx, c.Path, arguments...).CombinedOutput()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("cosign %s: %s", arguments[0], words(out, err))
}

// words returns cosign's error message, in one line.
func words(out []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		for _, before := range []string{"Error: ", "error during command execution: "} {
			if _, message, found := strings.Cut(line, before); found {
				return message
			}
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return err.Error()
}
