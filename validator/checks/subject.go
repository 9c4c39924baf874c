// Package checks is the table of all checks that run before a runtime is installed. Each check is a row with a function that checks a Subject and
// returns findings; none of them writes anything. The package does not know flags, reports and exit codes.
package checks

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/valueschema"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/platform"
)

// Subject contains the values to check and their environment.
type Subject struct {
	Values *helmvalues.Values
	// Chart is nil in the hook, where Helm has checked the schema already.
	Chart *helmchart.Chart
	// Schemas caches compiled schemas for other subjects of the same chart; nil disables the cache.
	Schemas *valueschema.Cache
	// Namespace and Release identify the install.
	Namespace, Release string
	// Upgrade is true if the release already exists.
	Upgrade bool
	// InHook is true in the hook Job: permissions are the Job's, not the user's.
	InHook bool
	// Cluster is nil if there is none to query.
	Cluster Cluster
	// Network creates an HTTP client that trusts these CA certificates (PEM) in addition to the system's and uses the proxies of the values.
	Network func(authorities []byte) *http.Client
	// Now is the time by which certificates and tokens expire.
	Now time.Time
}

// Cluster contains the queries that checks send to an API server.
type Cluster interface {
	secretReader
	gatewayReader
	IngressClasses(ctx context.Context) ([]string, error)
	Service(ctx context.Context, namespace, name string) error
	Version(ctx context.Context) (string, error)
	Nodes(ctx context.Context) ([]cluster.Node, error)
	Pods(ctx context.Context) ([]cluster.Pod, error)
	CRDs(ctx context.Context) ([]cluster.Meta, error)
	Deployments(ctx context.Context, labels, name string) ([]cluster.Workload, error)
	DeploymentsIn(ctx context.Context, namespace string) ([]cluster.Workload, error)
	Allowed(ctx context.Context, verb, group, resource, namespace string) (bool, error)
	List(ctx context.Context, collection string, query url.Values) ([]json.RawMessage, error)
}

// secretReader reads one Secret.
type secretReader interface {
	Secret(ctx context.Context, namespace, name string) (map[string][]byte, error)
}

// gatewayReader queries the Gateway API.
type gatewayReader interface {
	KnowsGateways(ctx context.Context) (bool, error)
	Gateway(ctx context.Context, namespace, name string) error
}

// state is a Subject with the facts that earlier checks have found for later ones. Checks run in parallel, so facts are read and written as a whole,
// under the lock. A fact may be missing even if a check depends on it: test it before use.
type state struct {
	Subject
	mu       sync.Mutex
	known    facts
	identity identityOnce
}

// facts are the results of checks that later checks use.
type facts struct {
	// token is the user token.
	token string
	// authorities is the CA bundle, PEM.
	authorities []byte
	// user is the owner of the token, nil if it is not known.
	user        *platform.User
	gitPassword string
	client      *http.Client
}

// facts returns the facts that are known so far.
func (d *state) facts() facts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known
}

// update stores a fact. A check that has exceeded its deadline, or outlived the run, stores nothing.
func (d *state) update(ctx context.Context, change func(*facts)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if ctx.Err() == nil {
		change(&d.known)
	}
}

// client returns the HTTP client for the platform and the Git provider.
func (d *state) client() *http.Client {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known.client == nil {
		d.known.client = d.Network(slices.Concat(d.known.authorities, d.gitAuthorities()))
	}
	return d.known.client
}

// gitAuthorities returns the certificates of Git servers, in PEM format; the chart merges both maps, and app-proxy trusts these certificates.
func (d *state) gitAuthorities() []byte {
	var bundle []byte
	for _, path := range []string{webhookPath, argoCertificatesPath} {
		for host := range d.Values.Map(path) {
			bundle = append(bundle, d.Values.String(helmvalues.Join(path, host), "")...)
			bundle = append(bundle, '\n')
		}
	}
	return bundle
}

// place returns the place of a value.
func (d *state) place(path string) helmvalues.Place { return d.Values.Place(path) }
