package security

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/facts"
)

//go:embed secrets.yaml
var sentences []byte

// secret is a Secret that the chart creates or reads.
type secret struct {
	made    bool // created by the chart, from values
	readers []string
}

// runtimes are the prefixes of some Secrets: the names of runtimes in the cases.
var runtimes = []string{"production-", "second-"}

// secrets returns the Secrets of the releases by name: those that are rendered and those that rendered objects refer to.
func secrets(all []release) ordered[secret] {
	var found ordered[secret]
	for _, made := range all {
		for _, document := range made.documents {
			object := document.Object
			switch object.GetKind() {
			case "Secret":
				found.at(nameOf(object.GetName())).made = true
				continue
			case "Role", "ClusterRole", "ServiceAccount":
				continue // permissions are listed with the accounts
			}
			for _, name := range facts.Secrets(object.Object) {
				of := found.at(nameOf(name))
				of.readers = union(of.readers, []string{object.GetKind() + "/" + object.GetName()})
			}
		}
	}
	for _, key := range found.keys {
		slices.Sort(found.at(key).readers)
	}
	return found
}

func nameOf(name string) string {
	for _, runtime := range runtimes {
		if rest, ok := strings.CutPrefix(name, runtime); ok {
			return "<runtime>-" + rest
		}
	}
	return name
}

// holds is the content of each Secret and who creates it, from secrets.yaml.
type holds struct {
	Holds string `json:"holds"`
	By    string `json:"by"`
}

func known() (map[string]holds, error) {
	var read map[string]holds
	if err := yaml.UnmarshalStrict(sentences, &read); err != nil {
		return nil, fmt.Errorf("tests/security/secrets.yaml: %w", err)
	}
	return read, nil
}
