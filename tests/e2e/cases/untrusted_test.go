//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/standin/certs"
)

const untrustedNamespace = "e2e-untrusted"

// untrustedServer checks that the tunnel client rejects a tunnel server whose certificate another authority signed, and does not send the runtime's
// token.
func (e *environment) untrustedServer(t *testing.T) {
	e.namespace(t, untrustedNamespace)
	const host = "untrusted." + untrustedNamespace + ".svc"
	wrong, err := certs.New(host)
	require.NoError(t, err)
	right, err := e.local.Kubectl.TLS(t.Context())
	require.NoError(t, err)
	const sent = "token-that-stays"
	for name, data := range map[string]map[string][]byte{
		"untrusted-tls":   {"tls.crt": wrong.Cert, "tls.key": wrong.Key},
		"platform-ca":     {"ca-bundle.crt": right.CA},
		"codefresh-token": {"token": []byte(sent)},
	} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
		_, err := e.client.CoreV1().Secrets(untrustedNamespace).Create(t.Context(), secret, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	e.chart(t, "tunnel-server", slices.Concat(
		[]string{"fullnameOverride=untrusted", "subdomainHost=tunnels.svc.cluster.local", "tls.secretName=untrusted-tls", "plugin.url=http://127.0.0.1:1"},
		install.ImageSets("image", e.image(t, addons.Namespace, addons.TunnelServer, "frps")),
		install.ImageSets("front.image", e.image(t, addons.Namespace, addons.TunnelServer, "front")),
	))
	e.chart(t, "tunnel-client", slices.Concat(
		[]string{
			"tunnelServer.host=" + host, "global.codefresh.accountId=" + install.AccountID, "global.runtime.name=" + install.Name,
			"global.codefresh.tls.caCerts.secretKeyRef.name=platform-ca", "global.codefresh.tls.caCerts.secretKeyRef.key=ca-bundle.crt",
		},
		install.ImageSets("image", e.image(t, install.Namespace, "codefresh-tunnel-client", "tunnel-client")),
	))

	eventually(t, "the tunnel client rejects the untrusted server", time.Minute, func(ctx context.Context) error {
		output, err := e.log(ctx, "app=codefresh-tunnel-client", "tunnel-client")
		if err == nil && !strings.Contains(output, "certificate signed by unknown authority") {
			err = fmt.Errorf("the tunnel client: %s", output)
		}
		return err
	})
	output, err := e.log(t.Context(), "app.kubernetes.io/name=tunnel-server", "frps")
	require.NoError(t, err)
	assert.NotContains(t, output, "client login info")
	assert.NotContains(t, output, sent)
}

// chart applies what a chart renders with settings, in the namespace of the untrusted server.
func (e *environment) chart(t *testing.T, name string, sets []string) {
	t.Helper()
	objects, err := e.local.Helm.Template(t.Context(), install.Upgrade{
		Release: name, Chart: filepath.Join(e.local.Root, "charts", name), Namespace: untrustedNamespace, Sets: sets,
	})
	require.NoError(t, err)
	require.NoError(t, e.local.Kubectl.Apply(t.Context(), objects, 2*time.Minute))
}

// image returns the full reference of a container's image in a Deployment.
func (e *environment) image(t *testing.T, namespace, deployment, container string) string {
	t.Helper()
	found, err := e.client.AppsV1().Deployments(namespace).Get(t.Context(), deployment, metav1.GetOptions{})
	require.NoError(t, err)
	for _, one := range found.Spec.Template.Spec.Containers {
		if one.Name == container {
			return one.Image
		}
	}
	require.Failf(t, "a container is missing", "the Deployment %s/%s has no container %s", namespace, deployment, container)
	return ""
}

// log returns the output of a container of the pod with a label, in the namespace of the untrusted server.
func (e *environment) log(ctx context.Context, label, container string) (string, error) {
	pods, err := e.client.CoreV1().Pods(untrustedNamespace).List(ctx, metav1.ListOptions{LabelSelector: label})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, pod := range pods.Items {
		stream, err := e.client.CoreV1().Pods(untrustedNamespace).GetLogs(pod.Name, &corev1.PodLogOptions{Container: container}).Stream(ctx)
		if err != nil {
			return "", err
		}
		output, err := io.ReadAll(stream)
		_ = stream.Close()
		if err != nil {
			return "", err
		}
		text.Write(output)
	}
	return text.String(), nil
}
