package registration

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// ClusterSecrets keeps the token in a Secret of a Kubernetes namespace. It needs the verbs get, create and patch.
type ClusterSecrets struct {
	Client    dynamic.Interface
	Namespace string
}

func (s ClusterSecrets) secrets() dynamic.ResourceInterface {
	return s.Client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).Namespace(s.Namespace)
}

// Token reads the Secret.
func (s ClusterSecrets) Token(ctx context.Context) (string, error) {
	secret, err := s.secrets().Get(ctx, SecretName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the Secret %s/%s: %w", s.Namespace, SecretName, err)
	}
	encoded, _, err := unstructured.NestedString(secret.Object, "data", SecretKey)
	if err != nil {
		return "", fmt.Errorf("the Secret %s/%s is malformed: %w", s.Namespace, SecretName, err)
	}
	token, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", fmt.Errorf("the key %q of the Secret %s/%s is not base64", SecretKey, s.Namespace, SecretName)
	}
	return strings.TrimSpace(string(token)), nil
}

// Save writes the Secret by server-side apply, so that one that others made keeps its labels.
func (s ClusterSecrets) Save(ctx context.Context, token string) error {
	secret := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
		"metadata": map[string]any{
			"name": SecretName, "namespace": s.Namespace,
			"labels": map[string]any{"codefresh.io/internal": "true"},
		},
		"data": map[string]any{SecretKey: base64.StdEncoding.EncodeToString([]byte(token))},
	}}
	options := metav1.ApplyOptions{FieldManager: "app-proxy-init", Force: true}
	if _, err := s.secrets().Apply(ctx, SecretName, secret, options); err != nil {
		return fmt.Errorf("writing the Secret %s/%s: %w", s.Namespace, SecretName, err)
	}
	return nil
}
