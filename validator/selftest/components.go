package selftest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gitops-runtime/validator/cluster"
)

// workload is the part of a Deployment or StatefulSet that shows whether it is complete.
type workload struct {
	Metadata struct {
		Generation int64 `json:"generation"`
	} `json:"metadata"`
	Spec struct {
		Replicas *int `json:"replicas"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64 `json:"observedGeneration"`
		Updated            int   `json:"updatedReplicas"`
		Ready              int   `json:"readyReplicas"`
		Available          int   `json:"availableReplicas"`
		Conditions         []struct {
			Type   string    `json:"type"`
			Status string    `json:"status"`
			Since  time.Time `json:"lastTransitionTime"`
		} `json:"conditions"`
	} `json:"status"`
}

// wanted returns the number of replicas in the spec; the default of Kubernetes is 1.
func (w workload) wanted() int {
	if w.Spec.Replicas == nil {
		return 1
	}
	return *w.Spec.Replicas
}

// complete reports whether every replica is of the newest generation and available.
func (w workload) complete() bool {
	return w.Status.ObservedGeneration >= w.Metadata.Generation &&
		w.Status.Updated >= w.wanted() && w.Status.Ready >= w.wanted() && w.Status.Available >= w.wanted()
}

// state returns a short form of the workload's state. The time since when a Deployment is available shows whether pods restart; a StatefulSet does
// not have it.
func (w workload) state() string {
	text := fmt.Sprintf("%d of %d available", w.Status.Available, w.wanted())
	for _, condition := range w.Status.Conditions {
		if condition.Type == "Available" && condition.Status == "True" {
			text += " since " + condition.Since.UTC().Format(time.RFC3339)
		}
	}
	return text
}

// errScaledDown is the error of a workload that should have pods, but was scaled to zero.
var errScaledDown = errors.New("it is scaled to 0 replicas")

// Components checks whether workloads are complete, and waits for incomplete ones until ctx ends.
func Components(ctx context.Context, s Surroundings, workloads []cluster.Object, report *Report) {
	for _, one := range workloads {
		path := one.Path(s.Namespace)
		check := Check{
			Name: "components/" + one.Name, Title: "The pods of " + one.String() + " are available",
			Asked: "get " + one.String() + " in namespace " + s.Namespace,
			Fix:   fmt.Sprintf("kubectl describe %s -n %s, and look at the log of its pods; a workload without pods: kubectl scale %s -n %s --replicas=1", one, s.Namespace, one, s.Namespace),
		}
		got, err := s.until(ctx, func(ctx context.Context) (bool, string, error) {
			var found workload
			if err := s.watched(ctx, path, &found); err != nil {
				return false, "", err
			}
			if found.wanted() == 0 {
				return false, "", final{errScaledDown}
			}
			return found.complete(), found.state(), nil
		})
		report.Add(check, got, err)
	}
}
