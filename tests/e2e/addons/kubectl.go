package addons

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/standin/certs"
)

// Kubectl applies objects with the kubectl program.
type Kubectl struct {
	Path       string // Path is the program; "kubectl" when empty.
	Kubeconfig string // Kubeconfig is the file that names the cluster.
}

// run runs kubectl with a document on its standard input. Input and output may contain secrets: an error contains neither, only kubectl's standard
// error.
func (k Kubectl) run(ctx context.Context, input []byte, arguments ...string) ([]byte, error) {
	program := k.Path
	if program == "" {
		program = "kubectl"
	}
	command := exec.CommandContext(ctx, program, append([]string{"--kubeconfig", k.Kubeconfig}, arguments...)...)
	command.Stdin = bytes.NewReader(input)
	command.WaitDelay = 5 * time.Second
	var out, failure bytes.Buffer
	command.Stdout, command.Stderr = &out, &failure
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("kubectl %s: %w: %s", strings.Join(arguments, " "), err, strings.TrimSpace(failure.String()))
	}
	return out.Bytes(), nil
}

// Apply applies the objects with server-side apply, and waits until their Deployments and DaemonSets are rolled out and their CRDs established, or
// timeout has passed.
func (k Kubectl) Apply(ctx context.Context, objects []*unstructured.Unstructured, timeout time.Duration) error {
	document, err := list(objects)
	if err != nil {
		return err
	}
	if _, err := k.run(ctx, document, "apply", "--server-side", "--force-conflicts", "--field-manager=gitops-runtime-tests", "-f", "-"); err != nil {
		return fmt.Errorf("applying the stand-ins: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, object := range objects {
		var err error
		switch object.GetKind() {
		case "Deployment", "DaemonSet":
			_, err = k.run(ctx, nil, "rollout", "status", strings.ToLower(object.GetKind())+"/"+object.GetName(), "--namespace", object.GetNamespace(), "--timeout", timeout.String())
		case "CustomResourceDefinition":
			_, err = k.run(ctx, nil, "wait", "--for=condition=Established", "crd/"+object.GetName(), "--timeout", timeout.String())
		}
		if err != nil {
			return fmt.Errorf("waiting for %s: %w%s", object.GetName(), err, k.reasons(ctx, object.GetNamespace()))
		}
	}
	return nil
}

// reasons returns why pods of a namespace are not ready: what their containers wrote last, and the last warnings; empty if neither can be read.
func (k Kubectl) reasons(ctx context.Context, namespace string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	pods, _ := k.run(ctx, nil, "get", "pods", "--namespace", namespace, "--no-headers")
	warnings, _ := k.run(ctx, nil, "get", "events", "--namespace", namespace, "--field-selector=type=Warning", "--sort-by=.lastTimestamp", "--no-headers",
		"-o=custom-columns=:.involvedObject.name,:.reason,:.message")
	var text strings.Builder
	for line := range strings.Lines(string(pods)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[1] == "1/1" {
			continue
		}
		logs, err := k.run(ctx, nil, "logs", fields[0], "--namespace", namespace, "--tail=5", "--all-containers")
		if err != nil {
			logs = []byte(err.Error())
		}
		fmt.Fprintf(&text, "\n%s\n%s", strings.Join(fields, " "), logs)
	}
	lines := strings.Split(strings.TrimSpace(string(warnings)), "\n")
	return text.String() + "\n" + strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// Delete deletes the objects and waits until they are gone or timeout has passed. Missing objects are ignored.
func (k Kubectl) Delete(ctx context.Context, objects []*unstructured.Unstructured, timeout time.Duration) error {
	document, err := list(objects)
	if err != nil {
		return err
	}
	if _, err := k.run(ctx, document, "delete", "--ignore-not-found", "--wait", "--timeout", timeout.String(), "-f", "-"); err != nil {
		return fmt.Errorf("deleting the stand-ins: %w", err)
	}
	return nil
}

// TLS returns the TLS front's certificates: those in the cluster, so that applying again does not change them, or new ones if it has none, lacks a name
// or the certificate expires within a week.
func (k Kubectl) TLS(ctx context.Context) (certs.Bundle, error) {
	document, err := k.run(ctx, nil, "get", "secret", "platform-tls", "--namespace", Namespace, "--ignore-not-found", "-o", "json")
	if err != nil {
		return certs.Bundle{}, fmt.Errorf("looking for the TLS front's certificates: %w", err)
	}
	if len(bytes.TrimSpace(document)) > 0 {
		var secret struct {
			Data map[string][]byte `json:"data"`
		}
		if err := json.Unmarshal(document, &secret); err != nil {
			return certs.Bundle{}, errors.New("reading the TLS front's certificates: kubectl did not give JSON")
		}
		bundle := certs.Bundle{CA: secret.Data["ca.crt"], Cert: secret.Data["tls.crt"], Key: secret.Data["tls.key"]}
		if bundle.Covers(time.Now().Add(7*24*time.Hour), ServerNames()...) {
			return bundle, nil
		}
	}
	return certs.New(ServerNames()...)
}

// list returns a List of all objects as JSON.
func list(objects []*unstructured.Unstructured) ([]byte, error) {
	document, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
	if err != nil {
		return nil, fmt.Errorf("encoding the stand-ins' manifests: %w", err)
	}
	return document, nil
}
