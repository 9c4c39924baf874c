package checks

import (
	"errors"
	"fmt"
	"net/http"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// needsCluster is the reason of a check that was skipped without an API server.
const needsCluster = "a cluster"

// reach reports whether the whole cluster can be queried; if not, the outcome describes what is missing. In a single namespace the hook has no
// cluster-wide permissions, by design.
func (d *state) reach() (engine.Outcome, bool) {
	switch {
	case d.Cluster == nil:
		return lacks(needsCluster), false
	case d.InHook && d.Values.Bool(singlePath, false):
		return lacks("cluster-wide rights, which " + singlePath + " leaves out"), false
	}
	return engine.Outcome{}, true
}

// found returns the outcome of a check with these findings; without any, the check passed.
func found(list ...findings.Finding) engine.Outcome { return engine.Outcome{Findings: list} }

// nothing returns the outcome of a check that does not apply.
func nothing(why string) engine.Outcome { return engine.Outcome{Skip: why} }

// lacks returns the outcome of a check that could not run.
func lacks(what string) engine.Outcome { return engine.Outcome{Lacks: what} }

// unknown returns the finding that a question has no answer; missing is the reason.
func unknown(check string, place helmvalues.Place, question, missing string) findings.Finding {
	return findings.New(check, place, question+" is unknown: "+missing+".")
}

// missing describes why a request got no response: a permission, the deadline, or a host at a stage.
func missing(err error) string {
	var refused *cluster.Error
	var failure *netfail.Failure
	switch {
	case errors.As(err, &refused) && cluster.Forbidden(err):
		return fmt.Sprintf("the right to %s %s is missing", refused.Verb, refused.Resource)
	case errors.As(err, &failure):
		return fmt.Sprintf("%s failed at %s (%s)", failure.Host, failure.Stage, failure.Reason())
	case errors.As(err, &refused) && refused.Status != 0:
		return fmt.Sprintf("the cluster answers HTTP %d to %s %s", refused.Status, refused.Verb, refused.Resource)
	}
	return err.Error()
}

// statusText formats an HTTP status for a sentence, "HTTP 503 Service Unavailable".
func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("HTTP %d %s", status, text)
	}
	return fmt.Sprintf("HTTP %d", status)
}
