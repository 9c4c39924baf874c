//go:build e2e && nightly

package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/validator/preview"
)

// Requests are sent five times a second. A Service that does not respond for a second has a gap.
const (
	pingsEvery = 200 * time.Millisecond
	gapFrom    = time.Second
)

// pings are requests to each Service whose pods a preview says to restart.
type pings struct {
	*previewed
	client              rest.Interface
	targets             map[string]corev1.Service
	predicted, measured []string
	outages             []string
	cancel              context.CancelFunc
	group               sync.WaitGroup
	mu                  sync.Mutex
	outcomes            map[string][]*outcome
}

// ping begins to send requests.
func (p *previewed) ping(t *testing.T, report preview.Report) *pings {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	config := rest.CopyConfig(p.config)
	config.QPS = -1
	unlimited, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	sent := &pings{previewed: p, client: unlimited.CoreV1().RESTClient(), targets: map[string]corev1.Service{}, cancel: cancel, outcomes: map[string][]*outcome{}}
	gap := map[string]bool{}
	for _, item := range append(report.Section("restarts").Items, report.Section("breaks").Items...) {
		if item.Change == "restarts" || strings.HasPrefix(item.Message, "GAP") {
			gap[item.Object] = item.Change != "restarts" || slices.Contains(item.Alarms, "gaps")
		}
	}
	for service, workloads := range p.services(t) {
		name := "Service/" + service.Name
		if !slices.ContainsFunc(workloads, func(workload string) bool { _, restarts := gap[workload]; return restarts }) {
			continue
		}
		if gap[name] || !slices.ContainsFunc(workloads, func(workload string) bool { return !gap[workload] }) {
			sent.predicted = append(sent.predicted, name)
		}
		sent.targets[name] = *service
	}
	for name, service := range sent.targets {
		sent.group.Go(func() { sent.send(ctx, name, service) })
	}
	return sent
}

// services returns the Services of the namespace with the workloads whose pods they select.
func (p *previewed) services(t *testing.T) map[*corev1.Service][]string {
	t.Helper()
	list, err := p.client.CoreV1().Services(install.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	templates := map[string]labels.Set{}
	deployments, err := p.client.AppsV1().Deployments(install.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, one := range deployments.Items {
		templates["Deployment/"+one.Name] = one.Spec.Template.Labels
	}
	sets, err := p.client.AppsV1().StatefulSets(install.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, one := range sets.Items {
		templates["StatefulSet/"+one.Name] = one.Spec.Template.Labels
	}
	found := map[*corev1.Service][]string{}
	for i, service := range list.Items {
		if len(service.Spec.Selector) == 0 {
			continue
		}
		for name, given := range templates {
			if labels.SelectorFromSet(service.Spec.Selector).Matches(given) {
				found[&list.Items[i]] = append(found[&list.Items[i]], name)
			}
		}
	}
	return found
}

// send sends requests to a Service at a steady rate.
func (s *pings) send(ctx context.Context, name string, service corev1.Service) {
	steadily(ctx, pingsEvery, func(ctx context.Context) {
		made := &outcome{sent: time.Now()}
		s.mu.Lock()
		s.outcomes[name] = append(s.outcomes[name], made)
		s.mu.Unlock()
		made.err = s.responds(ctx, service)
	})
}

// responds sends a request through the API server to one of the pods that are ready. Any response is one, even that the port speaks another protocol. A busy API
// server that says nothing in time says nothing about the Service, either.
func (s *pings) responds(ctx context.Context, service corev1.Service) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	path := fmt.Sprintf("/api/v1/namespaces/%s/services/%s:%d/proxy/", service.Namespace, service.Name, service.Spec.Ports[0].Port)
	body, err := s.client.Get().AbsPath(path).Stream(ctx)
	if err == nil {
		return body.Close()
	}
	for _, silent := range []string{"no endpoints available", "dial tcp"} {
		if strings.Contains(err.Error(), silent) {
			return err
		}
	}
	return nil
}

// stop ends the requests, and says which Services had a gap, of those that are still there.
func (s *pings) stop(t *testing.T) {
	t.Helper()
	s.cancel()
	s.group.Wait()
	kept := map[string]bool{}
	for service := range s.services(t) {
		kept["Service/"+service.Name] = true
	}
	s.predicted = slices.DeleteFunc(s.predicted, func(name string) bool { return !kept[name] })
	for name := range s.targets {
		if !kept[name] {
			continue
		}
		if longest, last := outage(s.outcomes[name]); longest > 0 {
			s.outages = append(s.outages, fmt.Sprintf("%s %.1f s (%v)", name, longest.Seconds(), last))
			if longest >= gapFrom {
				s.measured = append(s.measured, name)
			}
		}
	}
}

// outage returns the longest time from a request that failed to the next one that did not, and its last error.
func outage(outcomes []*outcome) (longest time.Duration, last error) {
	var begun time.Time
	for _, one := range outcomes {
		switch {
		case one.err == nil:
			begun = time.Time{}
			continue
		case begun.IsZero():
			begun = one.sent
		}
		if lasts := one.sent.Sub(begun) + pingsEvery; lasts > longest {
			longest, last = lasts, one.err
		}
	}
	return longest, last
}
