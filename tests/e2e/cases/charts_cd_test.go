//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gitops-runtime/tests/e2e/install"
)

func cdAlone() aloneChart {
	return aloneChart{
		Chart: install.Chart{Name: "argo-cd", Scenarios: []string{"ha"}}, helm: helm4,
		pods: map[string]int32{
			"argocd-application-controller": 1, "argocd-applicationset-controller": 1, "argocd-notifications-controller": 1,
			"argocd-redis": 1, "argocd-repo-server": 1, "argocd-server": 1,
		},
		available: map[string]int32{
			"argocd-application-controller": 2, "argocd-applicationset-controller": 2, "argocd-notifications-controller": 1,
			"argocd-redis-ha-haproxy": 3, "argocd-redis-ha-server": 3, "argocd-repo-server": 2, "argocd-server": 2,
		},
		before: deployedBefore, definitions: "argo-cd/files/crds/*.yaml",
		lasting: alone.makeTargets,
		works:   alone.deploys,
	}
}

// deployedBefore is what a user of the community chart has: an Application, a repository, and what Argo CD and its Job have created.
var deployedBefore = objects("deployed-before")

// aloneApplication is an Application; ROUND is the suffix of its name and its target namespace.
var aloneApplication = objects("alone-application")

// aloneSet creates an Application for each element of a list.
var aloneSet = objects("alone-set")

// makeTargets creates the namespaces that applications are deployed to.
func (a alone) makeTargets(t *testing.T) {
	for _, name := range []string{"e2e-cd-default", "e2e-cd-ha", "e2e-cd-set-default", "e2e-cd-set-ha"} {
		a.environment.namespace(t, name)
	}
}

// deploys checks that an Application and one that an ApplicationSet has created are synced and healthy; a sync that the runtime's checks reject
// reports why; a replicated Redis survives the loss of its master.
func (a alone) deploys(t *testing.T, round string) {
	fill := strings.NewReplacer("NAMESPACE", a.namespace, "ROUND", round)
	a.applyHere(t, fill.Replace(aloneApplication))
	a.applyHere(t, fill.Replace(aloneSet))
	for _, name := range []string{"guestbook-" + round, "set-" + round} {
		eventually(t, name+" is synced and healthy", 3*time.Minute, a.has("applications", a.namespace, name, map[string]string{
			"status.sync.status":   "Synced",
			"status.health.status": "Healthy",
		}))
	}
	if round == "ha" {
		a.redisSurvives(t)
	} else {
		a.refusedSync(t)
	}
}

// redisSurvives checks that data written through HAProxy is kept when the master loses its pod and its data.
func (a alone) redisSurvives(t *testing.T) {
	const pods, announced, proxy = "alone-argocd-redis-ha-server-", "alone-argocd-redis-ha-announce-", "alone-argocd-redis-ha-haproxy"
	master, err := a.redis(t.Context(), pods+"0", "-p", "26379", "sentinel", "get-master-addr-by-name", "argocd")
	require.NoError(t, err)
	number := strings.TrimPrefix(strings.Fields(master)[0], announced)
	asker := pods + map[bool]string{true: "1", false: "0"}[number == "0"]
	// HAProxy accepts clients of Argo CD; the other servers of Redis do not
	label := []byte(`{"metadata":{"labels":{"argocd-client":"true"}}}`)
	_, err = a.client.CoreV1().Pods(a.namespace).Patch(t.Context(), asker, types.MergePatchType, label, metav1.PatchOptions{})
	require.NoError(t, err)
	eventually(t, "HAProxy accepts the client", 30*time.Second, func(ctx context.Context) error {
		_, err := a.redis(ctx, asker, "-h", proxy, "ping")
		return err
	})
	_, err = a.redis(t.Context(), asker, "-h", proxy, "set", "e2e", "kept")
	require.NoError(t, err)
	acknowledged, err := a.redis(t.Context(), asker, "-h", proxy, "wait", "2", "5000")
	require.NoError(t, err)
	require.Equal(t, "2", acknowledged)
	require.NoError(t, a.client.CoreV1().Pods(a.namespace).Delete(t.Context(), pods+number, metav1.DeleteOptions{}))
	eventually(t, "another server is the master", time.Minute, func(ctx context.Context) error {
		now, err := a.redis(ctx, asker, "-p", "26379", "sentinel", "get-master-addr-by-name", "argocd")
		if err == nil && strings.Fields(now)[0] == announced+number {
			err = fmt.Errorf("the master is still %s", now)
		}
		return err
	})
	eventually(t, "HAProxy routes to it", time.Minute, func(ctx context.Context) error {
		kept, err := a.redis(ctx, asker, "-h", proxy, "get", "e2e")
		if err == nil && kept != "kept" {
			err = fmt.Errorf("the value is %q", kept)
		}
		return err
	})
}

// redis runs redis-cli in a pod of Redis.
func (a alone) redis(ctx context.Context, pod string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, a.local.Kubectl.Path, append([]string{
		"--kubeconfig", a.local.Kubectl.Kubeconfig, "exec", "--namespace", a.namespace, pod, "--container", "redis", "--", "timeout", "10", "redis-cli",
	}, args...)...)
	var failure bytes.Buffer
	command.Stderr = &failure
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("redis-cli in %s: %w: %s", pod, err, failure.String())
	}
	return strings.TrimSpace(string(out)), nil
}
