//go:build e2e

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/e2e/install"
)

// keepEvidence writes a folder for a failed test, .cache/e2e/<test>, with the logs, the events and the objects of every namespace that is related to
// tests, and prints its name. It omits Secrets.
func (e *environment) keepEvidence(t *testing.T) {
	t.Helper()
	if !t.Failed() {
		return
	}
	folder := filepath.Join(evidenceFolder(e.local), strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	evidence := &evidence{environment: e, folder: folder}
	err := os.RemoveAll(folder)
	if err == nil {
		err = evidence.collect(ctx)
	}
	if err != nil {
		t.Logf("the evidence is incomplete: %v", err)
	}
	t.Logf("logs, events and objects: %s", folder)
}

// forgetEvidence removes what earlier runs of this test have left.
func forgetEvidence(t *testing.T, local *install.Local) error {
	folders, err := filepath.Glob(filepath.Join(evidenceFolder(local), t.Name()+"*"))
	for _, folder := range folders {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}

func evidenceFolder(local *install.Local) string { return filepath.Join(local.Root, ".cache", "e2e") }

type evidence struct {
	*environment
	folder string
}

func (e *evidence) collect(ctx context.Context) error {
	namespaces, err := e.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, namespace := range namespaces.Items {
		name := namespace.Name
		if !slices.Contains([]string{install.Namespace, addons.Namespace, "traefik"}, name) && !strings.HasPrefix(name, "e2e-") {
			continue
		}
		if err := e.podLogs(ctx, name); err != nil {
			return err
		}
		if err := e.yamls(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (e *evidence) podLogs(ctx context.Context, namespace string) error {
	pods, err := e.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, pod := range pods.Items {
		for container, log := range e.logs(ctx, &pod) {
			if err := e.write(filepath.Join(namespace, "logs", pod.Name+"."+container+".log"), log); err != nil {
				return err
			}
		}
	}
	return nil
}

// yamls writes one file per kind.
func (e *evidence) yamls(ctx context.Context, namespace string) error {
	groups, err := discovery.ServerPreferredNamespacedResources(e.known)
	if err != nil {
		return err
	}
	for _, group := range groups {
		version, err := schema.ParseGroupVersion(group.GroupVersion)
		if err != nil {
			return err
		}
		for _, resource := range group.APIResources {
			if resource.Name == "secrets" || !slices.Contains(resource.Verbs, "list") {
				continue
			}
			list, err := e.objects.Resource(version.WithResource(resource.Name)).Namespace(namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return fmt.Errorf("list %s of %s: %w", resource.Name, namespace, err)
			}
			if len(list.Items) == 0 {
				continue
			}
			for i := range list.Items {
				list.Items[i].SetManagedFields(nil)
			}
			text, err := yaml.Marshal(list.Items)
			if err != nil {
				return err
			}
			if err := e.write(filepath.Join(namespace, resource.Name+".yaml"), string(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *evidence) write(name, text string) error {
	path := filepath.Join(e.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(redacted(text)), 0o644)
}

// redacted removes what looks like a token: those of the platform's stand-in, of service accounts, and any after "Bearer".
func redacted(text string) string {
	tokens := regexp.MustCompile(`user-token-[a-z0-9]+|runtime-(?:token-[a-z0-9]+|[A-Z2-7]{20,})|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+|(?i:bearer) [A-Za-z0-9._-]{8,}`)
	return tokens.ReplaceAllString(text, "(redacted)")
}
