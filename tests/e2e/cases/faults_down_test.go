//go:build e2e && nightly

package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gitops-runtime/tests/e2e/addons"
)

// downVariable sets how long the platform and Git are down in each failure mode.
const (
	downVariable = "E2E_DOWN"
	usualDown    = 10 * time.Minute
)

// down is a failure mode of the platform and Git.
type down struct {
	how string
	// misbehavior is the rest of a fault of the platform's stand-in, in JSON.
	misbehavior string
	// refuses means that new connections of the runtime are refused.
	refuses bool
}

func waysToBeDown() []down {
	return []down{
		{how: "refuse connections", misbehavior: `"drop":true`, refuses: true}, // existing connections end
		{how: "hang", misbehavior: `"delay":"1h"`},
		{how: "answer 503", misbehavior: `"status":503,"body":"away"`},
		{how: "answer garbage", misbehavior: `"status":200,"body":"<html>"`},
	}
}

// refusing denies connections from the runtime's namespace to the platform. Those of the tests, from outside the cluster, and of the tunnel server
// are allowed.
var refusing = objects("refusing")

// platformAndGitDown returns the fault in which both fail in one mode for a while. The platform's stand-in then responds instead of the Git server,
// which keeps its commits.
func (f *traffic) platformAndGitDown(way down, duration time.Duration) fault {
	var synced func(context.Context) error
	return fault{
		name:     fmt.Sprintf("the platform and Git %s for %.0f s", way.how, duration.Seconds()),
		patience: 10 * time.Minute,
		strike: func(t *testing.T) {
			server := "platform"
			if way.refuses {
				server = "absent" // no pod has this name
				pods, err := f.podNetwork(t.Context())
				require.NoError(t, err)
				policy := strings.ReplaceAll(refusing, "PODS", pods)
				f.apply(t, policy)
				defer func() {
					assert.NoError(t, f.local.Kubectl.Delete(context.WithoutCancel(t.Context()), documents(t, policy), time.Minute))
				}()
			}
			f.serveGitFrom(t, server)
			defer f.serveGitFrom(t, "git-server")
			f.platformMisbehaves(t, way.misbehavior, duration, "/apps.git/info/refs")
			synced = f.work.upToDate()
		},
		recovered: func(ctx context.Context) error {
			if err := f.allReady(ctx); err != nil {
				return err
			}
			return synced(ctx)
		},
	}
}

// serveGitFrom routes the Git server's Service to pods of another name.
func (e *environment) serveGitFrom(t *testing.T, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	_, err := e.client.CoreV1().Services(addons.Namespace).Patch(ctx, "git-server", types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"selector":{"app.kubernetes.io/name":%q}}}`, name), metav1.PatchOptions{})
	assert.NoError(t, err)
}

// podNetwork returns the CIDR block of the addresses of the node's pods.
func (e *environment) podNetwork(ctx context.Context) (string, error) {
	nodes, err := e.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	if len(nodes.Items) != 1 {
		return "", fmt.Errorf("the cluster has %d nodes, want one", len(nodes.Items))
	}
	return nodes.Items[0].Spec.PodCIDR, nil
}

// dnsAway returns the fault in which the cluster's DNS server does not respond for a while.
func (f *traffic) dnsAway(t *testing.T, duration time.Duration) fault {
	const namespace, name = "kube-system", "coredns"
	scale, err := f.client.AppsV1().Deployments(namespace).GetScale(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	var synced func(context.Context) error
	return fault{
		name: fmt.Sprintf("DNS is away for %.0f s", duration.Seconds()),
		strike: func(t *testing.T) {
			f.scale(t, namespace, name, 0)
			defer f.scale(t, namespace, name, scale.Spec.Replicas)
			time.Sleep(duration) // a fixed time: the duration of the fault
			synced = f.work.upToDate()
		},
		recovered: func(ctx context.Context) error {
			if err := f.allReady(ctx); err != nil {
				return err
			}
			return synced(ctx)
		},
		carries: true,
	}
}
