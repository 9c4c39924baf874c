package security_test

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/image"
	"gitops-runtime/hack/release/source"
)

var (
	uses   = regexp.MustCompile(`(?m)^\s*-? ?uses: (.*)$`)
	pinned = regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$`)
)

// files returns the names of the regular files of an image.
func files(t *testing.T, of v1.Image) (names []string) {
	t.Helper()
	content := mutate.Extract(of)
	defer content.Close()
	for reader := tar.NewReader(content); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(names)
			return names
		}
		require.NoError(t, err)
		if header.Typeflag == tar.TypeReg {
			names = append(names, "/"+header.Name)
		}
	}
}

// Builds and releases depend only on inputs that third parties cannot change afterwards, and SECURITY.md describes how to report a vulnerability
// and to verify a signature. Finding 3 covers known vulnerabilities of pinned versions.
func TestSecurityReview13SupplyChain(t *testing.T) {
	t.Parallel()
	read := func(t *testing.T, path string) string {
		text, err := os.ReadFile(filepath.Join("../..", path))
		require.NoError(t, err)
		return string(text)
	}
	t.Run("actions are pinned by commit", func(t *testing.T) {
		workflows, err := filepath.Glob("../../.github/workflows/*.yaml")
		require.NoError(t, err)
		require.NotEmpty(t, workflows)
		for _, path := range workflows {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, found := range uses.FindAllStringSubmatch(string(text), -1) {
				assert.Regexp(t, pinned, found[1], path)
			}
		}
	})
	t.Run("images contain only the programs", func(t *testing.T) {
		require.NotEmpty(t, image.Programs())
		compile := func(context.Context, image.Program, string, string) (string, error) { return os.DevNull, nil }
		for _, program := range image.Programs() {
			made, err := image.Make(t.Context(), compile, program, source.Source{}, "1.0.0", "amd64")
			require.NoError(t, err)
			manifest, err := made.Index.IndexManifest()
			require.NoError(t, err)
			only, err := made.Index.Image(manifest.Manifests[0].Digest)
			require.NoError(t, err)
			assert.Equal(t, []string{image.AuthoritiesPath, program.Path}, files(t, only), program.Name)
		}
	})
	// hack/release/publish and make test-publish test what make publish signs and attaches, and that make verify checks all of it.
	t.Run("releases are signed with the workflow's identity, and verified", func(t *testing.T) {
		release := read(t, ".github/workflows/release.yaml")
		for _, part := range []string{"- run: make publish ", "- run: make verify ", "id-token: write", "COSIGN_IDENTITY: ", "COSIGN_ISSUER: "} {
			assert.Contains(t, release, part)
		}
	})
	t.Run("SECURITY.md", func(t *testing.T) {
		policy := read(t, "SECURITY.md")
		for _, heading := range []string{"Report a vulnerability", "What the threat model is", "Guarantees", "Verify what you install"} {
			assert.Contains(t, policy, "\n## "+heading+"\n")
		}
		assert.Contains(t, policy, "(docs/verify.md)")
		assert.Contains(t, read(t, "docs/verify.md"), "cosign verify ")
		for _, page := range []string{"README.md", "charts/gitops-runtime/README.md"} {
			assert.Contains(t, read(t, page), "SECURITY.md)", page)
		}
	})
	t.Run("links of SECURITY.md have targets", func(t *testing.T) {
		for _, found := range regexp.MustCompile(`\]\(([^):#]+)(?:#([^)]*))?\)`).FindAllStringSubmatch(read(t, "SECURITY.md"), -1) {
			text := read(t, found[1])
			if found[2] != "" {
				assert.True(t, slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
					return strings.HasPrefix(line, "#") && anchor(line) == found[2]
				}), fmt.Sprintf("%s has no heading #%s", found[1], found[2]))
			}
		}
	})
	t.Run("make vuln", func(t *testing.T) {
		assert.Contains(t, read(t, "Makefile"), "\nvuln: bin/govulncheck")
	})
}

// anchor returns the fragment that links to a heading.
func anchor(heading string) string {
	kept := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#"))), "")
	return strings.ReplaceAll(kept, " ", "-")
}
