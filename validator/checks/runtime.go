package checks

import (
	"context"
	"errors"
	"regexp"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/platform"
)

const (
	namePath    = "global.runtime.name"
	clusterPath = "global.runtime.cluster"
	// inCluster is the default of global.runtime.cluster.
	inCluster = "https://kubernetes.default.svc"
	// nameLimit is the longest name the platform takes.
	nameLimit = 38
)

var (
	wellFormed = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	startsWell = regexp.MustCompile(`^[a-z]`)
)

func checkName(_ context.Context, d *desk) engine.Outcome {
	name := d.Values.String(namePath, "")
	var problem string
	switch {
	case name == "":
		return found(findings.New("RUN101", d.place(namePath)))
	case !startsWell.MatchString(name):
		problem = "it has to start with a lower-case letter"
	case !wellFormed.MatchString(name):
		problem = "only lower-case letters and digits may follow"
	case len(name) > nameLimit:
		problem = "it has more than 38 characters"
	default:
		return found()
	}
	return found(findings.New("RUN102", d.place(namePath), name, problem))
}

// checkUnique asks who carries the name. A registered runtime is known by its
// own token and has to be this one; without that token the user's is asked: on
// an install nobody may carry the name, on an upgrade it has to be this runtime.
func checkUnique(ctx context.Context, d *desk) engine.Outcome {
	name, place := d.Values.String(namePath, ""), d.place(namePath)
	own := d.own(ctx)
	switch {
	case own.alive && own.registered == nil:
		return found(findings.New("RUN204", place, name))
	case own.alive:
		return d.same(own.registered)
	case d.user == nil:
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
	if d.here(registered) {
		taken = taken.WithFix("an earlier install may have left it: delete the runtime %s from the account, then install again", name)
	}
	return found(taken)
}

// here is true when a runtime is registered from this namespace and cluster.
func (d *desk) here(registered *platform.Runtime) bool {
	cluster := d.Values.String(clusterPath, inCluster)
	return registered.Metadata.Namespace == d.Namespace && (registered.Cluster == "" || registered.Cluster == cluster)
}

// same is the outcome for a runtime that has to be this one.
func (d *desk) same(registered *platform.Runtime) engine.Outcome {
	if d.here(registered) {
		return found()
	}
	return found(findings.New("RUN202", d.place(namePath), d.Values.String(namePath, ""),
		registered.Metadata.Namespace, registered.Cluster, d.Namespace, d.Values.String(clusterPath, inCluster)))
}

func (d *desk) accountName() string {
	if d.user != nil && d.user.ActiveAccount != nil {
		return d.user.ActiveAccount.Name
	}
	return d.Values.String(accountPath, "")
}
