//go:build e2e && nightly

package e2e_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/standin/platformapi"
)

// fault is a failure during traffic, which ends by itself or lasts until Kubernetes has repaired it.
type fault struct {
	name string
	// strike injects the fault; its duration is part of the time until recovered returns no error.
	strike    func(*testing.T)
	recovered func(context.Context) error
	// patience is the maximum time until recovered returns no error, 3 minutes if it is 0.
	patience time.Duration
	// carries means that requests pass the failing component, and may be lost until it has recovered. Other faults must lose none.
	carries bool
}

func (f fault) within() time.Duration { return cmp.Or(f.patience, 3*time.Minute) }

// inject injects the chosen faults one by one, and logs a row of docs/reliability.md for each.
func (f *traffic) inject(t *testing.T, faults ...fault) {
	var before deliveries
	var worked done
	if f.work != nil {
		worked = f.work.settled(t)
	}
	for _, one := range faults {
		if !chosen(t, one.name) {
			continue
		}
		f.run(t, one.name, func(t *testing.T) {
			f.answer(t, 200, time.Minute, request{path: "/app-proxy/hello"})
			begun := time.Now()
			one.strike(t)
			eventually(t, "recovered", one.within(), one.recovered)
			took, since := time.Since(begun), time.Now()
			f.answer(t, 200, time.Minute, request{path: "/app-proxy/hello"})
			time.Sleep(2 * time.Second) // a fixed time: nothing may be lost afterwards either
			sent, failed, last := f.lost(t, begun.Add(-time.Second), time.Now())
			now := f.delivered(t)
			row := fmt.Sprintf("| %s | %.0f s | %d of %d | 0 of %d | %d | %d |", one.name, took.Seconds(), failed, sent,
				now.accepted-before.accepted, now.again-before.again, now.twice-before.twice)
			before = now
			if f.work != nil {
				now := f.work.settled(t)
				row += fmt.Sprintf(" %d in at most %.0f s | 0 of %d |", now.synced-worked.synced, now.longest.Seconds(), now.submitted-worked.submitted)
				worked = now
			}
			t.Log(row)
			if failed > 0 {
				t.Logf("the last lost request: %s", last)
			}
			if !one.carries {
				assert.Zero(t, failed, "requests that do not pass it were lost, the last %s", last)
			}
			_, late, last := f.lost(t, since.Add(time.Second), time.Now())
			assert.Zero(t, late, "requests were lost after it had recovered, the last %s", last)
		})
	}
}

// faultsVariable selects faults by a regular expression on their names; the default is all.
const faultsVariable = "E2E_FAULTS"

func chosen(t *testing.T, name string) bool {
	t.Helper()
	wanted, err := regexp.Compile(os.Getenv(faultsVariable))
	require.NoError(t, err, "%s is not a regular expression", faultsVariable)
	return wanted.MatchString(name)
}

// carriers returns the workloads that the traffic passes.
func carriers() []string {
	return []string{"cap-app-proxy", "codefresh-tunnel-client", "internal-router"}
}

// podDies returns the fault in which a pod of a workload is killed immediately.
func (e *environment) podDies(workload string, selector *metav1.LabelSelector) fault {
	labels := metav1.FormatLabelSelector(selector)
	var before []types.UID
	return fault{
		name: "a pod of " + commonName(workload) + " dies",
		strike: func(t *testing.T) {
			pods, err := e.client.CoreV1().Pods(install.Namespace).List(t.Context(), metav1.ListOptions{LabelSelector: labels})
			require.NoError(t, err)
			require.NotEmpty(t, pods.Items)
			before = nil
			for _, pod := range pods.Items {
				before = append(before, pod.UID)
			}
			require.NoError(t, e.client.CoreV1().Pods(install.Namespace).Delete(t.Context(), pods.Items[0].Name, *metav1.NewDeleteOptions(0)))
		},
		recovered: func(ctx context.Context) error {
			pods, err := e.client.CoreV1().Pods(install.Namespace).List(ctx, metav1.ListOptions{LabelSelector: labels})
			if err != nil {
				return err
			}
			ready, fresh := 0, 0
			for _, pod := range pods.Items {
				if podReady(pod) {
					ready++
				}
				if !slices.Contains(before, pod.UID) {
					fresh++
				}
			}
			if ready < len(before) || fresh == 0 {
				return fmt.Errorf("%d of %d pods are ready, %d are new", ready, len(before), fresh)
			}
			return nil
		},
		carries: slices.Contains(carriers(), workload),
	}
}

// commonName returns the name of a workload in the tables; Argo Events adds a random suffix to the names of its Deployments.
func commonName(workload string) string {
	for prefix, name := range map[string]string{
		"e2e-hook-eventsource-": "the EventSource", "e2e-hook-sensor-": "the Sensor", "eventbus-e2e-hook-js": "the event bus",
	} {
		if strings.HasPrefix(workload, prefix) {
			return name
		}
	}
	return workload
}

func podReady(pod corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// workloadSelectors returns the pod selectors of every Deployment and StatefulSet with pods in the runtime's namespace, including those of Argo
// Events.
func (e *environment) workloadSelectors(t *testing.T) map[string]*metav1.LabelSelector {
	t.Helper()
	found := map[string]*metav1.LabelSelector{}
	deployments, err := e.client.AppsV1().Deployments(install.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, deployment := range deployments.Items {
		if deployment.Status.ReadyReplicas > 0 {
			found[deployment.Name] = deployment.Spec.Selector
		}
	}
	sets, err := e.client.AppsV1().StatefulSets(install.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, set := range sets.Items {
		if set.Status.ReadyReplicas > 0 {
			found[set.Name] = set.Spec.Selector
		}
	}
	require.NotEmpty(t, found)
	return found
}

// apiAway returns the fault in which the API server does not respond for a while.
func (e *environment) apiAway(duration time.Duration) fault {
	const process = "kube-apiserver"
	return fault{
		name: fmt.Sprintf("the API server is away for %.0f s", duration.Seconds()),
		strike: func(t *testing.T) {
			require.NoError(t, e.local.Cluster.Freeze(t.Context(), process))
			defer func() { assert.NoError(t, e.local.Cluster.Thaw(context.WithoutCancel(t.Context()), process)) }()
			time.Sleep(duration) // a fixed time: the duration of the fault
		},
		recovered: e.allReady,
	}
}

// redisEmptied returns the fault in which every server of Redis loses its data.
func (e *environment) redisEmptied() fault {
	return fault{
		name: "Redis is emptied",
		strike: func(t *testing.T) {
			emptied := 0
			for pod := range e.pods(t, "app.kubernetes.io/name in (argo-cd-redis,argocd-redis,argocd-redis-ha-server,argo-cd-redis-ha-server)") {
				out := e.kubectlOut(t, "exec", "-n", install.Namespace, pod, "-c", "redis", "--", "sh", "-c",
					`REDISCLI_AUTH="$REDIS_PASSWORD" redis-cli flushall || true`)
				if strings.Contains(out, "OK") {
					emptied++ // a replica refuses, and follows its master
				}
			}
			require.Equal(t, 1, emptied)
		},
		recovered: e.allReady,
	}
}

// platformMisbehaves makes the platform misbehave for a while on the paths of its API and on more paths.
func (f *traffic) platformMisbehaves(t *testing.T, misbehavior string, duration time.Duration, more ...string) {
	t.Helper()
	defer f.platform(t).clearFaults(t)
	for _, path := range append([]string{platformapi.GraphQLPath, platformapi.EventsPath, platformapi.TunnelPath, "/api/ping", "/api/argo-runtime"}, more...) {
		f.platform(t).misbehaves(t, fmt.Sprintf(`{"path":%q,%s}`, path, misbehavior))
	}
	time.Sleep(duration) // a fixed time: the duration of the fault
}
