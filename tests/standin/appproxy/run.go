package appproxy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"gitops-runtime/tests/standin/codefresh"
	"gitops-runtime/tests/standin/settings"
)

// Program is the main container of cap-app-proxy, as far as its behavior is known.
type Program struct {
	settings Settings
	secrets  Secrets
	platform codefresh.Client
	access   access
	elector  string
	log      *slog.Logger
	ready    atomic.Bool
	token    atomic.Value // token is the runtime's token, a settings.Secret, once it is registered.
}

// asRuntime returns a client of the platform with the runtime's token.
func (p *Program) asRuntime() codefresh.Client {
	token, _ := p.token.Load().(settings.Secret)
	return p.platform.With(token)
}

// New returns a program that has not started. It fails if the settings are inconsistent.
func New(given Settings, secrets Secrets, log *slog.Logger) (*Program, error) {
	if given.PlatformURL == "" {
		return nil, errors.New("set the environment variable CF_HOST to the URL of the platform: it has no value")
	}
	client, err := codefresh.TrustingExtra(given.ExtraCA, given.For)
	if err != nil {
		return nil, err
	}
	allowed, err := newAccess(given, secrets)
	if err != nil {
		return nil, err
	}
	return &Program{
		settings: given, secrets: secrets, access: allowed, elector: electorURL(), log: log,
		platform: codefresh.Client{URL: given.PlatformURL, HTTP: client},
	}, nil
}

// Handler serves the requests of the runtime's router and the probes.
func (p *Program) Handler() http.Handler {
	return Handler(Options{ArgoCD: p.access, Promote: promoter{p.asRuntime}, CORS: p.settings.CORS, Ready: p.ready.Load, Log: p.log})
}

// Port returns the port that the program listens on.
func (p *Program) Port() int {
	if p.settings.Port != 0 {
		return p.settings.Port
	}
	return p.settings.HTTP
}

// Work registers the runtime, makes the other calls of a start, and then maintains the API key of Argo CD until ctx ends. Failed calls are repeated
// after pause; if the platform rejects a call of the start, Work returns the reason. Pods other than the leader only wait for the Secrets.
func (p *Program) Work(ctx context.Context, pause, check time.Duration) error {
	var token settings.Secret
	for {
		wait := check
		err := p.attempt(ctx, &token)
		p.ready.Store(err == nil || p.ready.Load())
		p.token.Store(token)
		var refused codefresh.Refused
		if errors.As(err, &refused) && token == "" {
			return err
		}
		if err != nil && ctx.Err() == nil {
			p.log.WarnContext(ctx, "trying again", "error", err, "after", pause.String())
			wait = pause
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// errWaiting means that another pod is the leader and has not yet written what this pod needs.
var errWaiting = errors.New("waiting for the leader to register the runtime")

func (p *Program) attempt(ctx context.Context, token *settings.Secret) error {
	leading, err := leads(ctx, p.settings.LeaderID, p.elector)
	if err != nil {
		return err
	}
	if *token == "" {
		if !leading {
			return p.follow(ctx, token)
		}
		registered, err := register(ctx, p.settings, p.secrets, p.platform, p.log)
		if err != nil {
			return err
		}
		if err := startUp(ctx, p.settings, p.platform.With(registered)); err != nil {
			return err
		}
		*token = registered
	}
	if !leading {
		return nil
	}
	return p.access.keep(ctx, p.log)
}

// follow reads the token that the leader has written.
func (p *Program) follow(ctx context.Context, token *settings.Secret) error {
	kept, err := p.secrets.Get(ctx, tokenSecret)
	if err != nil {
		return err
	}
	if len(kept[tokenKey]) == 0 {
		return errWaiting
	}
	*token = settings.Secret(kept[tokenKey])
	return nil
}
