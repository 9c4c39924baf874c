package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// ArgoCDOptions configure the test of Argo CD.
type ArgoCDOptions struct {
	// URL is the address of its server, with its root path.
	URL string
	// Repository is the address of this pod's Service, which provides a chart to Argo CD; empty to create no Application.
	Repository string
	// Without is the reason why no Application is created.
	Without string
	// Name is the name of all objects that the test creates.
	Name string
}

// finalizer makes Argo CD delete the objects that an Application has deployed.
const finalizer = "resources-finalizer.argocd.argoproj.io"

// application is the part of an Application's status that describes its state.
type application struct {
	Status struct {
		Sync struct {
			Status string `json:"status"`
		} `json:"sync"`
		Health struct {
			Status string `json:"status"`
		} `json:"health"`
		Operation struct {
			Phase   string `json:"phase"`
			Message string `json:"message"`
		} `json:"operationState"`
		Conditions []struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"conditions"`
	} `json:"status"`
}

// done reports whether everything is deployed and healthy.
func (a application) done() bool {
	return a.Status.Sync.Status == "Synced" && a.Status.Health.Status == "Healthy"
}

// state returns a short form of the Application's state, with Argo CD's messages.
func (a application) state() string {
	if a.Status.Sync.Status == "" && len(a.Status.Conditions) == 0 {
		return "no application controller has taken up the Application"
	}
	parts := []string{a.Status.Sync.Status, a.Status.Health.Status}
	if phase := a.Status.Operation.Phase; phase == "Failed" || phase == "Error" {
		parts = append(parts, "sync "+phase+": "+a.Status.Operation.Message)
	}
	for _, condition := range a.Status.Conditions {
		parts = append(parts, condition.Type+": "+condition.Message)
	}
	return strings.Join(parts, ", ")
}

// stale reports whether Argo CD could not read the chart, so that it has to be refreshed.
func (a application) stale() bool {
	for _, condition := range a.Status.Conditions {
		if condition.Type == "ComparisonError" {
			return true
		}
	}
	return false
}

// ArgoCD requests health and version of the server, then creates an Application in a separate project that deploys a chart served by this pod.
func ArgoCD(ctx context.Context, s Surroundings, o ArgoCDOptions, report *Report) {
	fix := "look at the log of Argo CD's server: kubectl logs -n " + s.Namespace + " -l app.kubernetes.io/component=server,app.kubernetes.io/part-of=argocd"
	for _, question := range []struct{ word, path, title string }{
		{"healthz", "/healthz", "The server is healthy"},
		{"version", "/api/version", "The server returns its version"},
	} {
		address := strings.TrimSuffix(o.URL, "/") + question.path
		got, err := s.until(ctx, func(ctx context.Context) (bool, string, error) { return s.argoCDAnswers(ctx, address) })
		if !report.Add(Check{Name: "argo-cd/" + question.word, Title: question.title, Asked: "GET " + address, Fix: fix}, got, err) {
			return
		}
	}
	sync := Check{
		Name: "argo-cd/sync", Title: "An Application deploys a chart",
		Asked: fmt.Sprintf("an Application %s in namespace %s, of a chart that this pod serves at %s", o.Name, s.Namespace, o.Repository),
		Fix:   "look at the log of Argo CD's application controller and of its repo server; see whether NetworkPolicies of yours keep the repo server from this pod",
	}
	if o.Repository == "" {
		report.Skip(sync, o.Without)
		return
	}
	got, err := s.sync(ctx, o)
	report.Add(sync, got, err)
	err = s.unsync(ctx, o)
	report.Add(Check{
		Name: "argo-cd/delete", Title: "Argo CD deletes what it has deployed", Asked: "delete the Application " + o.Name + " with its finalizer " + finalizer,
		Fix: "run the test again once Argo CD works: it begins by removing what is left",
	}, "", err)
}

// argoCDAnswers sends a request to Argo CD's server, whose certificate is self-signed; no credential is sent.
func (s Surroundings) argoCDAnswers(ctx context.Context, address string) (bool, string, error) {
	answer, err := s.ask(ctx, s.Unverified, address)
	if err != nil {
		return false, "", err
	}
	if answer.status != http.StatusOK {
		return false, fmt.Sprintf("HTTP %d", answer.status), nil
	}
	var version struct {
		Version string `json:"Version"`
	}
	if strings.HasSuffix(address, "/version") {
		if err := json.Unmarshal([]byte(answer.body), &version); err != nil || version.Version == "" {
			return false, "", errors.New("a reply without a version")
		}
		return true, version.Version, nil
	}
	return true, "HTTP 200", nil
}

func (s Surroundings) sync(ctx context.Context, o ArgoCDOptions) (string, error) {
	if err := s.unsync(ctx, o); err != nil {
		return "", fmt.Errorf("what an earlier run has left: %w", err)
	}
	chart := chart{name: o.Name, version: "1.0.0-" + s.Run, word: s.Run}
	handler, err := chart.serve()
	if err != nil {
		return "", err
	}
	stop, err := s.serve(ctx, handler)
	if err != nil {
		return "", err
	}
	defer stop()
	if err := s.create(ctx, "appprojects", s.project(o)); err != nil {
		return "", err
	}
	if err := s.create(ctx, "applications", s.application(o, chart)); err != nil {
		return "", err
	}
	got, err := s.until(ctx, func(ctx context.Context) (bool, string, error) { return s.lookAtApplication(ctx, o) })
	if err != nil {
		return "", err
	}
	var deployed struct {
		Data map[string]string `json:"data"`
	}
	if err := s.Cluster.Get(ctx, s.path("", "configmaps", o.Name), &deployed); err != nil {
		return "", withMessage(err)
	}
	if deployed.Data["word"] != chart.word {
		return "", errors.New("the ConfigMap that it has deployed is not that of this run")
	}
	return got, nil
}

func (s Surroundings) lookAtApplication(ctx context.Context, o ArgoCDOptions) (bool, string, error) {
	var found application
	path := s.path("argoproj.io", "applications", o.Name)
	if err := s.watched(ctx, path, &found); err != nil {
		return false, "", err
	}
	if found.stale() {
		refresh := object{"metadata": object{"annotations": object{"argocd.argoproj.io/refresh": "hard"}}}
		if err := s.Cluster.Merge(ctx, path, refresh); err != nil {
			return false, "", final{withMessage(err)}
		}
	}
	return found.done(), found.state(), nil
}

// unsync deletes the objects that sync has created, the Application first, since Argo CD needs its project to delete it.
func (s Surroundings) unsync(ctx context.Context, o ArgoCDOptions) error {
	if err := s.remove(ctx, s.path("argoproj.io", "applications", o.Name)); err != nil {
		return err
	}
	return s.remove(ctx, s.path("argoproj.io", "appprojects", o.Name))
}

// project returns an AppProject that allows only the test's chart and ConfigMaps, whatever the project default allows.
func (s Surroundings) project(o ArgoCDOptions) object {
	return custom("AppProject", o.Name, nil, object{
		"description":                "What the chart's test of Argo CD deploys while it runs",
		"sourceRepos":                []string{o.Repository},
		"destinations":               []object{{"server": inCluster, "namespace": s.Namespace}},
		"namespaceResourceWhitelist": []object{{"group": "", "kind": "ConfigMap"}},
	})
}

// inCluster is the URL that Argo CD uses for the cluster in which it runs.
const inCluster = "https://kubernetes.default.svc"

func (s Surroundings) application(o ArgoCDOptions, chart chart) object {
	// the label allows an uninstall to remove the finalizer
	manifest := custom("Application", o.Name, object{"codefresh.io/internal": "true"}, object{
		"project":     o.Name,
		"source":      object{"repoURL": o.Repository, "chart": chart.name, "targetRevision": chart.version},
		"destination": object{"server": inCluster, "namespace": s.Namespace},
		"syncPolicy":  object{"automated": object{}},
	})
	manifest["metadata"].(object)["finalizers"] = []string{finalizer}
	return manifest
}
