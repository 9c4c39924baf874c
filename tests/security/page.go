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

// Generate creates the page from the charts of the checkout at root. It fails if entries lack a reason, and lists all of them.
func Generate(ctx context.Context, root string) ([]byte, error) {
	all, err := releases(ctx, root)
	if err != nil {
		return nil, err
	}
	outsiders, err := Strangers(ctx, root)
	if err != nil {
		return nil, err
	}
	owners, unbound, missing, err := accounts(all)
	if err != nil {
		return nil, err
	}
	targets, more, err := outward(all)
	if err != nil {
		return nil, err
	}
	missing = append(missing, more...)
	held, err := known()
	if err != nil {
		return nil, err
	}
	named := secrets(all)
	for _, name := range named.sorted() {
		if held[name].Holds == "" || held[name].By == "" {
			missing = append(missing, "the Secret "+name+": describe in tests/security/secrets.yaml what it contains and what creates it")
		}
	}
	for name := range held {
		if !slices.Contains(named.keys, name) {
			missing = append(missing, "tests/security/secrets.yaml describes the Secret "+name+", which nothing creates or reads")
		}
	}
	why, err := reasons()
	if err != nil {
		return nil, err
	}
	weak := weaknesses(all)
	missing = append(missing, unreasoned(weak, why)...)
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, fmt.Errorf("missing reasons (add a `why:` to rules in their template):\n  %s", strings.Join(slices.Compact(missing), "\n  "))
	}
	var every occasions
	for _, made := range all {
		every.add(made.name)
	}
	var out bytes.Buffer
	writeHead(&out, every, posture(all))
	writeTokens(&out, every, owners)
	writeAccounts(&out, every, owners, unbound)
	writePorts(&out, every, all)
	writeReach(&out, outsiders)
	writeTargets(&out, targets)
	writeTLS(&out, every, weak, why)
	writeSecrets(&out, named, held, owners)
	return out.Bytes(), nil
}
