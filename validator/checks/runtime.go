package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/mode"
	"gitops-runtime/validator/platform"
)

const (
	namePath    = "global.runtime.name"
	clusterPath = "global.runtime.cluster"
	// inCluster is the default of global.runtime.cluster.
	inCluster = "https://kubernetes.default.svc"
	// labelLimit is the maximum length of a DNS label and of a Kubernetes label value; names become both.
	labelLimit = 63
)

var (
	wellFormed = regexp.MustCompile(`^[-a-z0-9]*$`)
	startsWell = regexp.MustCompile(`^[a-z]`)
)

func checkName(_ context.Context, d *state) engine.Outcome {
	name := d.Values.String(namePath, "")
	var problem string
	switch {
	case name == "":
		return found(findings.New("RUN101", d.place(namePath)))
	case !startsWell.MatchString(name):
		problem = "it has to start with a lower-case letter"
	case !wellFormed.MatchString(name):
		problem = "only lower-case letters, digits and dashes may follow"
	case strings.HasSuffix(name, "-"):
		problem = "a dash cannot be its last character"
	case len(name) > labelLimit:
		problem = fmt.Sprintf("it has more than %d characters", labelLimit)
	default:
		return d.checkTunnelLabel(name)
	}
	return found(findings.New("RUN102", d.place(namePath), name, problem))
}

// checkTunnelLabel checks the first label of the tunnel's host name, which consists of account and runtime.
func (d *state) checkTunnelLabel(name string) engine.Outcome {
	account := d.Values.String(accountPath, "")
	label := account + "-" + name
	if mode.Choose(d.Values) != mode.Tunnel || account == "" || len(label) <= labelLimit {
		return found()
	}
	long := findings.New("RUN103", d.place(namePath), label, len(label), labelLimit)
	if room := labelLimit - len(account) - 1; room > 0 {
		long = long.WithFix("set %s to a name of %d characters at most", namePath, room)
	}
	return found(long)
}

// checkUnique finds the runtime that has the name. A registered runtime is identified by its own token and has to be this one; without that token the
// user's is used: on an install the name has to be free, on an upgrade it has to belong to this runtime.
func checkUnique(ctx context.Context, d *state) engine.Outcome {
	name, place := d.Values.String(namePath, ""), d.place(namePath)
	current := d.runtimeIdentity(ctx)
	switch {
	case current.accepted && current.registered == nil:
		return found(findings.New("RUN204", place, name))
	case current.accepted:
		return d.same(current.registered)
	case d.facts().user == nil:
		return lacks("ACC100")
	}
	registered, err := d.platform().Runtime(ctx, name)
	var answer *platform.Error
	switch {
	case errors.As(err, &answer):
		return found(unknown("RUN200", place, "Whether the name is free", missing(err)))
	case err != nil:
		return found(unknown("RUN200", place, "Whether the name is free", err.Error()))
	case registered == nil && d.Upgrade:
		return found(findings.New("RUN203", place, name))
	case registered == nil:
		return found()
	case d.Upgrade:
		return d.same(registered)
	}
	taken := findings.New("RUN201", place, d.accountName(), name, registered.Metadata.Namespace)
	if here, _ := d.here(registered); here {
		taken = taken.WithFix("an earlier install may have left it: delete the runtime %s from the account, then install again", name)
	}
	return found(taken)
}

// here reports whether a runtime is registered from this namespace and cluster, as far as the platform has recorded them; sure is true if it has
// recorded both.
func (d *state) here(registered *platform.Runtime) (here, sure bool) {
	namespace, cluster := registered.Metadata.Namespace, registered.Cluster
	here = (namespace == "" || namespace == d.Namespace) && (cluster == "" || cluster == d.Values.String(clusterPath, inCluster))
	return here, namespace != "" && cluster != ""
}

// same returns the outcome for a runtime that has to be this one. Namespace and cluster are optional in the platform's records; missing records do
// not reject an upgrade.
func (d *state) same(registered *platform.Runtime) engine.Outcome {
	here, sure := d.here(registered)
	if here && sure {
		return found()
	}
	const unrecorded = "(not recorded)"
	other := findings.New("RUN202", d.place(namePath), d.Values.String(namePath, ""),
		cmp.Or(registered.Metadata.Namespace, unrecorded), cmp.Or(registered.Cluster, unrecorded),
		d.Namespace, d.Values.String(clusterPath, inCluster))
	if here {
		other = other.AtLevel(findings.Warn).WithFix("nothing, where the runtime %s is this one; otherwise choose another name", d.Values.String(namePath, ""))
	}
	return found(other)
}

func (d *state) accountName() string {
	if user := d.facts().user; user != nil && user.ActiveAccount != nil {
		return user.ActiveAccount.Name
	}
	return d.Values.String(accountPath, "")
}
