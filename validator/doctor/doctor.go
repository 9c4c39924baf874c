// Package doctor is the table of checks of a running runtime. Each check is a row with a function that reads objects, logs and metrics through the API
// server and returns findings; none of them writes anything, and none runs a pod. Paths are measured where they are used: by what the programs themselves
// report. The package does not know flags, reports and exit codes.
package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/preview"
)

// Cluster contains the requests that the checks send to an API server. All of them read.
type Cluster interface {
	// Get decodes the object at an API path.
	Get(ctx context.Context, path string, into any) error
	// List reads the objects at an API path that a query selects, in JSON.
	List(ctx context.Context, collection string, query url.Values) ([]json.RawMessage, error)
	// Text reads what an API path answers in another format than JSON.
	Text(ctx context.Context, resource, path string, query url.Values, limit int64) ([]byte, error)
	// Metadata lists the metadata of the objects at an API path that match a label selector.
	Metadata(ctx context.Context, collection, selector string) ([]cluster.Meta, error)
	// Clock returns the time of the API server.
	Clock(ctx context.Context) (time.Time, error)
}

// Subject is a release and its cluster.
type Subject struct {
	Cluster Cluster
	// Release is the release as Helm stored it.
	Release *release.Release
	// Application is the Application of Argo CD that installs the runtime; nil for a Helm release. If it is set, Release is what the chart renders.
	Application *Application
	// Chart contains the definitions of the programs, those that the release left out included; nil if no chart was found.
	Chart *chart.Chart
	// Now is the time on this machine.
	Now time.Time
}

// Application is an Application of Argo CD, with the phase of its last sync and its message.
type Application struct {
	Namespace, Name string
	Phase, Message  string
}

// state is a Subject with what the checks read, each list once.
type state struct {
	Subject
	hidden    *preview.Hidden
	hiding    sync.Mutex
	concealed bool
	parts     []preview.Part
	workloads []workload
	broken    error
	kinds     *cluster.Kinds
	read      lists
	namespace string
}

// row is a check before it is bound to a subject.
type row struct {
	code, title, group string
	run                func(ctx context.Context, d *state) engine.Outcome
}

func rows() []row {
	return []row{
		{"POD100", "The pods of the runtime run and are ready", "pods", checkPods},
		{"POD200", "Volumes are bound", "pods", checkClaims},
		{"SEC100", "The Secrets and ConfigMaps that pods refer to exist", "secrets", checkReferences},
		{"SEC200", "Tokens and certificates are valid", "secrets", checkExpiry},
		{"NET100", "NetworkPolicies leave the paths open that the runtime needs", "paths", checkPolicies},
		{"NET200", "The Services select pods", "paths", checkServices},
		{"NET300", "The programs reach the platform, Git, Argo CD and each other", "paths", checkLogs},
		{"NET400", "Argo CD reads the repositories of its Applications", "paths", checkRepositories},
		{"REL100", "The release is deployed", "release", checkStatus},
		{"REL200", "Live objects are those of the release", "release", checkDrift},
		{"DEF100", "The definitions are as new as the programs", "surroundings", checkDefinitions},
		{"BUS100", "Event buses keep events and pass them", "surroundings", checkBus},
		{"LOD100", "Nodes, queues and syncs keep up", "surroundings", checkLoad},
		{"CLK100", "The clocks agree", "surroundings", checkClocks},
	}
}

// deadline limits the duration of a check, which may read the logs of many pods.
const deadline = 40 * time.Second

// Table returns all checks, bound to a subject.
func Table(subject Subject) []engine.Check {
	d := &state{Subject: subject, hidden: preview.NewHidden(), kinds: cluster.NewKinds(subject.Cluster)}
	if subject.Release != nil {
		d.namespace = subject.Release.Namespace
		d.parts, d.broken = preview.Parts(subject.Release)
		d.workloads = workloadsOf(d.parts)
		d.hidden.Add(subject.Release.Config)
		d.hidden.Release(subject.Release)
	}
	var table []engine.Check
	for _, each := range rows() {
		table = append(table, engine.Check{
			Code: each.code, Title: each.title, Group: each.group, Deadline: deadline,
			Run: func(ctx context.Context) engine.Outcome {
				if d.broken != nil {
					return found(findings.New(each.code, helmvalues.Place{}, each.title+"? Unknown: "+d.broken.Error()+"."))
				}
				return d.clean(ctx, each.run(ctx, d))
			},
		})
	}
	return table
}

// clean removes credentials from messages, which may quote what a program or the API server says: those of the release, and the content of the Secrets of
// the namespace.
func (d *state) clean(ctx context.Context, outcome engine.Outcome) engine.Outcome {
	d.hiding.Lock()
	defer d.hiding.Unlock()
	if len(outcome.Findings) > 0 && !d.concealed {
		secrets, err := d.secrets(ctx)
		for _, each := range secrets {
			d.hidden.Content(each.Data)
		}
		d.concealed = err == nil
	}
	for i := range outcome.Findings {
		each := &outcome.Findings[i]
		if ends, more := strings.CutSuffix(each.Message, ".."); more && !strings.HasSuffix(ends, ".") {
			each.Message = ends + "." // what was quoted ends with a period, too
		}
		each.Message, each.Fix = d.hidden.Block(each.Message), d.hidden.Text(each.Fix)
	}
	return outcome
}

func found(list ...findings.Finding) engine.Outcome { return engine.Outcome{Findings: list} }

// at returns the place of a finding about an object.
func at(kind, namespace, name string) helmvalues.Place {
	if namespace != "" {
		name += " in namespace " + namespace
	}
	return helmvalues.Place{Value: kind + " " + name}
}

// Object returns the object of a finding about one object of the runtime, the inverse of at; an empty kind if it is about something else.
func Object(place helmvalues.Place) (kind, namespace, name string) {
	rest, namespace, _ := strings.Cut(place.Value, " in namespace ")
	kind, name, _ = strings.Cut(rest, " ")
	if kind == "" || name == "" || strings.ContainsAny(name, " ,;") {
		return "", "", ""
	}
	return kind, namespace, name
}

// unknown returns the outcome of a check that could not read something.
func unknown(code, what string, err error) engine.Outcome { return found(doubt(code, what, err)) }

func doubt(code, what string, err error) findings.Finding {
	return findings.New(code, helmvalues.Place{}, fmt.Sprintf("%s cannot be read: %s.", what, reason(err)))
}

// reason describes why a request got no response.
func reason(err error) string {
	var answer *cluster.Error
	switch {
	case errors.As(err, &answer) && cluster.Forbidden(err):
		return "no permission to " + answer.Verb + " " + answer.Resource
	case errors.As(err, &answer) && answer.Status != 0:
		return fmt.Sprintf("the API server answers HTTP %d to %s %s", answer.Status, answer.Verb, answer.Resource)
	}
	return err.Error()
}

// unserved reports whether an API is not installed, or its server is down.
func unserved(err error) bool {
	var answer *cluster.Error
	return errors.As(err, &answer) && (answer.Status == http.StatusNotFound || answer.Status == http.StatusServiceUnavailable)
}
