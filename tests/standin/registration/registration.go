// Package registration is a stand-in of cap-app-proxy-init: it registers the runtime at the platform and keeps the runtime's
// own token in the Secret codefresh-token. It has none of the program's other functions.
package registration

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Name and key of the Secret that holds the runtime's own token.
const (
	SecretName = "codefresh-token"
	SecretKey  = "token"
)

// Config is what the chart tells the init container, by environment variables.
type Config struct {
	PlatformURL string // PlatformURL is CODEFRESH_URL, such as https://g.codefresh.io.
	UserToken   string // UserToken is USER_TOKEN, of an administrator of the account.
	Runtime     string // Runtime is RUNTIME_NAME.
	Namespace   string // Namespace is NAMESPACE, the release's.
	Cluster     string // Cluster is CLUSTER, the API server's URL.
	IngressHost string // IngressHost is INGRESS_HOST, the runtime's public URL; may be empty.
	Version     string // Version is RUNTIME_VERSION; may be empty.
}

// FromEnvironment reads a Config and names every variable that is missing.
func FromEnvironment(lookup func(string) string) (Config, error) {
	config := Config{
		PlatformURL: strings.TrimRight(lookup("CODEFRESH_URL"), "/"), UserToken: lookup("USER_TOKEN"), Runtime: lookup("RUNTIME_NAME"),
		Namespace: lookup("NAMESPACE"), Cluster: lookup("CLUSTER"), IngressHost: lookup("INGRESS_HOST"), Version: lookup("RUNTIME_VERSION"),
	}
	var missing []string
	for _, required := range []struct{ name, value string }{
		{"CODEFRESH_URL", config.PlatformURL}, {"USER_TOKEN", config.UserToken}, {"RUNTIME_NAME", config.Runtime},
		{"NAMESPACE", config.Namespace}, {"CLUSTER", config.Cluster},
	} {
		if required.value == "" {
			missing = append(missing, required.name)
		}
	}
	if len(missing) > 0 {
		return Config{}, fmt.Errorf("set the environment variables %s: they are empty", strings.Join(missing, ", "))
	}
	return config, nil
}

// Secrets reads and writes the Secret with the runtime's token in the release's namespace.
type Secrets interface {
	// Token gives the token, or "" when the Secret or its key is not there.
	Token(ctx context.Context) (string, error)
	// Save creates the Secret, or fills the one that is there.
	Save(ctx context.Context, token string) error
}

// Registrar registers a runtime at a platform and gives its token.
type Registrar interface {
	Register(ctx context.Context, config Config) (token string, err error)
}

// Refused is an error that trying again will not mend, such as a wrong token.
type Refused struct{ Reason string }

func (r Refused) Error() string { return r.Reason }

// Run registers the runtime unless its Secret is there. What fails is tried again, after pause and then ever longer, until
// it is Refused or ctx ends. Running it twice is the same as running it once.
func Run(ctx context.Context, config Config, secrets Secrets, platform Registrar, log *slog.Logger, pause time.Duration) error {
	for {
		err := attempt(ctx, config, secrets, platform, log)
		var refused Refused
		if err == nil || errors.As(err, &refused) {
			return err
		}
		log.WarnContext(ctx, "trying again", "error", err, "after", pause.String())
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("registering the runtime %q: out of time, last failure: %w", config.Runtime, err)
		case <-timer.C:
		}
		pause = min(2*pause, 30*time.Second)
	}
}

func attempt(ctx context.Context, config Config, secrets Secrets, platform Registrar, log *slog.Logger) error {
	token, err := secrets.Token(ctx)
	if err != nil {
		return err
	}
	if token != "" {
		log.InfoContext(ctx, "the runtime is registered already", "runtime", config.Runtime, "secret", SecretName)
		return nil
	}
	if token, err = platform.Register(ctx, config); err != nil {
		return err
	}
	if err := secrets.Save(ctx, token); err != nil {
		return err
	}
	log.InfoContext(ctx, "the runtime is registered", "runtime", config.Runtime, "platform", config.PlatformURL, "secret", SecretName)
	return nil
}
