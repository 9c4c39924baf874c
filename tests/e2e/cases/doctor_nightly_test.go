//go:build e2e && nightly

package e2e_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	integers "math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// tools is the program validate-values with what it, and its fixes, call.
type tools struct {
	*environment
	program, folder string
}

// finding is one of a report in JSON.
type finding struct{ Code, Level, Message, Fix string }

func (e *environment) tools(t *testing.T) tools {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "validate-values")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-C", e.local.Root, "-o", program, "./validator/cmd/validate-values").CombinedOutput()
	require.NoError(t, err, string(out))
	return tools{e, program, folder}
}

// shell runs a script with the programs of bin/ and the cluster.
func (p tools) shell(ctx context.Context, script string) (string, error) {
	command := exec.CommandContext(ctx, "bash", "-ec", script)
	command.Dir = p.folder
	command.Env = append(os.Environ(), "ROOT="+p.local.Root, "KUBECONFIG="+p.local.Kubectl.Kubeconfig, "PATH="+filepath.Join(p.local.Root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return string(out), err
}

// run runs the program, and returns its exit code and output.
func (p tools) run(ctx context.Context, t *testing.T, args ...string) (int, string) {
	t.Helper()
	ended, out := p.process(ctx, t, args...)
	return ended.ExitCode(), out
}

// process runs the program, and returns how it ended and its output.
func (p tools) process(ctx context.Context, t *testing.T, args ...string) (*os.ProcessState, string) {
	t.Helper()
	command := exec.CommandContext(ctx, p.program, args...)
	command.Dir = p.folder // without a chart: its definitions are those of the release
	command.Env = append(os.Environ(), "KUBECONFIG="+p.local.Kubectl.Kubeconfig)
	out, err := command.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		require.NoError(t, err)
	}
	return command.ProcessState, string(out)
}

// examine returns the findings of the doctor.
func (p tools) examine(ctx context.Context, t *testing.T, args ...string) []finding {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	_, out := p.run(ctx, t, append([]string{"doctor", "--namespace", install.Namespace, "--release", install.Release, "-o", "json=" + file}, args...)...)
	text, err := os.ReadFile(file)
	require.NoError(t, err, out)
	var report struct {
		Results []struct{ Findings []finding }
	}
	require.NoError(t, json.Unmarshal(text, &report))
	var all []finding
	for _, result := range report.Results {
		all = append(all, result.Findings...)
	}
	return all
}

// healthy waits until the doctor finds nothing.
func (p tools) healthy(t *testing.T) {
	t.Helper()
	eventually(t, "the doctor finds nothing", 6*time.Minute, func(ctx context.Context) error {
		if all := p.examine(ctx, t); len(all) > 0 {
			return fmt.Errorf("%+v", all)
		}
		return nil
	})
}

// TestDoctor checks that the doctor finds nothing in a healthy runtime, in each access mode, and names each fault of a table with its code; the printed
// command ends the fault. It packs a bundle without credentials.
func TestDoctor(t *testing.T) {
	e := start(t)
	defer e.clean(t)
	p := e.tools(t)
	for _, mode := range []images.Mode{images.Ingress, images.Gateway, images.Mesh, images.Tunnel} {
		if mode != images.Tunnel && os.Getenv(faultsVariable) != "" { // one run of some faults has no need of every mode
			continue
		}
		require.True(t, e.run(t, "healthy, "+string(mode), func(t *testing.T) {
			e.install(t, mode)
			p.healthy(t)
		}))
	}
	e.run(t, "bundle", p.bundle)
	named := 0
	all := slices.DeleteFunc(illnesses(t), func(one illness) bool { return !chosen(t, one.name) })
	for _, one := range all {
		if e.run(t, one.name, func(t *testing.T) { p.names(t, one) }) {
			named++
		}
	}
	t.Logf("%d of %d faults are named and end with the printed fix", named, len(all))
	assert.GreaterOrEqual(t, named, len(all)-2)
}

// illness is a fault: scripts that cause and end it, and the code that names it. Without an end, the printed command is run.
type illness struct{ name, code, strike, end string }

// again restores the deployed revision.
const again = "helm rollback " + install.Release + " --namespace " + install.Namespace + " --wait --timeout 5m $(kubectl get secret --namespace " + install.Namespace +
	" --selector owner=helm,name=" + install.Release + ",status=deployed --output jsonpath='{.items[0].metadata.labels.version}')"

// printed matches the command in a fix.
var printed = regexp.MustCompile(`(?:helm rollback|helm get manifest|kubectl scale|kubectl delete|kubectl label|kubectl patch)[^;]*?( restores it|, then|, once|;|$)`)

func (p tools) names(t *testing.T, one illness) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() { // what the next fault begins with
			_, err := p.shell(context.WithoutCancel(t.Context()), one.end+"\n"+again)
			assert.NoError(t, err)
		}
	})
	begun := time.Now()
	_, err := p.shell(t.Context(), one.strike)
	require.NoError(t, err)
	var found finding
	eventually(t, one.name+" is named", 6*time.Minute, func(ctx context.Context) error {
		all := p.examine(ctx, t)
		for _, each := range all {
			if each.Code == one.code {
				found = each
				return nil
			}
		}
		return fmt.Errorf("%+v", all)
	})
	end := one.end
	if end == "" {
		match := printed.FindStringSubmatch(found.Fix)
		require.NotNil(t, match, "the fix has no command: %s", found.Fix)
		end = strings.TrimSuffix(match[0], match[1])
	}
	t.Logf("| %s | %s | %.0f s | %s |", one.name, found.Code, time.Since(begun).Seconds(), end)
	_, err = p.shell(t.Context(), end)
	require.NoError(t, err)
	p.healthy(t)
}

// illnesses are the faults that a cluster can have; those of clocks, of disks of nodes and of the platform's certificate are tested without one.
func illnesses(t *testing.T) []illness {
	t.Helper()
	const ns = " --namespace " + install.Namespace + " "
	set := func(workload, patch string) string {
		return "kubectl patch " + workload + ns + "--type strategic --patch '" + patch + "'"
	}
	container := func(workload, name, fields string) string {
		return set(workload, `{"spec":{"template":{"spec":{"containers":[{"name":"`+name+`",`+fields+`}]}}}}`)
	}
	create := func(kind, name, rest string) (strike, end string) {
		return "kubectl create" + ns + kind + " " + name + " " + rest, "kubectl delete" + ns + strings.Fields(kind)[0] + " " + name
	}
	secret := func(name, key, content string) (strike, end string) {
		return "echo " + base64.StdEncoding.EncodeToString([]byte(content)) + " | base64 -d >" + name + " && kubectl create secret generic " + name + ns + "--from-file=" + key + "=" + name, "kubectl delete secret " + name + ns
	}
	token := func(after time.Duration) string {
		encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
		return encode(`{"alg":"none"}`) + "." + encode(fmt.Sprintf(`{"exp":%d}`, time.Now().Add(after).Unix())) + "." + encode("x")
	}
	const repo, notifications = "deployment/argo-cd-repo-server", "deployment/argo-cd-notifications-controller"
	expired, expiredEnd := secret("e2e-expired", "tls.crt", pemFor(t, "a.example.com", -time.Hour))
	expiring, expiringEnd := secret("e2e-expiring", "tls.crt", pemFor(t, "a.example.com", 72*time.Hour))
	old, oldEnd := secret("e2e-old-token", "token", token(-time.Hour))
	soon, soonEnd := secret("e2e-soon-token", "token", token(72*time.Hour))
	webhook, webhookEnd := secret("e2e-webhook", "tls.crt", pemFor(t, "e2e-webhook."+install.Namespace+".svc", 1000*time.Hour))
	claim := `cat <<'END' | kubectl apply` + ns + `--filename -
{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"e2e-claim"},"spec":{"storageClassName":"e2e-absent","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Mi"}}}}
END`
	object := func(text string) string { return "cat <<'END' | kubectl apply --filename -\n" + text + "\nEND" }
	deny := object(`{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"e2e-deny","namespace":"` + install.Namespace + `"},"spec":{"podSelector":{},"policyTypes":["Ingress","Egress"]}}`)
	other := func(name, label string) string {
		return object(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"e2e-other"}}`) + "\n" + object(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"`+name+`","namespace":"e2e-other","labels":{"app.kubernetes.io/name":"`+label+
			`"}},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"registry.invalid/`+label+`:1"}]}}}}`)
	}
	sign := base64.StdEncoding.EncodeToString([]byte(pemFor(t, "other", 1000*time.Hour)))
	quota, quotaEnd := create("quota", "e2e-quota", "--hard=pods=1")
	save := "kubectl get secret codefresh-token" + ns + "--output json >token.json\n"
	const restored = "kubectl replace --force --filename token.json" // the saved version of the object is an older one
	return []illness{
		{"image", "POD101", container("deployment/internal-router", "internal-router", `"image":"registry.invalid/absent:1"`), ""},
		{"runtime token", "SEC101", save + "kubectl delete secret codefresh-token" + ns, restored},
		{"runtime token, and a pod", "POD102", save + "kubectl delete secret codefresh-token" + ns + "\nkubectl delete pod --selector app=gitops-operator" + ns, restored},
		{"key of the runtime token", "SEC102", save + "kubectl patch secret codefresh-token" + ns + `--type json --patch '[{"op":"remove","path":"/data/token"}]'`, restored},
		{"ConfigMap", "REL201", "kubectl delete configmap internal-router-config" + ns, ""},
		{"ConfigMap, and a pod", "POD109", "kubectl delete configmap internal-router-config" + ns + "\nkubectl delete pod --selector app=internal-router" + ns, again},
		{"no room", "POD103", container(repo, "repo-server", `"resources":{"requests":{"memory":"900Gi"},"limits":{"memory":"900Gi"}}`), again},
		{"memory", "POD104", container(notifications, "notifications-controller", `"resources":{"requests":{"memory":"8Mi"},"limits":{"memory":"14Mi"}}`),
			"kubectl patch " + notifications + ns + `--type json --patch '[{"op":"remove","path":"/spec/template/spec/containers/0/resources/limits"}]'` + "\n" + again}, // Helm keeps a limit that it has not set
		{"crash", "POD105", container(notifications, "notifications-controller", `"args":["--no-such-flag"]`), again},
		{"probe", "POD106", container(repo, "repo-server", `"readinessProbe":{"httpGet":{"path":"/absent","port":8084}}`), again},
		{"Pod Security", "POD107", "kubectl label namespace " + install.Namespace + " pod-security.kubernetes.io/enforce=restricted --overwrite\nkubectl rollout restart deployment/cap-app-proxy" + ns, ""},
		{"quota", "POD107", quota + "\nkubectl rollout restart " + notifications + ns, quotaEnd},
		{"scaled to zero", "POD111", "kubectl scale " + repo + ns + "--replicas 0", ""},
		{"claim", "POD201", claim, "kubectl delete pvc e2e-claim" + ns},
		{"expired token", "SEC201", old, oldEnd}, {"expiring token", "SEC202", soon, soonEnd},
		{"expired certificate", "SEC203", expired, expiredEnd}, {"expiring certificate", "SEC204", expiring, expiringEnd},
		{"broken certificate", "SEC205", object(`{"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/tls","metadata":{"name":"e2e-broken","namespace":"` + install.Namespace + `"},"stringData":{"tls.crt":"x","tls.key":"y"}}`), "kubectl delete secret e2e-broken" + ns},
		{"wrong key", "SEC206", object(fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/tls","metadata":{"name":"e2e-wrong","namespace":%q},"stringData":{"tls.crt":%q,"tls.key":"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"}}`, install.Namespace, pemFor(t, "a", 1000*time.Hour))), "kubectl delete secret e2e-wrong" + ns},
		{"webhook", "SEC207", webhook + "\n" + object(fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"e2e-webhook"},"webhooks":[{"name":"a.example.com","sideEffects":"None","admissionReviewVersions":["v1"],`+
			`"failurePolicy":"Ignore","rules":[{"apiGroups":["e2e.example.com"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["absents"]}],"clientConfig":{"caBundle":%q,"service":{"name":"e2e-webhook","namespace":%q}}}]}`, sign, install.Namespace)),
			webhookEnd + "\nkubectl delete validatingwebhookconfiguration e2e-webhook"},
		{"policy", "NET101", deny, ""},
		{"policy of the release", "NET101", "kubectl patch networkpolicy argo-cd-repo-server" + ns + `--type merge --patch '{"spec":{"ingress":[]}}'`, ""},
		{"selector of a Service", "NET201", "kubectl patch service cap-app-proxy" + ns + `--type merge --patch '{"spec":{"selector":{"e2e":"absent"}}}'`, ""},
		{"DNS", "NET301", "kubectl scale deployment/coredns --namespace kube-system --replicas 0", "kubectl scale deployment/coredns --namespace kube-system --replicas 1\nkubectl rollout status deployment/coredns --namespace kube-system"},
		{"Redis", "NET302", "kubectl scale deployment/argo-cd-redis" + ns + "--replicas 0", "kubectl scale deployment/argo-cd-redis" + ns + "--replicas 1"},
		{"repository", "NET401", object(strings.NewReplacer("e2e-guestbook", "e2e-absent", "apps.git", "absent.git").Replace(guestbook)), "kubectl delete application e2e-absent" + ns},
		{"failed upgrade", "REL101", "helm upgrade " + install.Release + " $ROOT/charts/gitops-runtime" + ns + "--reuse-values --set internal-router.image.repository=registry.invalid/absent --timeout 30s --wait --no-hooks && exit 1 || true",
			again},
		{"edited settings", "REL202", "kubectl patch configmap argocd-cm" + ns + `--type merge --patch '{"data":{"exec.enabled":"odd"}}'`, ""},
		{"old definition", "DEF101", `kubectl patch crd applications.argoproj.io --type json --patch '[{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/info"}]'`, ""},
		{"missing definition", "DEF102", "kubectl delete crd clusteranalysistemplates.argoproj.io", ""},
		{"event bus", "BUS101", object(hookOn(1)), "kubectl delete --ignore-not-found" + ns + "sensor/e2e-hook eventsource/e2e-hook eventbus/e2e-hook"},
		{"another Argo Rollouts", "CLU502", other("argo-rollouts", "argo-rollouts"), "kubectl delete namespace e2e-other"},
		{"another runtime", "CLU601", other("cap-app-proxy", "app-proxy"), "kubectl delete namespace e2e-other"},
	}
}

// pemFor returns a self-signed certificate, in PEM format.
func pemFor(t *testing.T, host string, after time.Duration) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: integers.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: time.Now().Add(after),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
}

// bundle checks the size and the duration of a bundle, and that no content of a Secret is in it, also in base64.
func (p tools) bundle(t *testing.T) {
	name, begun := filepath.Join(t.TempDir(), "bundle.tar.gz"), time.Now()
	p.examine(t.Context(), t, "--bundle", name)
	assert.Less(t, time.Since(begun), 30*time.Second)
	packed, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Less(t, len(packed), 5<<20)
	secrets, err := p.client.CoreV1().Secrets(install.Namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "type!=helm.sh/release.v1"})
	require.NoError(t, err)
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	files, searched := 0, 0
	for archive := tar.NewReader(unzipped); ; files++ {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		text, err := io.ReadAll(archive)
		require.NoError(t, err)
		for _, secret := range secrets.Items {
			for key, content := range secret.Data {
				if len(content) < 12 || bytes.Contains(content, []byte("BEGIN CERTIFICATE")) || bytes.HasPrefix(content, []byte("http")) {
					continue
				}
				searched++
				for _, form := range [][]byte{content, []byte(base64.StdEncoding.EncodeToString(content))} {
					assert.False(t, bytes.Contains(text, form), "%s has the entry %s of the Secret %s", head.Name, key, secret.Name)
				}
			}
		}
	}
	assert.Greater(t, files, 30)
	assert.Positive(t, searched)
	t.Logf("%d files, %d KiB, %.0f s", files, len(packed)>>10, time.Since(begun).Seconds())
}
