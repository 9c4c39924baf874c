package cost

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
)

// settle is how long Stop waits for the kubelet's next sample of every container.
const settle = time.Minute

// Recorder reads the usage of the containers in some namespaces during a measurement.
type Recorder struct {
	client     kubernetes.Interface
	namespaces []string
	interval   time.Duration
	stop       context.CancelFunc
	group      sync.WaitGroup
	seen       map[id][]sample
}

// Record starts reading the usage of the containers of namespaces at each interval, until Stop. A kubelet that does not respond is read again at the
// next interval, because its counters add up.
func Record(ctx context.Context, client kubernetes.Interface, interval time.Duration, namespaces ...string) *Recorder {
	ctx, stop := context.WithCancel(ctx)
	r := &Recorder{client: client, namespaces: namespaces, interval: interval, stop: stop, seen: map[id][]sample{}}
	r.group.Go(func() {
		ticks := time.NewTicker(interval)
		defer ticks.Stop()
		for ctx.Err() == nil {
			_ = read(ctx, client, namespaces, r.seen)
			select {
			case <-ctx.Done():
			case <-ticks.C:
			}
		}
	})
	return r
}

// Stop continues reading until every container that is not new was reported once more, and returns the usages since Record. New containers are omitted.
func (r *Recorder) Stop(ctx context.Context) ([]Usage, error) {
	r.stop()
	r.group.Wait()
	start := time.Now()
	for {
		if err := read(ctx, r.client, r.namespaces, r.seen); err != nil {
			return nil, err
		}
		pods, err := podsOf(ctx, r.client, r.namespaces...)
		if err != nil {
			return nil, err
		}
		if r.reported(pods, start) || time.Since(start) > settle {
			return usages(r.known(pods), r.seen)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("measure the namespaces %v: %w", r.namespaces, ctx.Err())
		case <-time.After(r.interval):
		}
	}
}

// known returns the pods of which every container was reported twice.
func (r *Recorder) known(pods []corev1.Pod) []corev1.Pod {
	var known []corev1.Pod
	for _, pod := range pods {
		twice := true
		for _, container := range pod.Spec.Containers {
			twice = twice && len(r.seen[id{pod.Namespace, pod.Name, container.Name}]) > 1
		}
		if twice {
			known = append(known, pod)
		}
	}
	return known
}

// reported reports whether every container of the running pods that was reported before was also reported after a time, and twice.
func (r *Recorder) reported(pods []corev1.Pod, after time.Time) bool {
	for _, pod := range pods {
		if pod.Status.Phase != corev1.PodRunning {
			continue
		}
		for _, container := range pod.Spec.Containers {
			samples := r.seen[id{pod.Namespace, pod.Name, container.Name}]
			if len(samples) == 1 || len(samples) > 1 && samples[len(samples)-1].at.Before(after) {
				return false
			}
		}
	}
	return true
}
