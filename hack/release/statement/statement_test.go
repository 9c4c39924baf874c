package statement_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"

	"gitops-runtime/hack/release/source"
	"gitops-runtime/hack/release/statement"
	"gitops-runtime/internal/gomodule"
)

var digest = strings.Repeat("a", 64)

func TestStatement(t *testing.T) {
	text, err := statement.About("ghcr.io/team/a", digest, statement.Signature, struct{}{})
	require.NoError(t, err)
	require.JSONEq(t, `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"ghcr.io/team/a","digest":{"sha256":"`+digest+`"}}],"predicateType":"https://sigstore.dev/cosign/sign/v1","predicate":{}}`, string(text))
	_, err = statement.Read(text, statement.Signature, digest)
	require.NoError(t, err)
	_, err = statement.Read(text, statement.SBOM, digest)
	require.EqualError(t, err, `the statement is "https://sigstore.dev/cosign/sign/v1" instead of https://spdx.dev/Document`)
	_, err = statement.Read(text, statement.Signature, strings.Repeat("b", 64))
	require.EqualError(t, err, "the statement is about something else than sha256:"+strings.Repeat("b", 64))
	_, err = statement.Read([]byte(`{}`), statement.Signature, digest)
	require.ErrorContains(t, err, `the statement has the type "" instead of`)
}

func TestProvenance(t *testing.T) {
	build := statement.Build{Version: "1.2.3", Artifact: "argo-cd", Builder: statement.LocalBuilder, Source: source.Source{Revision: "c0ffee", URL: "https://git.example.com/a"}}
	text, err := json.Marshal(build.Provenance())
	require.NoError(t, err)
	read, err := statement.CheckProvenance(text, statement.Expected{Version: "1.2.3", Artifact: "argo-cd", Commit: "c0ffee", Builder: statement.LocalBuilder})
	require.NoError(t, err)
	require.Equal(t, []statement.Resource{{URI: "git+https://git.example.com/a", Digest: map[string]string{"gitCommit": "c0ffee"}}}, read.BuildDefinition.ResolvedDependencies)
	require.Equal(t, statement.LocalBuilder, read.RunDetails.Builder.ID)
	_, err = statement.CheckProvenance(text, statement.Expected{Version: "1.2.4", Artifact: "argo-cd"})
	require.EqualError(t, err, "the provenance is that of argo-cd 1.2.3")
	_, err = statement.CheckProvenance([]byte(`{}`), statement.Expected{Version: "1.2.3", Artifact: "argo-cd"})
	require.ErrorContains(t, err, `the provenance is of a build ""`)
	again, err := json.Marshal(build.Provenance())
	require.NoError(t, err)
	require.Equal(t, text, again)
}

func TestSBOM(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./testdata/program").CombinedOutput()
	require.NoError(t, err, string(output))
	parts, err := statement.ModulesOf([]string{program, program})
	require.NoError(t, err)
	document, err := statement.Document(statement.Part{Name: "a", Version: "1.2.3", PURL: "pkg:oci/a"}, digest, parts, time.Unix(0, 0))
	require.NoError(t, err)
	text, err := json.Marshal(document)
	require.NoError(t, err)
	read, err := statement.CheckSBOM(text, digest)
	require.NoError(t, err)

	ids, urls := map[string]bool{}, map[string]bool{}
	for _, one := range read.Packages {
		require.False(t, ids[string(one.PackageSPDXIdentifier)], "%s is not unique", one.PackageSPDXIdentifier)
		ids[string(one.PackageSPDXIdentifier)] = true
		require.Len(t, one.PackageExternalReferences, 1)
		urls[one.PackageExternalReferences[0].Locator] = true
	}
	require.Len(t, read.Relationships, len(read.Packages))
	require.Len(t, urls, 3)
	require.Contains(t, urls, "pkg:oci/a")
	require.Contains(t, urls, "pkg:golang/stdlib@"+strings.TrimPrefix(runtime.Version(), "go"))
	require.Contains(t, strings.Join(slices.Collect(maps.Keys(urls)), "\n"), "pkg:golang/github.com/masterminds/semver/v3@v3.")
	_, err = statement.CheckSBOM(text, strings.Repeat("b", 64))
	require.ErrorContains(t, err, "the SBOM describes something else than sha256:b")
	_, err = statement.CheckSBOM([]byte(`{"spdxVersion":"SPDX-2.2","SPDXID":"SPDXRef-DOCUMENT"}`), digest)
	require.Error(t, err)
	_, err = statement.Modules("/nonexistent")
	require.ErrorContains(t, err, "read the modules in /nonexistent")
}

// Modules have the licenses of their files in the module cache, and each part has a supplier.
func TestLicensesAndSuppliers(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	licenses, err := statement.Licenses(t.Context(), root)
	require.NoError(t, err)
	info, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	parsed, err := modfile.Parse("go.mod", info, nil)
	require.NoError(t, err)
	var parts []statement.Part
	for _, required := range parsed.Require {
		purl := "pkg:golang/" + strings.ToLower(required.Mod.Path) + "@" + url.QueryEscape(required.Mod.Version)
		parts = append(parts, statement.Part{Name: required.Mod.Path, PURL: purl, Supplier: statement.Namespace(required.Mod.Path)})
	}
	parts = statement.WithLicenses(parts, licenses)
	known := 0
	for _, part := range parts {
		if part.License != "" {
			known++
		}
	}
	require.Greater(t, known*100, len(parts)*95, "licenses of %d of %d modules are known", known, len(parts))
	byName := map[string]string{}
	for _, part := range parts {
		byName[part.Name] = part.License
	}
	require.Equal(t, "Apache-2.0", byName["github.com/spf13/cobra"])
	require.Equal(t, "BSD-3-Clause", byName["golang.org/x/sync"])
	require.Equal(t, "MIT", byName["github.com/stretchr/testify"])
	require.Equal(t, "github.com/spf13", statement.Namespace("github.com/spf13/cobra"))
	require.Equal(t, "sigs.k8s.io", statement.Namespace("sigs.k8s.io/yaml"))

	document, err := statement.Document(statement.Part{Name: "a", Version: "1", PURL: "pkg:oci/a", Supplier: "Team"}, digest, parts, time.Unix(0, 0))
	require.NoError(t, err)
	for _, one := range document.Packages {
		require.NotEqual(t, "NOASSERTION", one.PackageSupplier.Supplier, one.PackageName)
		require.Equal(t, "Organization", one.PackageSupplier.SupplierType)
	}
}
