package selftest

import (
	"context"
	"errors"
	"fmt"

	"gitops-runtime/internal/netfail"
)

// AccessOptions configure the test of the runtime's public URL.
type AccessOptions struct {
	// Mode is the access mode, such as tunnel.
	Mode string
	// URL is the runtime's public URL.
	URL string
	// Path is requested from it, and from Target, the address of app-proxy's Service.
	Path, Target string
}

// fixes are the fixes for an unreachable runtime, by access mode.
var fixes = map[string]string{
	"tunnel":  "check the log of the tunnel client, which contains the reason if its server rejects it",
	"ingress": "check that the host resolves to the ingress controller, also for pods, and the output of `kubectl describe ingress codefresh-gitops-runtime`",
	"gateway": "check that the host resolves to the Gateway, also for pods, and the output of `kubectl describe httproute codefresh-gitops-runtime`",
	"mesh":    "check that global.runtime.ingressUrl resolves to the mesh's gateway, also for pods, and that its route targets internal-router",
}

// Access requests the runtime's public URL, as users do: app-proxy has to respond as it does directly. No credential is sent, so a certificate that the
// pod does not trust, although browsers of the company may, is reported and does not fail the test.
func Access(ctx context.Context, s Surroundings, o AccessOptions, report *Report) {
	address := o.URL + o.Path
	check := Check{
		Name: "access/" + o.Mode, Title: "app-proxy answers at " + o.URL,
		Asked: "GET " + address + " and GET " + o.Target + o.Path,
		Fix:   fixes[o.Mode] + "; where pods cannot reach the public address at all, leave the test out: --set tests.skip={access}",
	}
	client, note := s.HTTP, ""
	var failed *netfail.Failure
	if _, err := s.ask(ctx, s.HTTP, address); errors.As(err, &failed) && failed.Untrusted {
		client, note = s.Unverified, ", its certificate not verified: "+failed.Reason()
	}
	got, err := s.matches(ctx, client, address, o.Target+o.Path)
	if err != nil && note != "" {
		err = fmt.Errorf("%w%s", err, note)
	}
	report.Add(check, got+note, err)
}
