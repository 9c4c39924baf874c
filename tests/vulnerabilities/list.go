// Package vulnerabilities compares the versions that charts and go.mod files pin with a committed, dated list of known vulnerabilities.
package vulnerabilities

import (
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"
)

//go:embed known.yaml
var known []byte

// List is the list of known vulnerabilities.
type List struct {
	// Date is the day on which the products were last looked up.
	Date string
	// Products are the pinned products with their known vulnerabilities.
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
	// Program is the folder of localcluster/programs whose go.mod requires Module.
	Program string
	// Linked means that the repository's own go.mod requires Module.
	Linked          bool
	Vulnerabilities []Vulnerability
}

// Vulnerability is one entry of a product.
type Vulnerability struct {
	ID, Severity, Summary, Source string
	// Affected is the range of affected versions.
	Affected string
	// Fixed is the first version of the pinned line without it.
	Fixed string
	// Accepted is why an affected version is pinned nevertheless.
	Accepted string
}

// Unlisted are repositories of images, or registries with an owner, or folders of localcluster/programs.
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

func (v Vulnerability) check() error {
	if v.ID == "" || v.Summary == "" || v.Source == "" || !severities[v.Severity] {
		return errors.New("id, summary, source and a severity of critical, high, medium, low or unknown are required")
	}
	fixed, err := semver.NewVersion(v.Fixed)
	if err != nil {
		return fmt.Errorf("fixed %q: %w", v.Fixed, err)
	}
	affected, err := v.affects(fixed)
	if err != nil {
		return err
	}
	if affected {
		return fmt.Errorf("the fixed version %s is in the affected range %s", v.Fixed, v.Affected)
	}
	return nil
}

func (v Vulnerability) affects(version *semver.Version) (bool, error) {
	affected, err := semver.NewConstraint(v.Affected)
	if err != nil {
		return false, fmt.Errorf("affected %q: %w", v.Affected, err)
	}
	return affected.Check(version), nil
}
