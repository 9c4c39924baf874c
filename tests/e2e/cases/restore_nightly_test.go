//go:build e2e && nightly

package e2e_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/standin/platformapi"
)

// drilled is the number of Applications of the drill.
const drilled = 20

// TestRestore is the drill: a runtime with Applications, a SealedSecret and a webhook is saved and lost with everything in its namespace and Argo's
// definitions; the platform and what the Applications deployed remain. The restore is killed at five moments, and continues. Then it is the same runtime. At last
// the cluster itself is deleted, and the runtime is restored onto a new one.
func TestRestore(t *testing.T) {
	e, whole := start(t), t
	defer func() { e.clean(whole) }() // of the last cluster
	p := e.tools(t)
	var key *age.X25519Identity
	require.True(t, e.run(t, "install", func(t *testing.T) {
		var err error
		key, err = age.GenerateX25519Identity()
		require.NoError(t, err)
		e.install(t, images.Ingress)
		for number := range drilled {
			name := fmt.Sprintf("e2e-drill-%d", number)
			e.namespace(whole, name) // it has to outlive this part
			e.apply(t, strings.ReplaceAll(guestbook, "e2e-guestbook", name))
		}
		e.sealed(t)
		e.drillSynced(t)
		e.access(t, images.Ingress).webhook(t)
	}))
	deployed, runtimes := e.drillDeployed(t), e.platform(t).runtimes(t)
	archive := filepath.Join(p.folder, "runtime.age")
	code, out := p.run(t.Context(), t, "backup", "--namespace", install.Namespace, "--release", install.Release, "--file", archive, "--recipient", key.Recipient().String())
	require.Equal(t, 0, code, out)
	identity := filepath.Join(p.folder, "key.txt")
	require.NoError(t, os.WriteFile(identity, []byte(key.String()), 0o600))
	args := []string{
		"restore", "--file", archive, "--identity", identity, "--chart", filepath.Join(e.local.Root, "charts", "gitops-runtime"), "--helm", e.local.Helm.Path,
	}
	code, out = p.run(t.Context(), t, args...)
	require.Equal(t, 2, code, "a cluster with a runtime is refused: %s", out)

	same := func(t *testing.T, begun time.Time) {
		e.drillSynced(t)
		t.Logf("restored and synced in %.0f s", time.Since(begun).Seconds())
		assert.Equal(t, runtimes, e.platform(t).runtimes(t), "the platform sees another runtime")
		require.NoError(t, e.client.CoreV1().Secrets(install.Namespace).Delete(t.Context(), "e2e-sealed", metav1.DeleteOptions{}))
		e.unsealed(t)
		e.mapper.Reset()
		e.subscribed(t, install.Namespace, "e2e-hook")
		e.access(t, images.Ingress).answer(t, 200, time.Minute, pushed(1))
		e.tools(t).healthyBut(t, "BUS101")
	}
	for _, kill := range []time.Duration{2 * time.Second, 10 * time.Second, 30 * time.Second, 60 * time.Second, 90 * time.Second, 0} {
		require.True(t, e.run(t, fmt.Sprintf("killed after %s", kill), func(t *testing.T) {
			e.lose(t)
			begun := time.Now()
			if kill > 0 {
				ctx, cancel := context.WithTimeout(t.Context(), kill)
				code, out := p.run(ctx, t, args...) // the context kills it
				cancel()
				t.Logf("exit code %d: %s", code, out)
			}
			code, out := p.run(t.Context(), t, args...)
			if code == 2 && kill > 0 {
				require.Contains(t, out, "has a release", "the first run had ended")
			} else {
				require.Equal(t, 0, code, out)
			}
			same(t, begun)
			assert.Equal(t, deployed, e.drillDeployed(t), "resources of Applications were created again")
		}))
	}
	token, err := e.secret(t.Context(), install.Namespace, "codefresh-token", "token")
	require.NoError(t, err)
	require.True(t, e.run(t, "on a new cluster", func(t *testing.T) {
		e.renew(whole, token)
		for number := range drilled {
			e.namespace(whole, fmt.Sprintf("e2e-drill-%d", number))
		}
		begun := time.Now()
		code, out := p.run(t.Context(), t, args...)
		require.Equal(t, 0, code, out)
		same(t, begun)
		e.drillDeployed(t)
		restored, err := e.secret(t.Context(), install.Namespace, "codefresh-token", "token")
		require.NoError(t, err)
		assert.Equal(t, token, restored, "the runtime has registered again")
	}))
}

// renew deletes the cluster and creates another one, with which the environment continues. The platform, which runs on it in this test, is the same as before: it
// has the same certificate, and knows the runtime by its token.
func (e *environment) renew(t *testing.T, token string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	front, err := e.client.CoreV1().Secrets(addons.Namespace).Get(ctx, "platform-tls", metav1.GetOptions{})
	require.NoError(t, err)
	var known []platformapi.Runtime
	require.NoError(t, json.Unmarshal(e.platform(t).answer(t, http.StatusOK, time.Minute, request{path: "/test/runtimes"}).body, &known))
	for i, each := range known {
		if each.Account == install.AccountID && each.Name == install.Name {
			known[i].Token = token
		}
	}
	runtimes, err := json.Marshal(known)
	require.NoError(t, err)
	require.NoError(t, e.local.Cluster.Stop(ctx))
	require.NoError(t, e.local.Cluster.Start(ctx))
	config, err := clientcmd.BuildConfigFromFlags("", e.local.Helm.Kubeconfig)
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: addons.Namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	front.ObjectMeta = metav1.ObjectMeta{Name: front.Name, Labels: front.Labels}
	_, err = client.CoreV1().Secrets(addons.Namespace).Create(ctx, front, metav1.CreateOptions{})
	require.NoError(t, err)
	*e = *start(t)
	_, err = e.local.Prepare(ctx, images.Ingress)
	require.NoError(t, err)
	e.platform(t).answer(t, http.StatusNoContent, time.Minute, request{method: http.MethodPut, path: "/test/runtimes", body: string(runtimes)})
}

// healthyBut waits until the doctor finds nothing else than one code.
func (p tools) healthyBut(t *testing.T, code string) {
	t.Helper()
	eventually(t, "the doctor finds nothing", 6*time.Minute, func(ctx context.Context) error {
		if all := p.examine(ctx, t, "--skip", code); len(all) > 0 {
			return fmt.Errorf("%+v", all)
		}
		return nil
	})
}

// lose removes the runtime as the loss of its cluster would, without its hooks: the platform is not told.
func (e *environment) lose(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	// without its controllers nothing deletes what the Applications deployed
	require.NoError(t, e.local.Helm.Uninstall(ctx, install.Release, install.Namespace, 3*time.Minute, t.Output(), "--no-hooks"))
	require.NoError(t, e.client.CoreV1().Namespaces().Delete(ctx, install.Namespace, metav1.DeleteOptions{}))
	for _, name := range e.argoDefinitions(ctx, t) {
		ignoreMissing(t, e.metadata.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{}))
	}
	eventually(t, "the runtime is lost", 3*time.Minute, func(ctx context.Context) error {
		e.releaseFinalizers(ctx, t)
		if _, err := e.client.CoreV1().Namespaces().Get(ctx, install.Namespace, metav1.GetOptions{}); err == nil {
			return fmt.Errorf("the namespace %s still exists", install.Namespace)
		}
		if left := e.argoDefinitions(ctx, t); len(left) > 0 {
			return fmt.Errorf("definitions still exist: %v", left)
		}
		return nil
	})
	e.mapper.Reset()
}

func (e *environment) drillSynced(t *testing.T) {
	t.Helper()
	for number := range drilled {
		name := fmt.Sprintf("e2e-drill-%d", number)
		eventually(t, name+" is synced and healthy", 5*time.Minute, e.has("applications", install.Namespace, name, map[string]string{
			"status.sync.status": "Synced", "status.health.status": "Healthy", "spec.syncPolicy.automated.prune": "true", "spec.syncPolicy.automated.selfHeal": "true",
		}))
	}
}

// drillDeployed returns the UIDs of what the Applications deployed, by namespace and name.
func (e *environment) drillDeployed(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	all, err := e.client.AppsV1().Deployments("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, each := range all.Items {
		if strings.HasPrefix(each.Namespace, "e2e-drill-") {
			found[each.Namespace+"/"+each.Name] = string(each.UID)
		}
	}
	require.Len(t, found, drilled)
	return found
}

// sealed creates a SealedSecret with the key of the cluster, in the format of https://github.com/bitnami-labs/sealed-secrets/blob/v0.27.0/pkg/crypto/crypto.go.
func (e *environment) sealed(t *testing.T) {
	t.Helper()
	keys, err := e.client.CoreV1().Secrets(install.Namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "sealedsecrets.bitnami.com/sealed-secrets-key=active"})
	require.NoError(t, err)
	require.NotEmpty(t, keys.Items, "sealed-secrets has no key")
	block, _ := pem.Decode(keys.Items[0].Data["tls.crt"])
	require.NotNil(t, block)
	certificate, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	session := make([]byte, 32)
	_, err = rand.Read(session)
	require.NoError(t, err)
	aesKey, err := aes.NewCipher(session)
	require.NoError(t, err)
	box, err := cipher.NewGCM(aesKey)
	require.NoError(t, err)
	wrapped, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, certificate.PublicKey.(*rsa.PublicKey), session, []byte(install.Namespace+"/e2e-sealed"))
	require.NoError(t, err)
	text := binary.BigEndian.AppendUint16(nil, uint16(len(wrapped))) //nolint:gosec // the length of a key
	text = box.Seal(append(text, wrapped...), make([]byte, box.NonceSize()), []byte("from before"), nil)
	e.apply(t, fmt.Sprintf("{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: e2e-sealed, namespace: %s}, spec: {encryptedData: {token: %s}, template: {metadata: {name: e2e-sealed, namespace: %s}}}}",
		install.Namespace, base64.StdEncoding.EncodeToString(text), install.Namespace))
	e.unsealed(t)
}

// unsealed waits until sealed-secrets has decrypted the SealedSecret.
func (e *environment) unsealed(t *testing.T) {
	t.Helper()
	eventually(t, "the SealedSecret is decrypted", 2*time.Minute, func(ctx context.Context) error {
		content, err := e.secret(ctx, install.Namespace, "e2e-sealed", "token")
		if err == nil && content != "from before" {
			err = fmt.Errorf("it is %q", content)
		}
		return err
	})
}
