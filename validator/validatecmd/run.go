package validatecmd

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/checks"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/mode"
	"gitops-runtime/validator/report"
)

// run checks a subject and creates its report.
func run(ctx context.Context, subject checks.Subject, options Options, system System) (report.Report, error) {
	subject.Now = system.Now()
	subject.Network = network(subject, system.Getenv)
	skip, err := options.skip(subject)
	if err != nil {
		return report.Report{}, usage(err)
	}
	results := engine.Run(ctx, checks.Table(subject), engine.Options{Deadline: options.Timeout, Skip: skip})
	return report.Report{Version: system.Version, Target: target(subject), Results: results}, nil
}

func target(subject checks.Subject) report.Target {
	about := report.Target{
		Runtime:   subject.Values.String("global.runtime.name", ""),
		Namespace: subject.Namespace,
		Mode:      string(mode.Choose(subject.Values)),
		URL:       mode.URL(subject.Values),
		Upgrade:   subject.Upgrade,
	}
	if subject.Chart != nil {
		about.Chart = subject.Chart.Name + " " + subject.Chart.Version
	}
	return about
}

// network returns a function that creates HTTP clients with the proxies of the values, otherwise those of the environment.
func network(subject checks.Subject, getenv func(string) string) func([]byte) *http.Client {
	setting := func(path, variable string) string {
		for _, name := range []string{variable, strings.ToLower(variable)} {
			if fromEnvironment := getenv(name); fromEnvironment != "" {
				return subject.Values.String(path, fromEnvironment)
			}
		}
		return subject.Values.String(path, "")
	}
	settings := netfail.Settings{
		HTTPProxy:  setting("global.httpProxy", "HTTP_PROXY"),
		HTTPSProxy: setting("global.httpsProxy", "HTTPS_PROXY"),
		NoProxy:    setting("global.noProxy", "NO_PROXY"),
	}
	return func(authorities []byte) *http.Client {
		settings := settings
		settings.Authorities = authorities
		return netfail.Client(settings)
	}
}

const (
	skipAllPath  = "installer.skipValidation"
	skipListPath = "installer.skipChecks"
)

// skip returns the codes of checks and findings to skip, each with the flag or value that requests it.
func (o Options) skip(subject checks.Subject) (map[string]string, error) {
	skip := map[string]string{}
	if subject.Values.Bool(skipAllPath, false) {
		for _, check := range checks.Table(subject) {
			if check.Group != "schema" {
				skip[check.Code] = skipAllPath
			}
		}
	}
	for _, code := range subject.Values.List(skipListPath) {
		skip[strings.TrimSpace(fmt.Sprint(code))] = skipListPath
	}
	for _, code := range o.Skip {
		skip[strings.TrimSpace(code)] = "--skip"
	}
	for code, by := range skip {
		if _, known := findings.Lookup(code); !known {
			return nil, fmt.Errorf("%s names %q, which is not a code; `validate-values explain` lists them", by, code)
		}
	}
	return skip, nil
}
