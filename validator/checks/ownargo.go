package checks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/netstage"
)

// ownArgoPath is where the values name an Argo CD that is there already; olderArgoPath is where values files of older charts do.
const (
	ownArgoPath   = "global.integrations.argo-cd.server"
	olderArgoPath = "global.external-argo-cd.server"
)

// oldestArgo is the oldest Argo CD that the runtime works with.
var oldestArgo = [2]int{2, 12}

// checkOwnArgo finds the Service of an Argo CD that the runtime did not bring,
// and from within the cluster asks its version, which Argo CD tells everyone.
func checkOwnArgo(ctx context.Context, d *desk) engine.Outcome {
	switch {
	case d.Values.Bool("argo-cd.enabled", true):
		return nothing("the runtime brings its Argo CD")
	case d.Cluster == nil:
		return lacks(needsCluster)
	}
	place := d.place(ownArgoPath + ".svc")
	named := d.ownArgo("svc", "")
	if named == "" {
		return nothing(ownArgoPath + ".svc names no Argo CD")
	}
	service, namespace, _ := strings.Cut(named, ".")
	if namespace, _, _ = strings.Cut(namespace, "."); namespace == "" {
		namespace = d.Namespace
	}
	err := d.Cluster.Service(ctx, namespace, service)
	switch {
	case absent(err):
		return found(findings.New("CLU701", place, service, namespace))
	case err != nil && !d.InHook:
		return found(unknown("CLU700", place, "Whether your own Argo CD is there", missing(err)))
	case !d.InHook:
		return found()
	}
	// one that answers is there; a runtime of a single namespace has no right to ask for Services of others
	scheme, port := "http", d.ownArgo("port", "80")
	if port == "443" {
		scheme = "https"
	}
	path := strings.Trim(d.ownArgo("rootpath", ""), "/")
	if path != "" {
		path = "/" + path
	}
	address := fmt.Sprintf("%s://%s.%s:%s%s/api/version", scheme, service, namespace, port, path)
	version, err := d.argoVersion(ctx, address)
	if err != nil {
		return found(unknown("CLU700", place, "The version of your own Argo CD", missing(err)))
	}
	parsed, ok := numbers(version)
	switch {
	case !ok:
		return found(unknown("CLU700", place, "The version of your own Argo CD", fmt.Sprintf("it calls itself %q", version)))
	case older(parsed, oldestArgo):
		return found(findings.New("CLU702", place, version, fmt.Sprintf("%d.%d", oldestArgo[0], oldestArgo[1])))
	}
	return found()
}

// ownArgo is what the values say of the user's own Argo CD; the older name wins where both are set, as in the chart.
func (d *desk) ownArgo(key, fallback string) string {
	return d.Values.String(olderArgoPath+"."+key, d.Values.String(ownArgoPath+"."+key, fallback))
}

func (d *desk) argoVersion(ctx context.Context, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := d.client().Do(request)
	if err != nil {
		return "", netstage.Classify(request.URL.Host, err)
	}
	defer response.Body.Close()
	var answer struct {
		Version string `json:"Version"`
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers %s", request.URL.Host, statusText(response.StatusCode))
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&answer); err != nil {
		return "", errors.New(request.URL.Host + " does not answer as Argo CD does")
	}
	return answer.Version, nil
}
