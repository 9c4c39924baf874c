package checks

import (
	"context"
	"errors"
	"strings"
	"sync"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/platform"
)

// ownSecret and ownKey are the Secret and the key in which a registered runtime stores its own token.
const (
	ownSecret = "codefresh-token"
	ownKey    = "token"
)

// identity is the result of checking the runtime's own token: whether it exists, whether the platform accepts it, and which runtime it belongs to.
type identity struct {
	// accepted is true if the platform accepted the token; registered is then the account's runtime with the name in the values, nil if there is
	// none.
	accepted   bool
	registered *platform.Runtime
	// outcome is the outcome of the check of the token.
	outcome engine.Outcome
}

// identityOnce stores the identity, so that the token is checked once for all checks that need it.
type identityOnce struct {
	once  sync.Once
	found identity
}

// runtimeIdentity reads the runtime's own token and sends a request with it to the platform. The token exists from the first registration on, even if
// the installer reports an install: Argo CD renders every sync as an install.
func (d *state) runtimeIdentity(ctx context.Context) identity {
	d.identity.once.Do(func() { d.identity.found = d.readIdentity(ctx) })
	return d.identity.found
}

func (d *state) readIdentity(ctx context.Context) identity {
	if d.Cluster == nil {
		return identity{outcome: lacks(needsCluster)}
	}
	data, err := d.Cluster.Secret(ctx, d.Namespace, ownSecret)
	token := strings.TrimSpace(string(data[ownKey]))
	switch {
	case cluster.NotFound(err) && d.Upgrade:
		return identity{outcome: found(findings.New("RUN301", helmvalues.Place{}, ownSecret, d.Namespace))}
	case cluster.NotFound(err):
		return identity{outcome: nothing("the runtime is not registered yet")}
	case err != nil:
		return identity{outcome: found(unknown("RUN300", helmvalues.Place{}, "The runtime's own token", missing(err)))}
	case token == "" && d.Upgrade:
		return identity{outcome: found(findings.New("RUN302", helmvalues.Place{}, ownSecret, ownKey))}
	case token == "":
		return identity{outcome: nothing("the runtime is not registered yet")}
	}
	address := d.Values.String(urlPath, platformURL)
	if notURL(address) != "" || d.insecure(address) {
		return identity{outcome: lacks("a platform URL that a token may be sent to")}
	}
	client := platform.Client{URL: address, Token: token, HTTP: d.client()}
	registered, err := client.Runtime(ctx, d.Values.String(namePath, ""))
	if err != nil {
		return identity{outcome: found(d.tokenRefused(err))}
	}
	return identity{accepted: true, registered: registered, outcome: found()}
}

// tokenRefused distinguishes a token that the platform does not know from a platform that does not respond, or not to this token.
func (d *state) tokenRefused(err error) findings.Finding {
	var answer *platform.Error
	var failure *netfail.Failure
	reason := err.Error()
	switch {
	case errors.As(err, &answer) && answer.Kind == platform.Refused:
		return findings.New("RUN303", helmvalues.Place{}, answer.Host, refusal(answer)).
			WithFix("kubectl delete secret %s -n %s, then upgrade: the runtime registers again", ownSecret, cleantext.Argument(d.Namespace))
	case errors.As(err, &failure):
		reason = missing(err)
	}
	return unknown("RUN300", d.place(urlPath), "Whether the runtime's own token is valid", reason)
}

// checkOwnToken reports the result for the runtime's own token.
func checkOwnToken(ctx context.Context, d *state) engine.Outcome {
	return d.runtimeIdentity(ctx).outcome
}

// warnIfRegistered turns a failure that concerns only the user into a warning if the runtime is registered and has its own token: it no longer needs
// the user.
func (d *state) warnIfRegistered(ctx context.Context, finding findings.Finding) findings.Finding {
	if finding.Level == findings.Fail && d.runtimeIdentity(ctx).accepted {
		return finding.AtLevel(findings.Warn)
	}
	return finding
}
