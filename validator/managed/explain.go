package managed

import (
	"errors"
	"fmt"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/findings"
)

// Explain returns the finding about a request to a cluster that failed: a certificate that is not trusted, a token that is refused, or else that there is
// no answer. An error without a request is about the Secret.
func (c Cluster) Explain(err error) findings.Finding {
	place := helmvalues.Place{Value: "Secret " + c.Secret}
	var answer *cluster.Error
	var failure *netfail.Failure
	switch {
	case errors.As(err, &failure) && failure.Untrusted:
		return findings.New("MCL102", place, c.Server, c.Name, failure.Reason(), c.Secret)
	case errors.As(err, &failure):
		return findings.New("MCL100", place, fmt.Sprintf("Whether cluster %s can be used is unknown: %s failed at %s (%s).", c.Name, failure.Host, failure.Stage, failure.Reason()))
	case refused(err):
		namespace, name, _, unknown := account(c.Config.BearerToken)
		if unknown != nil {
			namespace, name = "<its namespace>", "<account>"
		}
		return findings.New("MCL103", place, c.Name, c.Secret).WithFix(
			"kubectl create token %s --namespace %s --duration 1h --context <that cluster> | kubectl create secret generic %s-first-token --from-file=token=/dev/stdin; then kubectl create job %s-now --from=cronjob/%s",
			name, namespace, c.Secret, c.Secret, c.Secret)
	case cluster.Forbidden(err) && errors.As(err, &answer):
		return findings.New("MCL104", place, c.Name, "permission to "+answer.Verb+" "+answer.Resource)
	case errors.As(err, &answer):
		return findings.New("MCL100", place, fmt.Sprintf("Whether cluster %s can be used is unknown: it answers HTTP %d to %s %s.", c.Name, answer.Status, answer.Verb, answer.Resource))
	}
	return findings.New("MCL101", place, c.Secret, err)
}
