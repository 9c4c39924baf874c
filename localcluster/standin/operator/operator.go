// Package operator is a stand-in of codefresh-gitops-operator. It asks the platform for the work of promotions, as the real one
// does every polling interval, and sends app-proxy the actions that tasks ask for. What the real one does with Products,
// PromotionTasks and workflows is left out.
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

	"gitops-runtime/localcluster/standin/argocd"
	"gitops-runtime/localcluster/standin/codefresh"
	"gitops-runtime/localcluster/standin/dial"
	"gitops-runtime/localcluster/standin/kube"
	"gitops-runtime/localcluster/standin/ready"
	"gitops-runtime/tests/standin/serve"
)

// Program is the operator as far as it is known.
type Program struct {
	settings Settings
	secrets  kube.Secrets
	platform codefresh.Client
	gate     *ready.Gate
	log      *slog.Logger
}

// New is a program that has not yet begun.
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

// Handler answers the probes.
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
		return nil //nolint:nilerr // the program is asked to stop
	}
	// An installation without Argo Workflows has this address too, so it does not hold the operator back.
	if err := dial.URL(ctx, p.settings.Workflows); err != nil {
		p.log.WarnContext(ctx, "Argo Workflows does not answer", "error", err)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return p.poll(ctx, "tasks", p.settings.TaskInterval, p.tasks) })
	group.Go(func() error { return p.poll(ctx, "hook tasks", p.settings.TaskInterval, p.hookTasks) })
	group.Go(func() error { return p.poll(ctx, "commit statuses", p.settings.CommitStatusInterval, p.commitStatuses) })
	return group.Wait()
}

// poll asks at every interval; a question that fails is logged and asked again the next time.
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

// argoCD reads the token again at each attempt. The operator may list Secrets and not get them.
func (p *Program) argoCD(ctx context.Context) error {
	token, err := kube.Key(ctx, p.secrets.Find, p.settings.TokenSecret, p.settings.TokenKey)
	if err != nil {
		return err
	}
	return argocd.New(p.settings.ArgoCD, token).Accepts(ctx)
}

// task is one that productReleaseTasks answers; the stand-in needs its action alone.
type task struct {
	Type       string          `json:"type"`
	ActionURL  string          `json:"actionUrl"`
	ActionBody json.RawMessage `json:"actionBody"`
}

// tasks asks for tasks and posts the body of each action to app-proxy.
func (p *Program) tasks(ctx context.Context) error {
	const document = `query Tasks { productReleaseTasks { type labels commitInfo { sha committer date message } appNamespace appName repoUrl branch path
  postActionOnly preAction actionUrl actionBody postAction workflowNamespace workflowName } }`
	var answer struct{ ProductReleaseTasks []task }
	if err := p.platform.GraphQL(ctx, document, nil, &answer); err != nil {
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

// act posts actionBody to AP_URL + actionUrl. A body that the platform gives as a string is sent as the text it holds. How the real
// operator authenticates at app-proxy is unknown, so the stand-in does not.
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
	const document = `query HookTasks { productReleaseRunHooksTasks { type labels workflowTemplateName workflowNamespace workflowName parameters } }`
	var answer struct{ ProductReleaseRunHooksTasks []json.RawMessage }
	return p.platform.GraphQL(ctx, document, nil, &answer)
}

func (p *Program) commitStatuses(ctx context.Context) error {
	const document = `query CommitStatuses { productReleaseCommitStatuses { sha repoURL status description context targetUrl } }`
	var answer struct{ ProductReleaseCommitStatuses []json.RawMessage }
	return p.platform.GraphQL(ctx, document, nil, &answer)
}
