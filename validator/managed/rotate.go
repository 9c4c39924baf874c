package managed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"gitops-runtime/validator/cluster"
)

// Runtime contains the requests to the cluster of Argo CD.
type Runtime interface {
	Secret(ctx context.Context, namespace, name string) (map[string][]byte, error)
	Merge(ctx context.Context, objectPath string, patch any) error
	Delete(ctx context.Context, objectPath string) (gone bool, err error)
}

// Rotation replaces the token in a cluster Secret. The tokens before it stay valid until they expire, so Argo CD is never without one.
type Rotation struct {
	Runtime   Runtime
	Namespace string
	// Secret is the name of the cluster Secret, First that of a Secret whose key token is used if the cluster Secret has no accepted one; it is deleted then.
	Secret, First string
	// TLS is how Argo CD verifies the API server; it is written into the cluster Secret.
	TLS TLS
	// Lifetime is how long the new token is valid, to seconds; the API server may grant less.
	Lifetime time.Duration
}

// Renewed is the result of a rotation.
type Renewed struct {
	// Server is the URL of the API server.
	Server string
	// Account is namespace/name of the service account.
	Account string
	// Until is when the new token expires.
	Until time.Time
}

// Unusable is the error of a cluster Secret, or of the cluster that it is about; Cluster.Explain says what to do.
type Unusable struct {
	Cluster Cluster
	Err     error
}

// Error returns the reason.
func (u *Unusable) Error() string {
	return fmt.Sprintf("cluster Secret %s: %v", u.Cluster.Secret, u.Err)
}

// Unwrap returns the underlying error.
func (u *Unusable) Unwrap() error { return u.Err }

// errNoToken means that neither Secret has a token.
var errNoToken = errors.New("neither it nor the Secret of the first token has a token")

// Run requests a token with the present one and stores it. It fails with an Unusable if the cause is not the runtime's own cluster.
func (r Rotation) Run(ctx context.Context) (Renewed, error) {
	data, err := r.Runtime.Secret(ctx, r.Namespace, r.Secret)
	if err != nil {
		return Renewed{}, fmt.Errorf("cluster Secret %s: %w", r.Secret, err)
	}
	of, err := Parse(r.Secret, data)
	if err != nil {
		return Renewed{}, &Unusable{of, err}
	}
	of.Config.TLS = r.TLS
	renewed, token, err := r.request(ctx, of, of.Config.BearerToken)
	used := false
	if refused(err) || errors.Is(err, errNoAccount) {
		first, missing := r.Runtime.Secret(ctx, r.Namespace, r.First)
		if text := strings.TrimSpace(string(first["token"])); missing == nil && text != "" {
			renewed, token, err = r.request(ctx, of, text)
			used = err == nil
		}
	}
	if err != nil {
		return Renewed{}, &Unusable{of, err}
	}
	config, err := json.Marshal(Config{BearerToken: token, TLS: r.TLS})
	if err != nil {
		return renewed, fmt.Errorf("cluster Secret %s: %w", r.Secret, err)
	}
	if err := r.Runtime.Merge(ctx, r.path(r.Secret), map[string]any{"data": map[string][]byte{"config": config}}); err != nil {
		return renewed, fmt.Errorf("cluster Secret %s: %w", r.Secret, err)
	}
	if used {
		if _, err := r.Runtime.Delete(ctx, r.path(r.First)); err != nil {
			return renewed, fmt.Errorf("the token is stored, but not removed from Secret %s: %w", r.First, err)
		}
	}
	return renewed, nil
}

func (r Rotation) path(secret string) string {
	return "/api/v1/namespaces/" + url.PathEscape(r.Namespace) + "/secrets/" + url.PathEscape(secret)
}

// refused reports whether the API server does not accept a token, or there is none.
func refused(err error) bool {
	var answer *cluster.Error
	return errors.Is(err, errNoToken) || errors.As(err, &answer) && answer.Status == 401
}

// request asks the cluster for a token of the account that a token belongs to:
// https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/
func (r Rotation) request(ctx context.Context, of Cluster, token string) (Renewed, string, error) {
	if token == "" {
		return Renewed{}, "", errNoToken
	}
	namespace, name, _, err := account(token)
	if err != nil {
		return Renewed{}, "", err
	}
	client, err := of.Connect(token)
	if err != nil {
		return Renewed{}, "", err
	}
	var reply struct {
		Status struct {
			Token   string    `json:"token"`
			Expires time.Time `json:"expirationTimestamp"`
		} `json:"status"`
	}
	err = client.Request(ctx, "/api/v1/namespaces/"+url.PathEscape(namespace)+"/serviceaccounts/"+url.PathEscape(name)+"/token", map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": map[string]any{"expirationSeconds": int(r.Lifetime.Seconds())},
	}, &reply)
	if err == nil && reply.Status.Token == "" {
		err = errors.New("the API server granted no token")
	}
	return Renewed{Server: of.Server, Account: namespace + "/" + name, Until: reply.Status.Expires}, reply.Status.Token, err
}
