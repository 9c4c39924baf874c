// Package pins lists the versions that charts and go.mod files pin, and compares them with the list of known vulnerabilities.
package pins

import "gitops-runtime/internal/vulnerable"

// List is the list of known vulnerabilities.
type List struct{ vulnerable.List }

// Known is the committed list.
func Known() (List, error) {
	list, err := vulnerable.Known()
	return List{list}, err
}

// Read parses a list and refuses one that contradicts itself.
func Read(text []byte) (List, error) {
	list, err := vulnerable.Read(text)
	return List{list}, err
}
