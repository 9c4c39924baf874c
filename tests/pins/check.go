package pins

import (
	"fmt"
	"strings"

	"gitops-runtime/internal/vulnerable"
)

// Check compares pinned versions with the list and returns one sentence for each problem: pinned versions with a known vulnerability, pinned versions
// that the list does not cover, and entries of the list that are no longer needed.
func (l List) Check(pins []Pin) ([]string, error) {
	var wrong []string
	for _, product := range l.Products {
		found, err := checkProduct(product, pins)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, found...)
	}
	return append(wrong, l.uncovered(pins)...), nil
}

func checkProduct(p vulnerable.Product, pins []Pin) ([]string, error) {
	var wrong []string
	pinned, accepted := 0, map[string]bool{}
	for _, pin := range pins {
		if !pin.of(p) {
			continue
		}
		pinned++
		version, err := vulnerable.Version(pin.Version)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %s %s is not a version that can be compared: pin a release", pin.File, pin.What, pin.Version))
			continue
		}
		for _, one := range p.Vulnerabilities {
			affected, err := one.Affects(version)
			switch {
			case err != nil:
				return nil, fmt.Errorf("%s: %s: %w", p.Name, one.ID, err)
			case affected && one.Accepted != "":
				accepted[one.ID] = true
			case affected:
				wrong = append(wrong, fmt.Sprintf("%s: %s %s has %s (%s: %s): pin %s or newer; see %s",
					pin.File, pin.What, pin.Version, one.ID, one.Severity, one.Summary, one.Fixed, one.Source))
			}
		}
	}
	if pinned == 0 {
		wrong = append(wrong, p.Name+" is pinned nowhere: remove it from the list")
	}
	for _, one := range p.Vulnerabilities {
		if one.Accepted != "" && !accepted[one.ID] {
			wrong = append(wrong, fmt.Sprintf("%s: %s is accepted, but no pin has it: remove the field accepted", p.Name, one.ID))
		}
	}
	return wrong, nil
}

// uncovered lists images, and folders of tests/e2e/programs, that are neither a product's nor among the unlisted.
func (l List) uncovered(pins []Pin) []string {
	var wrong []string
	seen := map[string]bool{}
	for _, pin := range pins {
		what := pin.What
		if !pin.isImage() {
			what = pin.Program
		}
		if what == "" || seen[what] || l.covers(what) {
			continue
		}
		seen[what] = true
		wrong = append(wrong, fmt.Sprintf("%s: the list of known vulnerabilities does not cover %s: add a product, or an entry under unlisted that says why", pin.File, what))
	}
	return wrong
}

func (l List) covers(what string) bool {
	for _, product := range l.Products {
		if product.Program == what {
			return true
		}
		for _, image := range product.Images {
			if image == what {
				return true
			}
		}
	}
	for _, unlisted := range l.Unlisted {
		for _, pin := range unlisted.Pins {
			if what == pin || strings.HasPrefix(what, pin+"/") {
				return true
			}
		}
	}
	return false
}
