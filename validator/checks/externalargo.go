package checks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// externalArgoPath is the path of the values of an external Argo CD; legacyArgoPath is its older name.
const (
	externalArgoPath = "global.integrations.argo-cd.server"
	legacyArgoPath   = "global.external-argo-cd.server"
	repoServerPath   = "global.integrations.argo-cd.repoServer"
	legacyRepoPath   = "global.external-argo-cd.repoServer"
)

// defaultArgo, defaultRepoServer and generatedPassword are the defaults of the chart: the Services of an external Argo CD, and the Secret that the Argo CD
// of the release creates at its first start.
const (
	defaultArgo       = "argo-cd-server"
	defaultRepoServer = "argo-cd-repo-server"
	generatedPassword = "argocd-initial-admin-secret"
)

// oldestArgo and newestArgo are the oldest and the newest minor version of Argo CD that the closed-source images of the runtime support: the
// published chart 0.30.0 accepts ">=3.2 <=3.4". Any patch version of the newest one is accepted.
var oldestArgo, newestArgo = [2]int{3, 2}, [2]int{3, 4}

// checkExternalArgo finds the Service of an external Argo CD and, within the cluster, requests its version, which needs no authentication.
func checkExternalArgo(ctx context.Context, d *state) engine.Outcome {
	switch {
	case d.Values.Bool("argo-cd.enabled", true):
		return nothing("the runtime brings its Argo CD")
	case d.Cluster == nil:
		return lacks(needsCluster)
	}
	place := d.place(externalArgoPath + ".svc")
	named := d.externalArgo("svc", defaultArgo)
	if named == "" {
		return nothing(externalArgoPath + ".svc names no Argo CD")
	}
	service, namespace := d.service(named)
	err := d.Cluster.Service(ctx, namespace, service)
	switch {
	case cluster.NotFound(err):
		return found(findings.New("CLU701", place, service, namespace))
	case err != nil && !d.InHook:
		return found(unknown("CLU700", place, "Whether the external Argo CD is there", missing(err)))
	case !d.InHook:
		return found(d.repoServer(ctx, namespace)...)
	}
	// a server that responds exists; a runtime of a single namespace has no permission to read Services of others
	scheme, port := "http", d.externalArgo("port", "80")
	if port == "443" {
		scheme = "https"
	}
	path := strings.Trim(d.externalArgo("rootpath", ""), "/")
	if path != "" {
		path = "/" + path
	}
	address := fmt.Sprintf("%s://%s.%s:%s%s/api/version", scheme, service, namespace, port, path)
	version, err := d.argoVersion(ctx, address)
	if err != nil {
		return found(unknown("CLU700", place, "The version of the external Argo CD", missing(err)))
	}
	parsed, ok := numbers(version)
	switch {
	case !ok:
		return found(unknown("CLU700", place, "The version of the external Argo CD", fmt.Sprintf("it calls itself %q", version)))
	case older(parsed, oldestArgo), older(newestArgo, parsed):
		return found(findings.New("CLU702", place, version,
			fmt.Sprintf("%d.%d to %d.%d", oldestArgo[0], oldestArgo[1], newestArgo[0], newestArgo[1])))
	}
	return found(d.repoServer(ctx, namespace)...)
}

// service splits <name>, <name>.<namespace> or a complete host name into the name of a Service and its namespace.
func (d *state) service(host string) (name, namespace string) {
	name, rest, _ := strings.Cut(host, ".")
	if namespace, _, _ = strings.Cut(rest, "."); namespace == "" {
		namespace = d.Namespace
	}
	return name, namespace
}

// repoServer reports a repo-server that does not exist; an error is not reported, since the server's Service has been found or reported.
func (d *state) repoServer(ctx context.Context, beside string) []findings.Finding {
	named := d.Values.String(legacyRepoPath+".svc", d.Values.String(repoServerPath+".svc", defaultRepoServer))
	if named == "" {
		named = "argocd-repo-server." + beside
	}
	service, namespace := d.service(named)
	if !cluster.NotFound(d.Cluster.Service(ctx, namespace, service)) {
		return nil
	}
	return []findings.Finding{findings.New("CLU703", d.place(repoServerPath+".svc"), service, namespace)}
}

// checkArgoCredentials finds the entry with the password or the token for Argo CD, of the release or external. The password that the release's own Argo CD
// generates does not exist before an install.
func checkArgoCredentials(ctx context.Context, d *state) engine.Outcome {
	kind := d.argoAuth("type", "password")
	own := d.Values.Bool("argo-cd.enabled", true)
	field := kind + "SecretKeyRef"
	name := d.argoAuth(field+".name", map[string]string{"password": generatedPassword}[kind])
	switch {
	case d.argoAuth(kind, "") != "":
		return nothing("the " + kind + " is set in plain text")
	case kind == "password" && own && name == generatedPassword:
		return nothing("the Argo CD of the runtime generates its password")
	case !own && d.externalArgo("svc", defaultArgo) == "", kind == "token" && name == "": // SCH305 reports the latter
		return nothing("no Secret is named")
	}
	path := argoAuthPath + "." + field
	if d.Values.String(legacyAuthPath+"."+field+".name", "") != "" {
		path = legacyAuthPath + "." + field
	}
	_, refused, _ := d.follow(ctx, reference{
		path: path, check: "CLU900", noField: "CLU901", noSecret: "CLU902", noKey: "CLU903", empty: "CLU904", what: kind,
		defaultName: name, defaultKey: map[string]string{"password": "password"}[kind],
	})
	return refused
}

// externalArgo returns a value of the external Argo CD; the older name takes precedence if both are set, as in the chart.
func (d *state) externalArgo(key, fallback string) string {
	return d.Values.String(legacyArgoPath+"."+key, d.Values.String(externalArgoPath+"."+key, fallback))
}

func (d *state) argoVersion(ctx context.Context, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := d.client().Do(request)
	if err != nil {
		return "", netfail.Classify(request.URL.Host, err)
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
