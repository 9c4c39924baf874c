// Package reporter is a stand-in for the event reporter (cf-argocd-extras with BINARY_NAME=event-reporter). In app mode it reports
// Applications and the resources whose status in an Application changes; in resource mode it reports objects of the cluster.
package reporter

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"gitops-runtime/tests/standin/argocd"
	"gitops-runtime/tests/standin/codefresh"
	"gitops-runtime/tests/standin/dial"
	"gitops-runtime/tests/standin/kube"
	"gitops-runtime/tests/standin/ready"
)

// Values of REPORTER_MODE.
const (
	modeApp      = "app"
	modeResource = "resource"
)

// Options are the dependencies of a program.
type Options struct {
	Objects   dynamic.Interface
	Secrets   kube.Secrets
	Namespace string // Namespace is the pod's namespace.
	Log       *slog.Logger
	Pause     time.Duration // Pause is the time before a retry.
}

// Program is one reporter.
type Program struct {
	settings  Settings
	objects   dynamic.Interface
	secrets   kube.Secrets
	namespace string
	platform  codefresh.Client
	gate      *ready.Gate
	log       *slog.Logger
	pause     time.Duration
	states    states
}

// New returns a program that has not started. It fails if the mode is unknown or a number is less than 1.
func New(given Settings, options Options) (*Program, error) {
	if given.Mode != modeApp && given.Mode != modeResource {
		return nil, fmt.Errorf("set the environment variable REPORTER_MODE to app or resource: it is %q", given.Mode)
	}
	if given.Workers < 1 || given.QueueSize < 1 {
		return nil, fmt.Errorf("set the environment variables THREADINESS and APP_QUEUE_SIZE to 1 or more: they are %d and %d", given.Workers, given.QueueSize)
	}
	client, err := codefresh.Trusting(given.CAFile, given.For)
	if err != nil {
		return nil, err
	}
	return &Program{
		settings: given, objects: options.Objects, secrets: options.Secrets, namespace: options.Namespace, gate: ready.NewGate(),
		log: options.Log, pause: options.Pause, states: states{of: map[string]map[string]string{}},
		platform: codefresh.Client{URL: given.PlatformURL, Token: given.Token, HTTP: client},
	}, nil
}

// Handler responds to the probes.
func (p *Program) Handler() http.Handler { return p.gate.Handler() }

// Work calls every server once, and then reports changes until ctx ends.
func (p *Program) Work(ctx context.Context) error {
	if stopped := p.gate.Wait(ctx, p.pause, p.log, p.checks()...); stopped != nil {
		return nil //nolint:nilerr // the program is stopped
	}
	kinds := resourceKinds()
	if p.settings.Mode == modeApp {
		kinds = []schema.GroupVersionResource{applicationKind()}
	}
	changes := make(chan change, p.settings.QueueSize)
	group, ctx := errgroup.WithContext(ctx)
	for _, kind := range kinds {
		group.Go(func() error {
			p.follow(ctx, kind, p.watched(), p.pause, changes)
			return nil
		})
	}
	for range p.settings.Workers {
		group.Go(func() error {
			p.report(ctx, changes)
			return nil
		})
	}
	return group.Wait()
}

func (p *Program) checks() []ready.Check {
	checks := []ready.Check{
		{Name: "platform", Run: func(ctx context.Context) error { return p.platform.Get(ctx, "/api/ping", nil) }},
		{Name: "Argo CD", Run: func(ctx context.Context) error {
			client, err := p.argoCD(ctx)
			if err != nil {
				return err
			}
			return client.Accepts(ctx)
		}},
		{Name: "argo-gateway", Run: func(ctx context.Context) error { return dial.URL(ctx, p.settings.Gateway) }},
		{Name: "repo server", Run: func(ctx context.Context) error { return dial.TCP(ctx, p.settings.RepoServer) }},
	}
	if p.settings.Redis != "" {
		checks = append(checks, ready.Check{Name: "Redis", Run: func(ctx context.Context) error {
			return dial.Redis(ctx, p.settings.Redis, p.settings.RedisUsername, p.settings.RedisPassword)
		}})
	}
	return checks
}

// argoCD returns a client with the current token, since app-proxy may have replaced it.
func (p *Program) argoCD(ctx context.Context) (argocd.Client, error) {
	token, err := kube.Key(ctx, p.secrets.Get, p.settings.TokenSecret, p.settings.TokenKey)
	if err != nil {
		return argocd.Client{}, err
	}
	return argocd.New(p.settings.ArgoCD+p.settings.ArgoCDRootPath, token), nil
}

// report posts the events of changes. An event that the platform does not accept after all attempts is dropped.
func (p *Program) report(ctx context.Context, changes <-chan change) {
	for {
		select {
		case <-ctx.Done():
			return
		case one := <-changes:
			if err := p.reportOne(ctx, one); err != nil && ctx.Err() == nil {
				p.log.ErrorContext(ctx, "reporting failed", "kind", one.object.GetKind(), "namespace", one.object.GetNamespace(), "name", one.object.GetName(), "error", err)
			}
		}
	}
}

func (p *Program) reportOne(ctx context.Context, one change) error {
	if p.settings.Mode == modeApp {
		return p.reportApplication(ctx, one)
	}
	event, err := resourceEvent(one.object, one.deleted, time.Now())
	if err != nil {
		return err
	}
	return p.platform.Report(ctx, event, codefresh.EventPause)
}

// reportApplication posts the event of an Application, and one for each of its resources whose status has changed.
func (p *Program) reportApplication(ctx context.Context, one change) error {
	app, err := applicationFrom(one.object)
	if err != nil {
		return err
	}
	event, err := app.event(one.deleted, time.Now())
	if err != nil {
		return err
	}
	if err := p.platform.Report(ctx, event, codefresh.EventPause); err != nil {
		return err
	}
	if one.deleted {
		p.states.forget(app)
		return nil
	}
	changed := p.states.changed(app)
	if len(changed) == 0 {
		return nil
	}
	if err := p.reportResources(ctx, app, changed); err != nil {
		p.states.forget(app) // so the next change reports all of them
		return err
	}
	return nil
}

// reportResources posts the events of resources of an Application. A resource that Argo CD does not manage, such as a hook, has none.
func (p *Program) reportResources(ctx context.Context, app application, resources []managed) error {
	client, err := p.argoCD(ctx)
	if err != nil {
		return err
	}
	known, err := client.Managed(ctx, app.object.GetNamespace(), app.object.GetName())
	if err != nil {
		return err
	}
	for _, resource := range resources {
		for _, state := range known {
			if !resource.is(state) {
				continue
			}
			event, err := app.resourceEvent(resource, state, time.Now())
			if err != nil {
				return err
			}
			if err := p.platform.Report(ctx, event, codefresh.EventPause); err != nil {
				return err
			}
		}
	}
	return nil
}
