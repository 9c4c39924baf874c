package checks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// reference is a secretKeyRef of the values, with the codes of its findings.
type reference struct {
	// path of the secretKeyRef in the values.
	path string
	// check is the code of the check, the others are those of its findings. A code is empty if the caller has excluded the case.
	check, noField, noSecret, noKey, empty string
	// what is a short description of the Secret's content.
	what string
	// defaultName and defaultKey are used if the reference names none and the chart has a default.
	defaultName, defaultKey string
}

// follow reads the entry that a reference names. ok is false if there is no entry; the outcome then contains the reason.
func (d *state) follow(ctx context.Context, r reference) (entry string, outcome engine.Outcome, ok bool) {
	name, key := d.Values.String(r.path+".name", r.defaultName), d.Values.String(r.path+".key", r.defaultKey)
	switch {
	case name == "":
		return "", found(findings.New(r.noField, d.place(r.path), "name")), false
	case key == "":
		return "", found(findings.New(r.noField, d.place(r.path), "key")), false
	}
	if d.Cluster == nil {
		return "", lacks(needsCluster), false
	}
	data, err := d.Cluster.Secret(ctx, d.Namespace, name)
	create := fmt.Sprintf("kubectl create secret generic %s --namespace %s --from-literal=%s=<%s>",
		cleantext.Argument(name), cleantext.Argument(d.Namespace), cleantext.Argument(key), r.what)
	switch {
	case cluster.NotFound(err):
		return "", found(findings.New(r.noSecret, d.place(r.path+".name"), name, d.Namespace).WithFix("%s", create)), false
	case err != nil:
		return "", found(unknown(r.check, d.place(r.path+".name"), "The "+r.what, missing(err))), false
	}
	content, exists := data[key]
	switch {
	case !exists:
		return "", found(d.noKey(r, name, key, data)), false
	case strings.TrimSpace(string(content)) == "":
		replace := create + " --dry-run=client -o yaml | kubectl apply -f -"
		return "", found(findings.New(r.empty, d.place(r.path+".key"), name, key).WithFix("%s", replace)), false
	}
	return string(content), engine.Outcome{}, true
}

func (d *state) noKey(r reference, name, key string, data map[string][]byte) findings.Finding {
	keys := slices.Sorted(maps.Keys(data))
	has := strings.Join(keys, ", ")
	if has == "" {
		has = "none"
	}
	finding := findings.New(r.noKey, d.place(r.path+".key"), name, key, has)
	if len(keys) == 1 {
		return finding.WithFix("set %s.key to %s", r.path, keys[0])
	}
	return finding.WithFix("set %s.key to one of its keys", r.path)
}
