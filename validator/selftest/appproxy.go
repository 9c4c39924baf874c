package selftest

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"gitops-runtime/validator/platform"
)

// AppProxyOptions configure the test of app-proxy.
type AppProxyOptions struct {
	// URL is the address of app-proxy's Service.
	URL string
	// Runtime is the name of the runtime in its account.
	Runtime string
	// Token is the runtime's own token, which app-proxy has stored; it is never printed.
	Token string
	// Platform is the URL of the platform.
	Platform string
}

// AppProxy checks whether app-proxy is ready, and requests the runtime from the platform with its own token. The platform returns its record of the
// runtime; the access test shows whether it is currently connected.
func AppProxy(ctx context.Context, s Surroundings, o AppProxyOptions, report *Report) {
	ready := o.URL + "/api/readyz" // the path of its readiness probe
	got, err := s.until(ctx, func(ctx context.Context) (bool, string, error) {
		answer, err := s.ask(ctx, s.HTTP, ready)
		if err != nil {
			return false, "", err
		}
		return answer.status == http.StatusOK, fmt.Sprintf("HTTP %d", answer.status), nil
	})
	logs := "look at the log of app-proxy: kubectl logs -n " + s.Namespace + " -l app=cap-app-proxy -c cap-app-proxy"
	if !report.Add(Check{Name: "app-proxy/ready", Title: "app-proxy is ready", Asked: "GET " + ready, Fix: logs}, got, err) {
		return
	}
	if o.Token == "" {
		err = errors.New("the Secret codefresh-token has no token, so app-proxy has not registered the runtime")
	} else {
		got, err = s.registered(ctx, o)
	}
	report.Add(Check{
		Name: "app-proxy/registered", Title: "The platform knows the runtime " + o.Runtime + " by its own token",
		Asked: "the runtime " + o.Runtime + " from " + o.Platform, Fix: logs,
	}, got, err)
}

func (s Surroundings) registered(ctx context.Context, o AppProxyOptions) (string, error) {
	account := platform.Client{URL: o.Platform, Token: o.Token, HTTP: s.HTTP}
	found, err := account.Runtime(ctx, o.Runtime)
	switch {
	case err != nil:
		return "", err
	case found == nil:
		return "", errors.New("the account has no runtime of that name")
	case found.Metadata.Namespace != "" && found.Metadata.Namespace != s.Namespace: // the platform may not have recorded it
		return "", fmt.Errorf("the runtime of that name is another one, in namespace %s", found.Metadata.Namespace)
	case found.InstallationStatus == "FAILED":
		return "", errors.New("its installation has the status FAILED")
	}
	return "installation " + found.InstallationStatus, nil
}
