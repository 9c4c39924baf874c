// Package vex states which known vulnerabilities the images have that the charts install, as an OpenVEX document (https://openvex.dev), so that scanners
// report what is open and not what is fixed. The facts are those of the dated list in internal/vulnerable.
package vex

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	openvex "github.com/openvex/go-vex/pkg/vex"

	"gitops-runtime/internal/vulnerable"
)

// Document returns the statements about images, each a reference with a tag: for every vulnerability of the list, whether the image is affected, fixed or
// not affected, and under investigation where no range of versions is known. author is who makes the statements; digests are those of images, as far as
// they are known. Images that the list does not cover, or whose tag is not a version, have no statement.
func Document(list vulnerable.List, images []string, digests map[string]string, author string) (openvex.VEX, error) {
	day, err := time.Parse(time.DateOnly, list.Date)
	if err != nil {
		return openvex.VEX{}, fmt.Errorf("date of the list: %w", err)
	}
	document := openvex.New()
	document.Author, document.Timestamp, document.Tooling = author, &day, "gitops-runtime release vex"
	for _, image := range images {
		repository, tag, _ := strings.Cut(image, ":")
		version, err := vulnerable.Version(tag)
		if err != nil {
			continue
		}
		about := []openvex.Product{{Component: openvex.Component{ID: packageURL(repository, tag, digests[image])}}}
		for _, product := range list.Products {
			if !slices.Contains(product.Images, repository) {
				continue
			}
			for _, one := range product.Vulnerabilities {
				statement, err := stated(one, version)
				if err != nil {
					return openvex.VEX{}, fmt.Errorf("%s: %s: %w", image, one.ID, err)
				}
				statement.Products = about
				document.Statements = append(document.Statements, statement)
			}
			for _, unclear := range list.Unclear {
				if unclear.Product == product.Name {
					document.Statements = append(document.Statements, investigated(unclear, about)...)
				}
			}
		}
	}
	for _, statement := range document.Statements {
		if err := statement.Validate(); err != nil {
			return openvex.VEX{}, fmt.Errorf("%s: %w", statement.Vulnerability.Name, err)
		}
	}
	if _, err := document.GenerateCanonicalID(); err != nil {
		return openvex.VEX{}, fmt.Errorf("id of the document: %w", err)
	}
	return document, nil
}

// stated returns the statement about a version, without its products.
func stated(one vulnerable.Vulnerability, version *semver.Version) (openvex.Statement, error) {
	statement := openvex.Statement{
		Vulnerability: openvex.Vulnerability{ID: one.Source, Name: openvex.VulnerabilityID(one.ID), Description: one.Summary},
		StatusNotes:   fmt.Sprintf("Affected are versions %s; source (%s): %s", one.Affected, one.Found, one.Source),
	}
	affected, err := one.Affects(version)
	if err != nil {
		return statement, err
	}
	fixed, err := semver.NewVersion(one.Fixed)
	if err != nil {
		return statement, fmt.Errorf("fixed: %w", err)
	}
	switch {
	case affected:
		statement.Status, statement.ActionStatement = openvex.StatusAffected, "Update to "+one.Fixed+" or later."
		if one.Accepted != "" {
			statement.ActionStatement += " Not updated yet: " + one.Accepted + "."
		}
	case version.LessThan(fixed):
		statement.Status, statement.Justification = openvex.StatusNotAffected, openvex.VulnerableCodeNotPresent
		statement.ImpactStatement = fmt.Sprintf("Version %s precedes the affected versions.", version)
	default:
		statement.Status = openvex.StatusFixed
	}
	return statement, nil
}

// investigated returns the statements about advisories whose ranges are not known.
func investigated(unclear vulnerable.Unclear, about []openvex.Product) []openvex.Statement {
	var statements []openvex.Statement
	for _, id := range unclear.IDs {
		statements = append(statements, openvex.Statement{
			Vulnerability: openvex.Vulnerability{ID: unclear.Source, Name: openvex.VulnerabilityID(id), Description: unclear.What},
			StatusNotes:   unclear.What + "; source: " + unclear.Source, Products: about, Status: openvex.StatusUnderInvestigation,
		})
	}
	return statements
}

// packageURL returns the package URL of an image: https://github.com/package-url/purl-spec/blob/main/types-doc/oci-definition.md
func packageURL(repository, tag, digest string) string {
	version := ""
	if digest != "" {
		version = "@" + url.QueryEscape(digest)
	}
	return fmt.Sprintf("pkg:oci/%s%s?repository_url=%s&tag=%s", path.Base(repository), version, url.QueryEscape(repository), url.QueryEscape(tag))
}
