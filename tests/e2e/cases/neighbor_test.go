//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// neighbor is the namespace of an Argo CD that was installed before the runtime, and neighborRollouts that of Argo Rollouts.
const (
	neighbor         = "e2e-neighbor"
	neighborRollouts = "e2e-neighbor-rollouts"
)

// neighborValues are those of the other Argo CD: it serves without TLS, reconciles often, allows programs of the runtime's namespace, and grants API
// keys to its administrator, which a runtime that signs in with a password requests.
const neighborValues = `
global: {networkPolicy: {clientNamespaces: [codefresh]}}
configs: {params: {server.insecure: true}, cm: {timeout.reconciliation: 20s, accounts.admin: "apiKey, login"}}
notifications: {enabled: false}
applicationSet: {replicas: 0}
`

// neighborApplication is what the other Argo CD manages.
var neighborApplication = objects("neighbor-application")

// besideValues are the documented settings for a cluster that has Argo CD and Rollouts.
const besideValues = `
argo-cd:
  fullnameOverride: runtime-argo-cd
  configs: {cm: {application.resourceTrackingMethod: annotation+label}}
argo-rollouts: {controller: {instanceID: runtime}}
`

// neighbors is a cluster with Argo CD and Rollouts, prepared for runtimes in mesh mode.
type neighbors struct {
	*environment
	mesh install.Ready
}

// TestNeighbors tests runtimes on a cluster with Argo CD and Rollouts: one that the other Argo CD installs and that uses it, then one in addition
// to it, and nightly one that uses it by a token, and two. The others keep working, also after the runtimes are uninstalled.
func TestNeighbors(t *testing.T) {
	n := &neighbors{environment: start(t)}
	defer n.clean(t)
	require.True(t, n.run(t, "others", n.installOthers), "there is no other Argo CD")
	pods := []map[string]string{n.podsIn(t, neighbor, ""), n.podsIn(t, neighborRollouts, "app.kubernetes.io/name=argo-rollouts")}
	n.run(t, "through Argo CD", n.throughArgoCD)
	if nightly {
		n.run(t, "external Argo CD by token", n.byToken)
	}
	beside := n.run(t, "in addition to Argo CD", n.besideArgoCD)
	pods[1] = n.podsIn(t, neighborRollouts, "app.kubernetes.io/name=argo-rollouts") // that test has stopped it for a while
	if beside && nightly {
		n.run(t, "two runtimes", n.twoRuntimes)
	}
	n.run(t, "uninstall", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
		defer cancel()
		require.NoError(t, n.local.Kubectl.Delete(ctx, documents(t, hookOn(1)), time.Minute)) // the user's objects are deleted first
		require.NoError(t, n.local.Helm.Uninstall(ctx, install.Release, install.Namespace, 3*time.Minute, t.Output()))
		n.otherWorks(t)
		assert.Equal(t, pods, []map[string]string{n.podsIn(t, neighbor, ""), n.podsIn(t, neighborRollouts, "app.kubernetes.io/name=argo-rollouts")}, "others were replaced or restarted")
		n.rollOut(t, neighborRollouts, "one")
	})
}

// installOthers installs the other Argo CD and Argo Rollouts, each with its own chart, and creates an Application.
func (n *neighbors) installOthers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	for _, namespace := range []string{neighbor, neighborRollouts, "e2e-neighbor-guestbook"} {
		n.apply(t, namespaceOf(namespace)) // clean removes them
	}
	var err error
	n.mesh, err = n.local.Prepare(ctx, images.Mesh)
	require.NoError(t, err)
	group, ctx := errgroup.WithContext(ctx)
	for namespace, chart := range map[string]install.Chart{neighbor: {Name: "argo-cd"}, neighborRollouts: {Name: "argo-rollouts"}} {
		imagesFile, err := n.local.PrepareChart(ctx, chart)
		require.NoError(t, err)
		files := []string{imagesFile}
		if namespace == neighbor {
			files = append(files, file(t, neighborValues))
		}
		group.Go(func() error {
			return n.local.Helm.Upgrade(ctx, install.Upgrade{
				Release: aloneRelease, Chart: n.local.Path(chart), Namespace: namespace, ValueFiles: files, Timeout: 5 * time.Minute,
			}, t.Output())
		})
	}
	require.NoError(t, group.Wait())
	n.mapper.Reset()
	n.apply(t, neighborApplication)
	n.otherWorks(t)
}

// otherWorks checks that the other Argo CD reverts changes.
func (n *neighbors) otherWorks(t *testing.T) {
	t.Helper()
	healthy := n.has("applications", neighbor, "guestbook", map[string]string{"status.sync.status": "Synced", "status.health.status": "Healthy"})
	eventually(t, "the other Argo CD's application is synced and healthy", 3*time.Minute, healthy)
	maps := n.client.CoreV1().ConfigMaps("e2e-neighbor-guestbook")
	require.NoError(t, maps.Delete(t.Context(), "guestbook", metav1.DeleteOptions{}))
	eventually(t, "the other Argo CD creates a deleted ConfigMap again", 2*time.Minute, func(ctx context.Context) error {
		_, err := maps.Get(ctx, "guestbook", metav1.GetOptions{})
		return err
	})
	eventually(t, "the other Argo CD's application is synced and healthy again", 3*time.Minute, healthy)
}

// installFirst installs a runtime with more values, or upgrades it.
func (n *neighbors) installFirst(t *testing.T, values string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 11*time.Minute)
	defer cancel()
	require.NoError(t, n.local.Install(ctx, images.Mesh, n.mesh, []string{file(t, values)}, nil))
	n.mapper.Reset()
}

// besideArgoCD checks that the hook refuses a second Argo Rollouts, and that with the documented settings both install work independently.
func (n *neighbors) besideArgoCD(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	refused := n.local.Install(ctx, images.Mesh, n.mesh, []string{file(t, strings.Replace(besideValues, "instanceID: runtime", `instanceID: ""`, 1))}, nil)
	require.Error(t, refused)
	require.Contains(t, n.kubectlOut(t, "logs", "jobs/validate-values", "-n", install.Namespace),
		"CLU502  Argo Rollouts already runs on this cluster (Deployment "+neighborRollouts+"/")
	n.installFirst(t, besideValues)
	n.rolloutsApart(t)
	a := n.access(t, images.Mesh)
	a.appProxy(t)
	a.argoCD(t)
	n.application(t)
	n.otherWorks(t)
	for name, owner := range map[string]string{"applications.argoproj.io": neighbor, "rollouts.argoproj.io": neighborRollouts} {
		definition, err := n.metadata.Resource(definitions).Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, owner, definition.Annotations["meta.helm.sh/release-namespace"], "the owner of the definition %s", name)
	}
}

// rolloutsApart checks that each Argo Rollouts acts on its own objects only: while the other has no pod, the runtime's rolls out what has its instance
// ID, and does not touch what has none.
func (n *neighbors) rolloutsApart(t *testing.T) {
	deployments := n.client.AppsV1().Deployments(neighborRollouts)
	all, err := deployments.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, all.Items, 1)
	scale := func(replicas int32) {
		n.kubectlOut(t, "scale", "deployment", all.Items[0].Name, "-n", neighborRollouts, fmt.Sprintf("--replicas=%d", replicas))
	}
	n.rollOut(t, neighborRollouts, "one")
	scale(0)
	n.applyHere(t, strings.NewReplacer("name: canary, namespace: NAMESPACE",
		"name: runtime, namespace: "+neighborRollouts+", labels: {argo-rollouts.argoproj.io/controller-instance-id: runtime}",
		"{app: canary}", "{app: runtime}", "IMAGE", standIn).Replace(canary))
	eventually(t, "the runtime's Argo Rollouts rolls out what has its instance ID", 2*time.Minute,
		n.has("rollouts", neighborRollouts, "runtime", map[string]string{"status.phase": "Healthy"}))
	n.kubectlOut(t, "patch", "rollout", "canary", "-n", neighborRollouts, "--type=merge", "-p", `{"spec":{"replicas":1}}`)
	theirs, err := n.object(t.Context(), "rollouts", neighborRollouts, "canary")
	require.NoError(t, err)
	time.Sleep(10 * time.Second)
	require.NoError(t, n.has("rollouts", neighborRollouts, "canary", map[string]string{"status.replicas": "2"})(t.Context()), "the runtime's Argo Rollouts changed an object of the other")
	scale(*all.Items[0].Spec.Replicas)
	eventually(t, "the other Argo Rollouts takes up its own", 2*time.Minute, n.has("rollouts", neighborRollouts, "canary", map[string]string{
		"status.observedGeneration": fmt.Sprint(theirs.GetGeneration()), "status.replicas": "1",
	}))
}
