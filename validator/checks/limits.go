package checks

import (
	"context"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

const skipUsagePath = "installer.skipUsageValidation"

// checkLimits checks whether the account may have another runtime. A runtime counts as a cluster, and the install fails once the limit is reached: the
// rule of the published chart's hook ("cf account validate-usage --fail-condition=reached --subject=clusters"). A runtime that is already registered is
// counted, so an upgrade is not rejected.
func checkLimits(ctx context.Context, d *state) engine.Outcome {
	switch {
	case d.Values.Bool(skipUsagePath, false):
		return nothing(skipUsagePath + " is set")
	case d.Upgrade:
		return nothing("this is an upgrade")
	case d.runtimeIdentity(ctx).accepted:
		return nothing("the runtime is registered already")
	case d.facts().user == nil:
		return lacks("ACC100")
	}
	const question = "Whether the account may have another runtime"
	status, err := d.platform().Limits(ctx)
	switch {
	case err != nil:
		return found(unknown("ACC400", d.place(urlPath), question, missing(err)))
	case status == nil, status.Limits == nil, status.Limits.Clusters == nil:
		return nothing("the account has no limit of clusters")
	case status.Usage == nil, status.Usage.Clusters == nil:
		return found(unknown("ACC400", d.place(urlPath), question, "the platform does not report how many clusters the account has"))
	case *status.Usage.Clusters >= *status.Limits.Clusters:
		return found(findings.New("ACC401", d.tokenPlace(), d.accountName(), *status.Usage.Clusters, *status.Limits.Clusters))
	}
	return found()
}
