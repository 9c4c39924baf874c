// Package vulnerable is the committed, dated list of known vulnerabilities of what the charts install, and of what the programs are made of.
package vulnerable

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"
)

//go:embed known.yaml
var known []byte

// List is the list of known pins.
type List struct {
	// Date is the day on which the products were last looked up.
	Date string
	// Products are the pinned products with their known pins.
	Products []Product
	// Unlisted are pins that no product covers.
	Unlisted []Unlisted
	// Unclear are advisories whose ranges are not known.
	Unclear []Unclear
}

// Product is a program or library, and where it is pinned.
type Product struct {
	Name string
	// Images are repositories of images, with their registry.
	Images []string
	// Module is the path of the product's Go module.
	Module string
	// Program is the folder of tests/e2e/programs whose go.mod requires Module.
	Program string
	// Linked means that the repository's own go.mod requires Module.
	Linked          bool
	Vulnerabilities []Vulnerability
}

// Vulnerability is one entry of a product.
type Vulnerability struct {
	ID, Severity, Summary, Source string
	// Found is how the entry was found: one of the keys of ways.
	Found string
	// Affected is the range of affected versions.
	Affected string
	// Fixed is the first version of the pinned line without it.
	Fixed string
	// Accepted is why an affected version is pinned nevertheless.
	Accepted string
}

// Unlisted are repositories of images, or registries with an owner, or folders of tests/e2e/programs.
type Unlisted struct {
	Pins []string
	Why  string
}

// Unclear is what is not known of some advisories.
type Unclear struct {
	Product      string
	IDs          []string
	What, Source string
}

// Known is the committed list.
func Known() (List, error) { return Read(known) }

// Read parses a list and refuses one that contradicts itself.
func Read(text []byte) (List, error) {
	var list List
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		return List{}, fmt.Errorf("list of vulnerabilities: %w", err)
	}
	var problems []error
	if _, err := time.Parse(time.DateOnly, list.Date); err != nil {
		problems = append(problems, fmt.Errorf("date: %w", err))
	}
	for _, product := range list.Products {
		for _, one := range product.Vulnerabilities {
			if err := one.check(); err != nil {
				problems = append(problems, fmt.Errorf("%s: %s: %w", product.Name, one.ID, err))
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return List{}, fmt.Errorf("list of vulnerabilities: %w", err)
	}
	return list, nil
}

var severities = map[string]bool{"critical": true, "high": true, "medium": true, "low": true, "unknown": true}

var ways = map[string]bool{"advisory": true, "release": true, "database": true, "second-hand": true}

func (v Vulnerability) check() error {
	if !ways[v.Found] {
		return errors.New("found has to be advisory, release, database or second-hand")
	}
	if v.ID == "" || v.Summary == "" || v.Source == "" || !severities[v.Severity] {
		return errors.New("id, summary, source and a severity of critical, high, medium, low or unknown are required")
	}
	fixed, err := semver.NewVersion(v.Fixed)
	if err != nil {
		return fmt.Errorf("fixed %q: %w", v.Fixed, err)
	}
	affected, err := v.Affects(fixed)
	if err != nil {
		return err
	}
	if affected {
		return fmt.Errorf("the fixed version %s is in the affected range %s", v.Fixed, v.Affected)
	}
	return nil
}

// Affects reports whether a version has the vulnerability.
func (v Vulnerability) Affects(version *semver.Version) (bool, error) {
	affected, err := semver.NewConstraint(v.Affected)
	if err != nil {
		return false, fmt.Errorf("affected %q: %w", v.Affected, err)
	}
	return affected.Check(version), nil
}

// plain is a version without a suffix of the tag, such as -alpine3.24, which a semantic version would treat as a release candidate.
var plain = regexp.MustCompile(`^v?\d+\.\d+(\.\d+)?`)

// Version returns the version that the tag of an image, or of a module, names.
func Version(tag string) (*semver.Version, error) {
	return semver.NewVersion(plain.FindString(tag))
}

// Of returns the vulnerabilities of a version of an image; known is false if the list does not cover the image, or the tag is not a version.
func (l List) Of(repository, tag string) (found []Vulnerability, known bool) {
	version, err := Version(tag)
	if err != nil {
		return nil, false
	}
	for _, product := range l.Products {
		if !slices.Contains(product.Images, repository) {
			continue
		}
		known = true
		for _, one := range product.Vulnerabilities {
			if affected, err := one.Affects(version); err == nil && affected {
				found = append(found, one)
			}
		}
	}
	return found, known
}
