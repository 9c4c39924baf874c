// Package kube connects a stand-in to the cluster that it runs in and reads and writes the Secrets of its namespace.
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

	"gitops-runtime/localcluster/standin/settings"
)

// namespaceFile is where every pod with a service account token has its namespace.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// InCluster is how a pod reaches its API server; a proxy of the container is not asked for that.
func InCluster() (*rest.Config, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster this runs in: %w", err)
	}
	config.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil } //nolint:nilnil // no proxy and no error
	config.QPS, config.Burst = 50, 100
	return config, nil
}

// Namespace is the namespace of the pod, for programs that no variable gives it to.
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
	Manager   string // Manager is the field manager of what is written.
}

// Find lists Secrets by name, for accounts that may list and not get them; nil when there is none.
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

// Get reads a Secret; nil when there is none.
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

// Save writes keys of a Secret by server-side apply, so that one that others created keeps its labels and other keys.
func (s Secrets) Save(ctx context.Context, name string, data map[string][]byte) error {
	secret := applycorev1.Secret(name, s.Namespace).WithType(corev1.SecretTypeOpaque).WithData(data).
		WithLabels(map[string]string{"codefresh.io/internal": "true"})
	if _, err := s.Client.CoreV1().Secrets(s.Namespace).Apply(ctx, secret, metav1.ApplyOptions{FieldManager: s.Manager, Force: true}); err != nil {
		return fmt.Errorf("writing the Secret %s/%s: %w", s.Namespace, name, err)
	}
	return nil
}

// Key is the value of a key of a Secret, read with read, which is Get or Find.
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
