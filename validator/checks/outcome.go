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

// needsCluster is what a check lacks when there is no API server to ask.
const needsCluster = "a cluster"

// reach says whether a question about the whole cluster can be asked; when not,
// the outcome says what is missing. In a single namespace the hook has no
// cluster-wide rights, by design.
func (d *state) reach() (engine.Outcome, bool) {
	switch {
	case d.Cluster == nil:
		return lacks(needsCluster), false
	case d.InHook && d.Values.Bool(singlePath, false):
		return lacks("cluster-wide rights, which " + singlePath + " leaves out"), false
	}
	return engine.Outcome{}, true
}

// found is the outcome of a check with these findings; none means it passed.
func found(list ...findings.Finding) engine.Outcome { return engine.Outcome{Findings: list} }

// nothing is the outcome of a check that had nothing to look at.
func nothing(why string) engine.Outcome { return engine.Outcome{Skip: why} }

// lacks is the outcome of a check that could not look.
func lacks(what string) engine.Outcome { return engine.Outcome{Lacks: what} }

// unknown is the finding that a question got no answer, with what was missing.
func unknown(check string, place helmvalues.Place, question, missing string) findings.Finding {
	return findings.New(check, place, question+" is unknown: "+missing+".")
}

// missing says what stood between a question and its answer: a right, time, or
// a host at a stage.
func missing(err error) string {
	var refused *cluster.Error
	var failure *netfail.Failure
	switch {
	case errors.As(err, &refused) && refused.Forbidden():
		return fmt.Sprintf("the right to %s %s is missing", refused.Verb, refused.Resource)
	case errors.As(err, &failure):
		return fmt.Sprintf("%s failed at %s (%s)", failure.Host, failure.Stage, failure.Reason())
	case errors.As(err, &refused) && refused.Status != 0:
		return fmt.Sprintf("the cluster answers HTTP %d to %s %s", refused.Status, refused.Verb, refused.Resource)
	}
	return err.Error()
}

// absent is true for the answer that an object does not exist.
func absent(err error) bool {
	var refused *cluster.Error
	return errors.As(err, &refused) && refused.NotFound()
}

// statusText is an HTTP status for a sentence, "HTTP 503 Service Unavailable".
func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("HTTP %d %s", status, text)
	}
	return fmt.Sprintf("HTTP %d", status)
}
