package checks

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/mode"
)

func index(i int) string { return helmvalues.Index("", i) }

func checkIngress(_ context.Context, d *state) engine.Outcome {
	other, ok := d.chosen(mode.Ingress)
	if !ok {
		return other
	}
	return found(d.checkHosts(ingressPath+".hosts", ingressPath+".protocol", "MOD301")...)
}

// checkIngressClass lists the classes, so that the message for a wrong one can name the valid ones.
func checkIngressClass(ctx context.Context, d *state) engine.Outcome {
	other, ok := d.chosen(mode.Ingress)
	if !ok {
		return other
	}
	place := d.place(classPath)
	class := d.Values.String(ingressPath+".className", "")
	if class == "" {
		return nothing("no class is named, so the cluster's default serves")
	}
	if cannot, ok := d.reach(); !ok {
		return cannot
	}
	classes, err := d.Cluster.IngressClasses(ctx)
	switch {
	case err != nil:
		return found(unknown("MOD400", place, "Whether the IngressClass exists", missing(err)))
	case slices.Contains(classes, class):
		return found()
	case len(classes) == 0:
		classes = []string{"none"}
	}
	return found(findings.New("MOD401", place, class, strings.Join(classes, ", ")))
}

// checkIngressURL requests the public URL. During an install the address may not exist yet, so a problem is only a warning.
func checkIngressURL(ctx context.Context, d *state) engine.Outcome {
	other, ok := d.chosen(mode.Ingress)
	if !ok {
		return other
	}
	if d.Values.Bool(ingressPath+".skipValidation", false) {
		return nothing(ingressPath + ".skipValidation is set")
	}
	address := mode.URL(d.Values)
	if strings.Contains(address, "*") {
		return nothing("the first host is a wildcard")
	}
	finding, wrong := d.probe(ctx, address)
	switch {
	case !wrong:
		return found()
	case !d.Upgrade:
		finding = finding.AtLevel(findings.Warn)
	}
	return found(finding)
}

func (d *state) probe(ctx context.Context, address string) (findings.Finding, bool) {
	place := d.place(ingressPath + ".hosts[0]")
	parsed, err := url.Parse(address)
	if err != nil {
		return findings.New("MOD302", place, address), true
	}
	status, err := d.get(ctx, address)
	var failure *netfail.Failure
	switch {
	case errors.As(err, &failure) && failure.Stage == netfail.DNS && failure.Timeout:
		return unknown("MOD500", place, "Whether "+address+" answers", missing(err)), true
	case errors.As(err, &failure) && failure.Stage == netfail.DNS:
		return findings.New("MOD501", place, parsed.Hostname()), true
	case errors.As(err, &failure) && failure.Stage == netfail.TCP:
		return findings.New("MOD502", place, parsed.Host, failure.Reason()), true
	case errors.As(err, &failure) && failure.Stage == netfail.TLS:
		return findings.New("MOD503", place, parsed.Host, failure.Reason()), true
	case err != nil:
		return findings.New("MOD504", place, address, "no HTTP reply"), true
	case status >= http.StatusInternalServerError:
		return findings.New("MOD504", place, address, statusText(status)), true
	}
	return findings.Finding{}, false
}

// get requests a URL and returns the HTTP status of the response.
func (d *state) get(ctx context.Context, address string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	response, err := d.client().Do(request)
	if err != nil {
		if errors.Is(err, netfail.ErrRedirect) {
			return http.StatusFound, nil
		}
		return 0, netfail.Classify(request.URL.Host, err)
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, 1<<10)
	return response.StatusCode, nil
}
