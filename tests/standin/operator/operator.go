// Package operator is a stand-in for codefresh-gitops-operator. Like the real one it requests the tasks of promotions from the platform at every
// polling interval, and sends their actions to app-proxy. It does not implement Products, PromotionTasks and workflows.
package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/tests/standin/argocd"
	"gitops-runtime/tests/standin/codefresh"
	"gitops-runtime/tests/standin/dial"
	"gitops-runtime/tests/standin/kube"
	"gitops-runtime/tests/standin/ready"
	"gitops-runtime/tests/standin/recordings"
	"gitops-runtime/tests/standin/serve"
)

// Program is the operator, as far as its behavior is known.
type Program struct {
	settings Settings
	secrets  kube.Secrets
	platform codefresh.Client
	gate     *ready.Gate
	log      *slog.Logger
}

// New returns a program that has not started.
func New(given Settings, secrets kube.Secrets, log *slog.Logger) (*Program, error) {
	client, err := codefresh.Trusting(given.CAFile, nil)
	if err != nil {
		return nil, err
	}
	return &Program{
		settings: given, secrets: secrets, gate: ready.NewGate(), log: log,
		platform: codefresh.Client{URL: given.PlatformURL, Token: given.Token, HTTP: client},
	}, nil
}

// Handler responds to the probes.
func (p *Program) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", serve.Alive)
	mux.HandleFunc("GET /readyz", p.gate.Readiness)
	return mux
}

// Work calls every server once, and then polls the platform until ctx ends.
func (p *Program) Work(ctx context.Context, pause time.Duration) error {
	checks := []ready.Check{
		{Name: "platform", Run: p.tasks},
		{Name: "Argo CD", Run: p.argoCD},
		{Name: "app-proxy", Run: func(ctx context.Context) error { return dial.URL(ctx, p.settings.AppProxy) }},
	}
	if stopped := p.gate.Wait(ctx, pause, p.log, checks...); stopped != nil {
		return nil //nolint:nilerr // the program is stopped
	}
	// An installation without Argo Workflows has this address, too, so the operator does not require it.
	if err := dial.URL(ctx, p.settings.Workflows); err != nil {
		p.log.WarnContext(ctx, "Argo Workflows does not answer", "error", err)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return p.poll(ctx, "tasks", p.settings.TaskInterval, p.tasks) })
	group.Go(func() error { return p.poll(ctx, "hook tasks", p.settings.TaskInterval, p.hookTasks) })
	group.Go(func() error { return p.poll(ctx, "commit statuses", p.settings.CommitStatusInterval, p.commitStatuses) })
	return group.Wait()
}

// poll calls ask at every interval; failures are logged.
func (p *Program) poll(ctx context.Context, name string, interval time.Duration, ask func(context.Context) error) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := ask(ctx); err != nil && ctx.Err() == nil {
				p.log.WarnContext(ctx, "polling failed", "what", name, "error", err)
			}
		}
	}
}

// argoCD reads the token again at each attempt. The operator may list Secrets but not get them.
func (p *Program) argoCD(ctx context.Context) error {
	token, err := kube.Key(ctx, p.secrets.Find, p.settings.TokenSecret, p.settings.TokenKey)
	if err != nil {
		return err
	}
	return argocd.New(p.settings.ArgoCD, token).Accepts(ctx)
}

// task is a task that productReleaseTasks returns; the stand-in needs only its action.
type task struct {
	Type       string          `json:"type"`
	ActionURL  string          `json:"actionUrl"`
	ActionBody json.RawMessage `json:"actionBody"`
}

// tasks requests tasks and posts the body of each action to app-proxy.
func (p *Program) tasks(ctx context.Context) error {
	var answer struct{ ProductReleaseTasks []task }
	if err := p.platform.GraphQL(ctx, recordings.Named("productReleaseTasks").Query, nil, &answer); err != nil {
		return err
	}
	for _, task := range answer.ProductReleaseTasks {
		if task.ActionURL == "" {
			continue
		}
		if err := p.act(ctx, task); err != nil {
			return err
		}
	}
	return nil
}

// act posts actionBody to AP_URL + actionUrl. If the body is a JSON string, its text is sent. How the real operator authenticates to app-proxy is
// unknown, so the stand-in does not.
func (p *Program) act(ctx context.Context, task task) error {
	var compact bytes.Buffer
	if len(task.ActionBody) > 0 {
		if err := json.Compact(&compact, task.ActionBody); err != nil {
			return fmt.Errorf("reading the action of a %s task: %w", task.Type, err)
		}
	}
	body := compact.Bytes()
	var text string
	if json.Unmarshal(body, &text) == nil {
		body = []byte(text)
	}
	address := p.settings.AppProxy + task.ActionURL
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the action's URL %q is not a URL", address)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := p.platform.HTTP.Do(request)
	if err != nil {
		return fmt.Errorf("sending the action of a %s task: %w", task.Type, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("sending the action of a %s task: %s answered %s", task.Type, address, response.Status)
	}
	p.log.InfoContext(ctx, "sent an action", "type", task.Type, "path", task.ActionURL)
	return nil
}

func (p *Program) hookTasks(ctx context.Context) error {
	var answer struct{ ProductReleaseRunHooksTasks []json.RawMessage }
	return p.platform.GraphQL(ctx, recordings.Named("productReleaseRunHooksTasks").Query, nil, &answer)
}

func (p *Program) commitStatuses(ctx context.Context) error {
	var answer struct{ ProductReleaseCommitStatuses []json.RawMessage }
	return p.platform.GraphQL(ctx, recordings.Named("productReleaseCommitStatuses").Query, nil, &answer)
}
