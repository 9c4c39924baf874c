package cluster

import (
	"context"
	"crypto/tls"
	"net/http"
	"slices"
)

// Remote connects to the API server at a URL with a bearer token, or with the client certificate of the settings if the token is empty. It follows no
// redirect, which would receive the token.
func Remote(address string, settings *tls.Config, token string) (*Client, error) {
	return New(address, &http.Client{
		Transport:     bearer{token, transport(settings)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
}

// bearer adds a token to requests.
type bearer struct {
	token string
	next  http.RoundTripper
}

// RoundTrip sends a request with the token.
func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	if b.token != "" {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.next.RoundTrip(request)
}

// Rules are the permissions of a user in a namespace, as a SelfSubjectRulesReview lists them:
// https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-rules-review-v1/
type Rules struct {
	// Incomplete is true if an authorizer of the cluster cannot list its rules; a permission that is not listed may exist then.
	Incomplete bool `json:"incomplete"`
	Rules      []struct {
		Verbs         []string `json:"verbs"`
		APIGroups     []string `json:"apiGroups"`
		Resources     []string `json:"resources"`
		ResourceNames []string `json:"resourceNames"`
	} `json:"resourceRules"`
}

// Allow reports whether a rule grants a verb on all objects of a resource. "*" as group and resource is only granted by a rule for all kinds.
func (r Rules) Allow(verb, group, resource string) bool {
	for _, rule := range r.Rules {
		if holds(rule.Verbs, verb) && holds(rule.APIGroups, group) && holds(rule.Resources, resource) && len(rule.ResourceNames) == 0 {
			return true
		}
	}
	return false
}

func holds(list []string, one string) bool {
	return slices.Contains(list, one) || slices.Contains(list, "*")
}

// Rules lists the permissions of the user in a namespace. It needs no permission but that of every authenticated user.
func (c *Client) Rules(ctx context.Context, namespace string) (Rules, error) {
	var review struct{ Status Rules }
	err := c.ask(ctx, question{
		verb: "create", resource: "selfsubjectrulesreviews.authorization.k8s.io", path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
		body: map[string]any{
			"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": map[string]any{"namespace": namespace},
		},
	}, &review)
	return review.Status, err
}
