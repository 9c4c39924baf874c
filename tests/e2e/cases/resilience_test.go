//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// small are values that reduce values-ha.yaml to the size of a small node, and apply the chart's NetworkPolicies to every connection, in both
// directions.
const small = `
global:
  networkPolicy:
    restrictEgress: true
    extraEgress: [{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: platform}}}]}] # pods stand in for hosts outside
`

// TestResilience checks that a highly available runtime with its NetworkPolicies works; what is deleted is restored or replaced, and nothing that
// was sent is lost. Helm 4 installs it, with server-side apply, and with the preset of the Pod Security level restricted.
func TestResilience(t *testing.T) {
	e := start(t).by(helm4).restricted()
	before := e.inventory(t)
	require.True(t, e.run(t, "install", func(t *testing.T) { e.installHA(t, small) }), "no runtime to test")
	a := e.access(t, images.Tunnel)
	e.run(t, "app-proxy", a.appProxy)
	e.run(t, "workflows server", a.workflowsServer)
	e.run(t, "application", e.application)
	e.run(t, "workflow", e.workflow)
	e.run(t, "repo server", e.repoServer)
	e.run(t, "restricted", func(t *testing.T) { e.meetsRestricted(t, install.Namespace) })
	e.run(t, "closed to other namespaces", func(t *testing.T) {
		e.closedToOthers(t, "argo-cd-redis-ha-haproxy-metrics.codefresh:9101") // metrics
	})
	e.run(t, "bus server", a.losesBusServer)
	e.run(t, "tunnel server", a.losesTunnelServer)
	e.run(t, "leader of app-proxy", e.losesLeader)
	e.run(t, "nothing forbidden", func(t *testing.T) { e.nothingForbidden(t, install.Namespace) })
	e.run(t, "uninstall", func(t *testing.T) { e.uninstall(t, before) })
}

// installHA installs the runtime in tunnel mode with values-ha.yaml and more values in YAML.
func (e *environment) installHA(t *testing.T, values string) {
	e.installFiles(t, images.Tunnel, []string{filepath.Join(e.local.Root, "charts", "gitops-runtime", "values-ha.yaml"), file(t, values)})
}

// losesTunnelServer checks that the same tunnel client reconnects to a restarted tunnel server within 30 seconds.
func (a access) losesTunnelServer(t *testing.T) {
	client := a.pods(t, "app.kubernetes.io/name=tunnel-client")
	require.Len(t, client, 1)
	a.scale(t, addons.Namespace, addons.TunnelServer, 0)
	t.Cleanup(func() {
		if t.Failed() {
			a.scale(t, addons.Namespace, addons.TunnelServer, 1)
		}
	})
	hello := request{path: "/app-proxy/hello"}
	a.answer(t, http.StatusBadGateway, 30*time.Second, hello)
	time.Sleep(20 * time.Second) // a fixed time: the client's retry interval grows in the meantime
	a.scale(t, addons.Namespace, addons.TunnelServer, 1)
	begun := time.Now()
	a.answer(t, http.StatusOK, 30*time.Second, hello)
	t.Logf("the tunnel was up %s after its server", time.Since(begun).Round(time.Millisecond))
	assert.Equal(t, client, a.pods(t, "app.kubernetes.io/name=tunnel-client"), "the tunnel client was replaced or restarted")
}

// losesBusServer checks that each accepted webhook arrives at the platform when the event bus suddenly loses the leader of its stream.
func (a access) losesBusServer(t *testing.T) {
	a.apply(t, hookOn(3))
	t.Cleanup(func() {
		assert.NoError(t, a.local.Kubectl.Delete(context.Background(), documents(t, hookOn(3)), time.Minute))
	})
	a.subscribed(t, install.Namespace, "e2e-hook")
	a.answer(t, http.StatusOK, time.Minute, pushed(-1))
	leader := a.busLeader(t)

	const count, lostAt = 60, 10
	var senders sync.WaitGroup
	for number := range count {
		if number == lostAt {
			require.NoError(t, a.client.CoreV1().Pods(install.Namespace).Delete(t.Context(), leader, *metav1.NewDeleteOptions(0)))
		}
		senders.Go(func() { a.send(t, number) })
		time.Sleep(250 * time.Millisecond) // in the order of arrival
	}
	senders.Wait()
	eventually(t, "every webhook has arrived", 2*time.Minute, func(ctx context.Context) error {
		missing, err := a.platform(t).missing(ctx, 0, count)
		if err == nil && len(missing) > 0 {
			err = fmt.Errorf("without %v", missing)
		}
		return err
	})
}

// pushed returns a numbered webhook.
func pushed(number int) request {
	return request{
		method: http.MethodPost, path: "/webhooks/codefresh/e2e-hook/push", body: fmt.Sprintf(`{"number":%d}`, number),
		header: map[string]string{"Content-Type": "application/json"},
	}
}

// send sends a webhook until it is accepted, as Git providers do.
func (a access) send(t *testing.T, number int) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		got, err := a.ask(t.Context(), pushed(number))
		if err == nil && got.status == http.StatusOK {
			return
		}
		if !assert.False(t, time.Now().After(end), "webhook %d is not accepted: status %d: %s: %v", number, got.status, got.body, err) {
			return
		}
		t.Logf("webhook %d is sent again: status %d: %v", number, got.status, err)
	}
}

// missing returns the numbers from first to before end that no webhook delivered to the platform.
func (p platformAPI) missing(ctx context.Context, first, end int) ([]int, error) {
	bodies, err := p.inbox(ctx, "e2e-hook")
	if err != nil {
		return nil, err
	}
	arrived := map[int]bool{}
	for _, body := range bodies {
		pushed, _ := body["pushed"].(map[string]any)
		if number, ok := pushed["number"].(float64); ok {
			arrived[int(number)] = true
		}
	}
	var missing []int
	for number := first; number < end; number++ {
		if !arrived[number] {
			missing = append(missing, number)
		}
	}
	return missing, nil
}

// busLeader returns the pod that is the leader of the event bus's stream, as any of its servers reports.
func (e *environment) busLeader(t *testing.T) string {
	t.Helper()
	var leader string
	eventually(t, "the event bus has a leader", time.Minute, func(ctx context.Context) error {
		text, err := e.client.CoreV1().RESTClient().Get().Namespace(install.Namespace).Resource("pods").
			Name("eventbus-e2e-hook-js-0:8222").SubResource("proxy").Suffix("jsz").Param("streams", "true").DoRaw(ctx)
		if err != nil {
			return err
		}
		var report struct {
			Accounts []struct {
				Streams []struct {
					Cluster struct {
						Leader   string
						Replicas []struct{ Current bool }
					}
				} `json:"stream_detail"`
			} `json:"account_details"`
		}
		if err := json.Unmarshal(text, &report); err != nil {
			return err
		}
		for _, account := range report.Accounts {
			for _, stream := range account.Streams {
				if len(stream.Cluster.Replicas) == 2 && strings.HasPrefix(stream.Cluster.Leader, "eventbus-e2e-hook-js-") {
					leader = stream.Cluster.Leader
					return nil
				}
			}
		}
		return fmt.Errorf("no stream with three servers: %s", text)
	})
	return leader
}
