// Package gateway is a stand-in for argo-gateway (cf-argocd-extras with BINARY_NAME=argo-gateway). Its API for the platform and the reporters is
// unknown; the stand-in reads the token of Argo CD through the Kubernetes API, calls every server in its settings, and responds to its probes.
package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"gitops-runtime/tests/standin/argocd"
	"gitops-runtime/tests/standin/codefresh"
	"gitops-runtime/tests/standin/dial"
	"gitops-runtime/tests/standin/kube"
	"gitops-runtime/tests/standin/ready"
	"gitops-runtime/tests/standin/settings"
)

// Settings are the settings of the container argo-gateway that the stand-in reads.
type Settings struct {
	settings.Proxies

	Binary string `env:"BINARY_NAME,required"`

	PlatformURL string          `env:"CODEFRESH_URL,required"`
	Token       settings.Secret `env:"CODEFRESH_TOKEN,required"`
	CAFile      string          `env:"CODEFRESH_SSL_CERT_PATH,required,empty"`

	ArgoCD         string `env:"ARGOCD_SERVER,required"`
	ArgoCDRootPath string `env:"ARGOCD_SERVER_ROOTPATH,required,empty"`
	TokenSecret    string `env:"ARGO_CD_TOKEN_SECRET_NAME,required"`
	TokenKey       string `env:"ARGO_CD_TOKEN_SECRET_KEY,required"`
	RepoServer     string `env:"REPO_SERVER,required"`

	Redis         string          `env:"REDIS_SERVER"`
	RedisUsername string          `env:"REDIS_USERNAME"`
	RedisPassword settings.Secret `env:"REDIS_PASSWORD"`

	ListenAddress string `env:"LISTEN_ADDRESS"`
	HTTP          int    `port:"8090"`
}

// Program is argo-gateway, as far as its behavior is known.
type Program struct {
	settings Settings
	secrets  kube.Secrets
	platform codefresh.Client
	gate     *ready.Gate
	log      *slog.Logger
}

// New returns a program that has not started.
func New(given Settings, secrets kube.Secrets, log *slog.Logger) (*Program, error) {
	client, err := codefresh.Trusting(given.CAFile, given.For)
	if err != nil {
		return nil, err
	}
	return &Program{
		settings: given, secrets: secrets, gate: ready.NewGate(), log: log,
		platform: codefresh.Client{URL: given.PlatformURL, Token: given.Token, HTTP: client},
	}, nil
}

// Handler responds to the probes.
func (p *Program) Handler() http.Handler { return p.gate.Handler() }

// Work calls every server once and then waits for ctx to end.
func (p *Program) Work(ctx context.Context, pause time.Duration) error {
	checks := []ready.Check{
		{Name: "platform", Run: func(ctx context.Context) error { return p.platform.Get(ctx, "/api/ping", nil) }},
		{Name: "Argo CD", Run: p.argoCD},
		{Name: "repo server", Run: func(ctx context.Context) error { return dial.TCP(ctx, p.settings.RepoServer) }},
	}
	if p.settings.Redis != "" {
		checks = append(checks, ready.Check{Name: "Redis", Run: func(ctx context.Context) error {
			return dial.Redis(ctx, p.settings.Redis, p.settings.RedisUsername, p.settings.RedisPassword)
		}})
	}
	if err := p.gate.Wait(ctx, pause, p.log, checks...); err != nil {
		return nil //nolint:nilerr // the program is stopped
	}
	<-ctx.Done()
	return nil
}

// argoCD reads the token again at each attempt, since app-proxy may replace it.
func (p *Program) argoCD(ctx context.Context) error {
	token, err := kube.Key(ctx, p.secrets.Get, p.settings.TokenSecret, p.settings.TokenKey)
	if err != nil {
		return err
	}
	return argocd.New(p.settings.ArgoCD+p.settings.ArgoCDRootPath, token).Accepts(ctx)
}
