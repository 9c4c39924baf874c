// Package elector is a stand-in for the leader elector, a sidecar of app-proxy if it has several pods: it holds the Lease or waits for it, and
// returns its holder to clients.
package elector

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"gitops-runtime/tests/standin/serve"
)

// Port is the port at which the elector returns the leader.
const Port = 4040

// Options are the candidate and the Lease.
type Options struct {
	Client          kubernetes.Interface
	Namespace, Name string
	// ID is the name of the candidate.
	ID string
	// Duration is how long others wait for a holder that no longer renews; Renewal is how long a holder tries to renew.
	Duration, Renewal time.Duration
	Log               *slog.Logger
}

// Elector is one candidate.
type Elector struct {
	leader  atomic.Pointer[string]
	options Options
}

// New returns a candidate that has not started.
func New(options Options) *Elector {
	elector := &Elector{options: options}
	elector.leader.Store(new(string))
	return elector
}

// Run holds the Lease or waits for it until ctx ends, and then releases it. It tries to acquire a lost Lease again.
func (e *Elector) Run(ctx context.Context) error {
	o := e.options
	config := leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name},
			Client:     o.Client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: o.ID},
		},
		LeaseDuration: o.Duration, RenewDeadline: o.Renewal, RetryPeriod: o.Renewal / 3,
		ReleaseOnCancel: true,
		Name:            o.Name,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {},
			OnStoppedLeading: func() {},
			OnNewLeader: func(id string) {
				e.leader.Store(&id)
				o.Log.InfoContext(ctx, "new leader", "leader", id, "self", id == o.ID)
			},
		},
	}
	for ctx.Err() == nil {
		candidate, err := leaderelection.NewLeaderElector(config)
		if err != nil {
			return fmt.Errorf("the election of %s: %w", o.Name, err)
		}
		candidate.Run(ctx)
	}
	return nil
}

// Handler responds with {"name": the leader}, and to the health checks.
func (e *Elector) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", serve.Alive)
	mux.HandleFunc("GET /readyz", serve.Alive)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		serve.JSON(w, http.StatusOK, map[string]string{"name": *e.leader.Load()})
	})
	return mux
}
