package statement

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	spdx "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdx/v2/v2_3"
)

// Part is a component of an artifact.
type Part struct {
	Name, Version string
	// PURL is its package URL: https://github.com/package-url/purl-spec
	PURL string
	// Purpose is a package purpose of SPDX: APPLICATION, LIBRARY, CONTAINER.
	Purpose string
	// License is an SPDX expression, empty if it is not known.
	License string
	// Supplier is who publishes it: an organization, or the part of its name that identifies one, such as quay.io/argoproj; empty if it is not known.
	Supplier string
}

// Document returns the SPDX document of an artifact and its parts.
func Document(whole Part, digest string, parts []Part, created time.Time) (*v2_3.Document, error) {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.PURL, b.PURL) })
	parts = slices.Compact(parts)
	top := whole.pkg()
	top.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: digest}}
	doc := &v2_3.Document{
		SPDXVersion: v2_3.Version, DataLicense: v2_3.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName: whole.Name + "-" + whole.Version,
		// unique for each artifact, and the same if the artifact is built again
		DocumentNamespace: "https://spdx.org/spdxdocs/" + url.PathEscape(whole.Name+"-"+whole.Version) + "-" + digest,
		CreationInfo: &v2_3.CreationInfo{
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "gitops-runtime-release"}},
			Created:  created.UTC().Format(time.RFC3339),
		},
		Packages:      []*v2_3.Package{top},
		Relationships: []*v2_3.Relationship{relationship("DOCUMENT", top.PackageSPDXIdentifier, common.TypeRelationshipDescribe)},
	}
	for _, part := range parts {
		one := part.pkg()
		doc.Packages = append(doc.Packages, one)
		doc.Relationships = append(doc.Relationships, relationship(top.PackageSPDXIdentifier, one.PackageSPDXIdentifier, common.TypeRelationshipContains))
	}
	return doc, spdx.Write(doc, io.Discard)
}

func relationship(from, to common.ElementID, kind string) *v2_3.Relationship {
	return &v2_3.Relationship{RefA: common.MakeDocElementID("", string(from)), RefB: common.MakeDocElementID("", string(to)), Relationship: kind}
}

const unknown = "NOASSERTION"

func (p Part) pkg() *v2_3.Package {
	license := p.License
	if license == "" {
		license = unknown
	}
	supplier := &common.Supplier{Supplier: unknown}
	if p.Supplier != "" {
		supplier = &common.Supplier{SupplierType: "Organization", Supplier: p.Supplier}
	}
	return &v2_3.Package{
		PackageName: p.Name, PackageVersion: p.Version, PackageSupplier: supplier,
		PackageSPDXIdentifier:     common.ElementID(fmt.Sprintf("Package-%x", sha256.Sum256([]byte(p.PURL)))[:24]),
		PackageDownloadLocation:   unknown,
		PackageLicenseConcluded:   unknown,
		PackageLicenseDeclared:    license,
		PackageCopyrightText:      unknown,
		PrimaryPackagePurpose:     p.Purpose,
		PackageExternalReferences: []*v2_3.PackageExternalReference{{Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: p.PURL}},
	}
}

// Modules returns the Go modules in a compiled program, and Go's standard library.
func Modules(program string) ([]Part, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("read the modules in %s: %w", program, err)
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	parts := []Part{{Name: "stdlib", Version: goVersion, PURL: "pkg:golang/stdlib@" + goVersion, Purpose: "LIBRARY", License: "BSD-3-Clause", Supplier: "Go"}}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		parts = append(parts, Part{
			Name: module.Path, Version: module.Version, Purpose: "LIBRARY", Supplier: Namespace(module.Path), PURL: moduleURL(module.Path, module.Version),
		})
	}
	return parts, nil
}

// moduleURL returns the package URL of a Go module.
func moduleURL(path, version string) string {
	return "pkg:golang/" + strings.ToLower(path) + "@" + url.QueryEscape(version)
}

// Namespace returns the part of a module path or of an image's repository that identifies who publishes it: the host, and the first folder there.
func Namespace(path string) string {
	host, rest, _ := strings.Cut(path, "/")
	owner, _, more := strings.Cut(rest, "/")
	if !more {
		return host
	}
	return host + "/" + owner
}

// ModulesOf returns the modules of several programs.
func ModulesOf(programs []string) ([]Part, error) {
	var all []Part
	for _, program := range programs {
		if _, err := os.Stat(program); err != nil {
			return nil, err
		}
		parts, err := Modules(program)
		if err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

// CheckSBOM reads an SPDX document and verifies that it describes a digest.
func CheckSBOM(text []byte, digest string) (*v2_3.Document, error) {
	var read v2_3.Document
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&read); err != nil {
		return nil, fmt.Errorf("SBOM: %w", err)
	}
	if read.SPDXVersion != v2_3.Version {
		return nil, fmt.Errorf("the SBOM has the version %q instead of %s", read.SPDXVersion, v2_3.Version)
	}
	for _, one := range read.Packages {
		for _, checksum := range one.PackageChecksums {
			if checksum.Value == digest {
				return &read, nil
			}
		}
	}
	return nil, fmt.Errorf("the SBOM describes something else than sha256:%s", digest)
}
