// Package kube connects a stand-in to the cluster that it runs in, and reads and writes the Secrets of its namespace.
package kube

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"gitops-runtime/tests/standin/settings"
)

// namespaceFile contains the namespace in every pod with a service account token.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// InCluster returns the configuration for the pod's API server, without the proxy of the container.
func InCluster() (*rest.Config, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster this runs in: %w", err)
	}
	config.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil } //nolint:nilnil // no proxy and no error
	config.QPS, config.Burst = 50, 100
	return config, nil
}

// Namespace returns the namespace of the pod, for programs that have no variable with it.
func Namespace() (string, error) {
	document, err := os.ReadFile(namespaceFile)
	if err != nil {
		return "", fmt.Errorf("reading the namespace of the pod: %w", err)
	}
	return strings.TrimSpace(string(document)), nil
}

// Secrets reads and writes Secrets of a namespace.
type Secrets struct {
	Client    kubernetes.Interface
	Namespace string
	Manager   string // Manager is the field manager of written objects.
}

// Find returns a Secret by listing, for accounts that may list but not get Secrets; nil if it does not exist.
func (s Secrets) Find(ctx context.Context, name string) (map[string][]byte, error) {
	found, err := s.Client.CoreV1().Secrets(s.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return nil, fmt.Errorf("listing the Secret %s/%s: %w", s.Namespace, name, err)
	}
	for _, secret := range found.Items {
		if secret.Name == name {
			return secret.Data, nil
		}
	}
	return nil, nil
}

// Get returns a Secret; nil if it does not exist.
func (s Secrets) Get(ctx context.Context, name string) (map[string][]byte, error) {
	secret, err := s.Client.CoreV1().Secrets(s.Namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the Secret %s/%s: %w", s.Namespace, name, err)
	}
	return secret.Data, nil
}

// Save writes keys of a Secret by server-side apply, so that the labels and other keys of an existing Secret are kept.
func (s Secrets) Save(ctx context.Context, name string, data map[string][]byte) error {
	secret := applycorev1.Secret(name, s.Namespace).WithType(corev1.SecretTypeOpaque).WithData(data).
		WithLabels(map[string]string{"codefresh.io/internal": "true"})
	if _, err := s.Client.CoreV1().Secrets(s.Namespace).Apply(ctx, secret, metav1.ApplyOptions{FieldManager: s.Manager, Force: true}); err != nil {
		return fmt.Errorf("writing the Secret %s/%s: %w", s.Namespace, name, err)
	}
	return nil
}

// Key returns the value of a key of a Secret; read is Get or Find.
func Key(ctx context.Context, read func(context.Context, string) (map[string][]byte, error), name, key string) (settings.Secret, error) {
	data, err := read(ctx, name)
	if err != nil {
		return "", err
	}
	value := strings.TrimSpace(string(data[key]))
	if value == "" {
		return "", fmt.Errorf("the Secret %s has nothing under the key %s", name, key)
	}
	return settings.Secret(value), nil
}
