//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"helm.sh/helm/v3/pkg/chartutil"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"

	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/e2e/kindcluster"
)

const (
	// managedRuntime is the namespace of Argo CD, and managedAccount that of its account on the managed cluster.
	managedRuntime = "e2e-managed"
	managedAccount = "e2e-managed-account"
	// managedShop is the namespace of the managed cluster that Argo CD deploys to.
	managedShop = "e2e-shop"
	// managedName is the name of both releases and of their objects.
	managedName = "staging"
)

// managedApplication deploys a Rollout to the managed cluster; SERVER and VERSION are replaced.
var managedApplication = objects("managed-application")

// managedArgoCD are the values of Argo CD, and managedRollouts those of Argo Rollouts on the managed cluster.
const (
	managedArgoCD = `
configs: {params: {server.insecure: true}, cm: {timeout.reconciliation: 20s, resource.respectRBAC: normal}}
notifications: {enabled: false}
applicationSet: {replicas: 0}
`
	managedRollouts = "controller: {replicas: 1, instanceID: managed}\n"
)

// managed is Argo CD on the local cluster, and a second cluster that it deploys to.
type managed struct {
	*environment
	cluster *kindcluster.Cluster
	target  *environment
	server  string
	// files are the values of both halves of the connection, and program is validate-values.
	files   []string
	program string
}

// TestManagedCluster connects a second cluster to an Argo CD as docs/managed-clusters.md describes. A Rollout rolls there, while the token is replaced; what
// is wrong is found; afterwards nothing is left on either side.
func TestManagedCluster(t *testing.T) {
	e := start(t)
	defer e.clean(t)
	m := e.manage(t)
	before := m.objectsOfBoth(t)
	if !m.run(t, "account", m.createAccount) || !m.run(t, "another CA", m.anotherCA) || !m.run(t, "registration", m.register) {
		return
	}
	if m.run(t, "rollout", m.rollsThere) {
		m.run(t, "rotation while it syncs", m.rotates)
		m.run(t, "too few rights", m.tooFewRights)
		m.run(t, "findings about the connection", m.connection)
	}
	m.run(t, "removal", func(t *testing.T) { m.removal(t, before) })
}

// manage creates the second cluster and installs Argo CD, and Argo Rollouts there.
func (e *environment) manage(t *testing.T) *managed {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 12*time.Minute)
	defer cancel()
	local := *e.local
	cluster := *local.Cluster
	cluster.Name, cluster.Ports, cluster.Kubeconfig = kindcluster.Name+"-managed", []kindcluster.Port{}, filepath.Join(local.Root, ".cache", "kubeconfig-managed")
	local.Cluster, local.Helm.Kubeconfig, local.Kubectl.Kubeconfig = &cluster, cluster.Kubeconfig, cluster.Kubeconfig
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		assert.NoError(t, cluster.Stop(ctx))
	})
	m := &managed{environment: e, cluster: &cluster, program: filepath.Join(t.TempDir(), "validate-values")}
	e.apply(t, namespaceOf(managedRuntime))
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		out, err := exec.CommandContext(groupCtx, "go", "build", "-C", local.Root, "-o", m.program, "./validator/cmd/validate-values").CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return e.installOn(groupCtx, t, "argo-cd", managedRuntime, managedArgoCD)
	})
	require.NoError(t, cluster.Start(ctx))
	m.target = e.connect(t, &local)
	m.target.apply(t, namespaceOf(managedShop))
	m.target.apply(t, namespaceOf(managedAccount))
	m.target.apply(t, namespaceOf("e2e-rollouts"))
	require.NoError(t, m.target.installOn(ctx, t, "argo-rollouts", "e2e-rollouts", managedRollouts))
	m.target.mapper.Reset()
	require.NoError(t, group.Wait())
	m.mapper.Reset()
	var err error
	m.server, err = cluster.Address(ctx)
	require.NoError(t, err)
	m.files = []string{m.rotationImage(t), file(t, fmt.Sprintf(`
fullnameOverride: %s
cluster: {name: %s, server: %q, ca: %q}
namespaces: [%s]
project: {sourceRepos: ["http://git-server.platform.svc.cluster.local/apps.git"]}
`, managedName, managedName, m.server, m.target.config.CAData, managedShop))}
	return m
}

// rotationImage returns the values of the image of the rotation, which is that of the runtime's hooks.
func (e *environment) rotationImage(t *testing.T) string {
	t.Helper()
	for _, name := range e.ready.ValueFiles {
		values, err := chartutil.ReadValuesFile(name)
		require.NoError(t, err)
		if image, err := values.Table("installer.image"); err == nil {
			text, err := chartutil.Values{"rotation": map[string]any{"image": image.AsMap()}}.YAML()
			require.NoError(t, err)
			return file(t, text)
		}
	}
	require.Fail(t, "no values file has the image of the installer")
	return ""
}

// connect returns an environment with clients of another cluster.
func (e *environment) connect(t *testing.T, local *install.Local) *environment {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", local.Kubectl.Kubeconfig)
	require.NoError(t, err)
	config.QPS, config.Burst, config.WarningHandler = 100, 200, rest.NoWarnings{}
	made := *e
	made.local, made.config = local, config
	made.client, err = kubernetes.NewForConfig(config)
	require.NoError(t, err)
	made.objects, err = dynamic.NewForConfig(config)
	require.NoError(t, err)
	made.metadata, err = metadata.NewForConfig(config)
	require.NoError(t, err)
	made.known = memory.NewMemCacheClient(made.client.Discovery())
	made.mapper = restmapper.NewDeferredDiscoveryRESTMapper(made.known)
	return &made
}

// installOn installs a chart with the images of the private registry.
func (e *environment) installOn(ctx context.Context, t *testing.T, chart, namespace, values string) error {
	of := install.Chart{Name: chart}
	images, err := e.local.PrepareChart(ctx, of)
	if err != nil {
		return err
	}
	given := filepath.Join(t.TempDir(), chart+".yaml")
	if err := os.WriteFile(given, []byte(values), 0o600); err != nil {
		return err
	}
	return e.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: aloneRelease, Chart: e.local.Path(of), Namespace: namespace, ValueFiles: []string{images, given}, Timeout: 5 * time.Minute,
	}, t.Output())
}

// half installs or upgrades a half of the connection, with more values.
func (m *managed) half(t *testing.T, side string, more ...string) error {
	t.Helper()
	on, namespace := m.target, managedAccount
	if side == "runtime" {
		on, namespace = m.environment, managedRuntime
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	files := m.files
	for _, values := range more {
		files = append(files, file(t, values))
	}
	return on.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: managedName, Chart: on.local.Path(install.Chart{Name: "managed-cluster"}), Namespace: namespace,
		ValueFiles: files, Sets: []string{"side=" + side}, Timeout: 90 * time.Second,
	}, t.Output())
}

// createAccount creates the account, and stores its first token as the page describes.
func (m *managed) createAccount(t *testing.T) {
	require.NoError(t, m.half(t, "target"))
	m.storeFirstToken(t)
}

func (m *managed) storeFirstToken(t *testing.T) {
	t.Helper()
	script := fmt.Sprintf(`kubectl --kubeconfig "$TARGET" create token %[1]s --namespace %[2]s --duration 1h |
kubectl create secret generic %[1]s-first-token --namespace %[3]s --from-file=token=/dev/stdin`, managedName, managedAccount, managedRuntime)
	command := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-ec", script)
	command.Env = append(os.Environ(), "KUBECONFIG="+m.local.Kubectl.Kubeconfig, "TARGET="+m.target.local.Kubectl.Kubeconfig,
		"PATH="+filepath.Join(m.local.Root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
}

// anotherCA checks that the install of the runtime's half fails with the reason, and that no token was sent.
func (m *managed) anotherCA(t *testing.T) {
	require.Error(t, m.half(t, "runtime", fmt.Sprintf("cluster: {ca: %q}\n", m.config.CAData)))
	log := m.kubectlOut(t, "logs", "job/"+managedName+"-first-token", "--namespace", managedRuntime)
	assert.Contains(t, log, "MCL102: The certificate of "+m.server+" (cluster staging) cannot be verified: x509: certificate signed by unknown authority")
	assert.Contains(t, log, "fix: set cluster.ca of charts/managed-cluster")
	_, err := m.client.CoreV1().Secrets(managedRuntime).Get(t.Context(), managedName+"-first-token", metav1.GetOptions{})
	require.NoError(t, err, "the first token is still there")
}

// register installs the runtime's half: the first token is exchanged, its Secret is gone, and nothing is found.
func (m *managed) register(t *testing.T) {
	require.NoError(t, m.half(t, "runtime"))
	require.NotEmpty(t, m.token(t))
	_, err := m.client.CoreV1().Secrets(managedRuntime).Get(t.Context(), managedName+"-first-token", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), err)
	require.Empty(t, m.findings(t))
}

// token returns the token in the cluster Secret.
func (m *managed) token(t *testing.T) string {
	t.Helper()
	text, err := m.secret(t.Context(), managedRuntime, managedName, "config")
	require.NoError(t, err)
	var config struct{ BearerToken string }
	require.NoError(t, json.Unmarshal([]byte(text), &config))
	return config.BearerToken
}

// findings returns what validate-values finds about managed clusters, as "code message".
func (m *managed) findings(t *testing.T) []string {
	t.Helper()
	folder := t.TempDir()
	command := exec.CommandContext(t.Context(), m.program, "--namespace", managedRuntime, "-f", file(t, "argo-cd:"+strings.ReplaceAll(managedArgoCD, "\n", "\n  ")),
		"-o", "json="+filepath.Join(folder, "report.json"), "-o", "text")
	command.Dir, command.Env = folder, append(os.Environ(), "KUBECONFIG="+m.local.Kubectl.Kubeconfig)
	out, err := command.CombinedOutput()
	var ended *exec.ExitError
	require.True(t, err == nil || errors.As(err, &ended), string(out)) // other checks fail: there is no runtime
	text, err := os.ReadFile(filepath.Join(folder, "report.json"))
	require.NoError(t, err, string(out))
	var report struct {
		Results []struct {
			Code, Status string
			Findings     []struct{ Code, Message string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &report))
	found, ran := []string{}, false
	for _, result := range report.Results {
		ran = ran || result.Code == "MCL100" && result.Status != "skipped"
		for _, finding := range result.Findings {
			if strings.HasPrefix(finding.Code, "MCL") {
				found = append(found, finding.Code+" "+finding.Message)
			}
		}
	}
	require.True(t, ran, string(out))
	return found
}

// deploy applies the Application with a version of the Rollout.
func (m *managed) deploy(t *testing.T, version string) {
	t.Helper()
	m.apply(t, strings.NewReplacer("SERVER", m.server, "VERSION", version).Replace(managedApplication))
}

// rolledOut waits until a version runs on the managed cluster and Argo CD reports that.
func (m *managed) rolledOut(t *testing.T, version string) {
	t.Helper()
	eventually(t, "version "+version+" is rolled out on the managed cluster", 4*time.Minute, func(ctx context.Context) error {
		pods, err := m.target.client.CoreV1().Pods(managedShop).List(ctx, metav1.ListOptions{LabelSelector: "app=canary"})
		if err != nil {
			return err
		}
		running := 0
		for _, pod := range pods.Items {
			if pod.Spec.Containers[0].Env[0].Value != version {
				return fmt.Errorf("%s still runs", pod.Spec.Containers[0].Env[0].Value)
			}
			running++
		}
		if running != 2 {
			return fmt.Errorf("%d pods run", running)
		}
		return m.target.has("rollouts", managedShop, "canary", map[string]string{"status.phase": "Healthy", "status.currentStepIndex": "2"})(ctx)
	})
	eventually(t, "Argo CD reports it", 2*time.Minute, m.has("applications", managedRuntime, "canary", map[string]string{
		"status.sync.status": "Synced", "status.health.status": "Healthy",
	}))
}

// rollsThere deploys a Rollout and an update of it.
func (m *managed) rollsThere(t *testing.T) {
	m.deploy(t, "one")
	m.rolledOut(t, "one")
	m.deploy(t, "two")
	m.rolledOut(t, "two")
}

// rotates replaces the token several times while an update syncs: Argo CD reports no error, and the tokens before still work until they expire.
func (m *managed) rotates(t *testing.T) {
	first := m.token(t)
	m.deploy(t, "three")
	for round := range 3 {
		before, job := m.token(t), fmt.Sprintf("rotate-%d", round)
		m.kubectlOut(t, "create", "job", job, "--from=cronjob/"+managedName, "--namespace", managedRuntime)
		m.kubectlOut(t, "wait", "--for=condition=Complete", "job/"+job, "--namespace", managedRuntime, "--timeout=90s")
		log := m.kubectlOut(t, "logs", "job/"+job, "--namespace", managedRuntime)
		assert.Contains(t, log, "signs in as "+managedAccount+"/"+managedName+" with a new token, which expires at ")
		after := m.token(t)
		assert.NotEqual(t, before, after)
		assert.NotContains(t, log, after)
		application, err := m.object(t.Context(), "applications", managedRuntime, "canary")
		require.NoError(t, err)
		assert.Empty(t, field(application, "status", "conditions"))
		m.kubectlOut(t, "delete", "job", job, "--namespace", managedRuntime)
	}
	m.rolledOut(t, "three")
	assert.True(t, m.accepted(t, first), "a token ends before another replaces it")
	require.NoError(t, m.half(t, "runtime"), "an upgrade keeps the token, with which its hook requests another")
	assert.Empty(t, m.findings(t))
}

// accepted reports whether the managed cluster accepts a token.
func (m *managed) accepted(t *testing.T, token string) bool {
	t.Helper()
	config := rest.AnonymousClientConfig(m.target.config)
	config.BearerToken = token
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	_, err = client.CoreV1().Pods(managedShop).List(t.Context(), metav1.ListOptions{})
	if err != nil && !apierrors.IsForbidden(err) { // its permissions are gone before the API server forgets the token
		require.True(t, apierrors.IsUnauthorized(err), err)
		return false
	}
	return true
}

// tooFewRights takes a kind from the account, which is found, and gives it back. What the account may never do is refused.
func (m *managed) tooFewRights(t *testing.T) {
	require.NoError(t, m.half(t, "target", `kinds: [{apiGroup: "", kinds: [ConfigMap], resources: [configmaps]}]`))
	found := m.findings(t)
	require.Len(t, found, 1)
	assert.Equal(t, "MCL104 The account of cluster staging lacks permission to create, patch and delete services, deployments.apps, statefulsets.apps, cronjobs.batch, "+
		"jobs.batch, ingresses.networking.k8s.io, rollouts.argoproj.io, analysistemplates.argoproj.io in namespace "+managedShop+", which the AppProject staging may deploy.", found[0])
	require.NoError(t, m.half(t, "target"))
	require.Empty(t, m.findings(t))
	as := "--as=system:serviceaccount:" + managedAccount + ":" + managedName
	for _, refused := range [][]string{
		{"get", "secrets", "--namespace", managedShop}, {"create", "rolebindings", "--namespace", managedShop}, {"list", "pods", "--namespace", "kube-system"},
		{"list", "namespaces"}, {"create", "serviceaccounts/token", "--namespace", managedShop},
	} {
		out, err := exec.CommandContext(t.Context(), m.local.Kubectl.Path, append([]string{"--kubeconfig", m.target.local.Kubectl.Kubeconfig, "auth", "can-i", as}, refused...)...).CombinedOutput()
		assert.Error(t, err, "%v", refused)
		assert.Contains(t, string(out), "no", "%v", refused)
	}
}

// connection breaks the cluster Secret in two ways, which are found; the fix of the second one works.
func (m *managed) connection(t *testing.T) {
	change := func(from, to string) {
		text, err := m.secret(t.Context(), managedRuntime, managedName, "config")
		require.NoError(t, err)
		secret, err := m.client.CoreV1().Secrets(managedRuntime).Get(t.Context(), managedName, metav1.GetOptions{})
		require.NoError(t, err)
		secret.Data["config"] = []byte(strings.Replace(text, from, to, 1))
		_, err = m.client.CoreV1().Secrets(managedRuntime).Update(t.Context(), secret, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	encoded := func(authority []byte) string {
		text, err := json.Marshal(authority)
		require.NoError(t, err)
		return string(text)
	}
	change(encoded(m.target.config.CAData), encoded(m.config.CAData))
	found := m.findings(t)
	require.Len(t, found, 1)
	assert.Contains(t, found[0], "MCL102 The certificate of "+m.server+" (cluster staging) cannot be verified")
	change(encoded(m.config.CAData), encoded(m.target.config.CAData))
	change(m.token(t), "revoked")
	assert.Equal(t, []string{`MCL103 Cluster staging accepts no token of the Secret "staging".`}, m.findings(t))
	m.storeFirstToken(t)
	require.NoError(t, m.half(t, "runtime"))
	assert.Empty(t, m.findings(t))
	m.deploy(t, "four")
	m.rolledOut(t, "four")
}

// objectsOfBoth lists the objects in the namespaces of Argo CD, of the account and of what is deployed, and those outside of namespaces.
func (m *managed) objectsOfBoth(t *testing.T) []string {
	t.Helper()
	all, err := m.listBoth(t.Context())
	require.NoError(t, err)
	return all
}

func (m *managed) listBoth(ctx context.Context) ([]string, error) {
	var all []string
	for _, of := range []struct {
		*environment
		namespace string
	}{{m.environment, managedRuntime}, {m.target, managedAccount}, {m.target, managedShop}, {m.target, ""}} {
		names, err := of.list(ctx, of.namespace)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			all = append(all, of.namespace+": "+name)
		}
	}
	return all, nil
}

// removal removes the Application and both halves: neither cluster has an object of them, and the last token is refused.
func (m *managed) removal(t *testing.T, before []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	last := m.token(t)
	m.kubectlOut(t, "delete", "application", "canary", "--namespace", managedRuntime, "--timeout=2m") // with the objects that it deployed
	require.NoError(t, m.local.Helm.Uninstall(ctx, managedName, managedRuntime, time.Minute, t.Output()))
	require.NoError(t, m.target.local.Helm.Uninstall(ctx, managedName, managedAccount, time.Minute, t.Output()))
	eventually(t, "the managed cluster refuses the last token", time.Minute, func(context.Context) error { // the API server remembers it for some seconds
		if m.accepted(t, last) {
			return errors.New("the token outlives its account")
		}
		return nil
	})
	eventually(t, "nothing is left on either side", 2*time.Minute, func(ctx context.Context) error {
		now, err := m.listBoth(ctx)
		if left := without(now, before); err == nil && len(left) > 0 {
			err = fmt.Errorf("left: %v", left)
		}
		return err
	})
}
