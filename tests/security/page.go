package security

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Path is the path of the page, relative to the repository's root.
var Path = filepath.Join("charts", "gitops-runtime", "docs", "security.md")

// Generate creates the page from the charts of the checkout at root. It fails if any entry lacks its sentence, and names all of them.
func Generate(ctx context.Context, root string) ([]byte, error) {
	all, err := releases(ctx, root)
	if err != nil {
		return nil, err
	}
	owners, unbound, lacking, err := accounts(all)
	if err != nil {
		return nil, err
	}
	targets, more, err := outward(all)
	if err != nil {
		return nil, err
	}
	lacking = append(lacking, more...)
	held, err := known()
	if err != nil {
		return nil, err
	}
	named := secrets(all)
	for _, name := range named.sorted() {
		if held[name].Holds == "" || held[name].By == "" {
			lacking = append(lacking, "the Secret "+name+": say in tests/security/secrets.yaml what it holds and who makes it")
		}
	}
	for name := range held {
		if !slices.Contains(named.keys, name) {
			lacking = append(lacking, "tests/security/secrets.yaml speaks of the Secret "+name+", which nothing makes or reads")
		}
	}
	rights, err := narrower()
	if err != nil {
		return nil, err
	}
	why, err := reasons()
	if err != nil {
		return nil, err
	}
	weak := weaknesses(all)
	lacking = append(lacking, unreasoned(weak, why)...)
	if len(lacking) > 0 {
		slices.Sort(lacking)
		return nil, fmt.Errorf("without a sentence why (give rules a `why:` in their template):\n  %s", strings.Join(slices.Compact(lacking), "\n  "))
	}
	var every occasions
	for _, made := range all {
		every.add(made.name)
	}
	var out bytes.Buffer
	writeHead(&out, every)
	writeTokens(&out, every, owners)
	writeAccounts(&out, every, owners, unbound)
	writeNarrower(&out, rights)
	writePorts(&out, every, all)
	writeTargets(&out, targets)
	writeTLS(&out, every, weak, why)
	writeSecrets(&out, named, held, owners)
	return out.Bytes(), nil
}
