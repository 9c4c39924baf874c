// Package sign signs statements and verifies signatures with the program cosign. It does not contact a registry: cosign reads a statement from a file
// and writes a Sigstore bundle to a file, and vice versa.
package sign

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/outfile"
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

// maxBundle is the maximum size of a signed statement in bytes; the largest is the SBOM of a program.
const maxBundle = 8 << 20

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
	return outfile.ReadRegular(out, maxBundle)
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
	command := exec.CommandContext(ctx, c.Path, arguments...)
	var out limited
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("cosign %s: %s", arguments[0], cleantext.Line(cleantext.Cut(words(out.text.Bytes(), err), longest)))
}

const (
	// longest is the maximum number of characters of cosign's message.
	longest = 1000
	// most is the maximum number of bytes that cosign may print.
	most = 1 << 20
)

// limited collects output up to a size; a program that prints more ends. It does not embed the buffer, whose ReadFrom has no limit.
type limited struct{ text bytes.Buffer }

func (l *limited) Write(text []byte) (int, error) {
	if l.text.Len()+len(text) > most {
		return 0, fmt.Errorf("it prints more than %d MiB", most>>20)
	}
	return l.text.Write(text)
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
