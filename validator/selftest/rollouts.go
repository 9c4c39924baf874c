package selftest

import (
	"context"
	"errors"
	"fmt"
)

// rollout is the part of a Rollout that describes its state.
type rollout struct {
	Metadata struct {
		Generation int64 `json:"generation"`
	} `json:"metadata"`
	Status struct {
		// Observed is the generation, as a string.
		Observed  string `json:"observedGeneration"`
		Phase     string `json:"phase"`
		Message   string `json:"message"`
		Current   string `json:"currentPodHash"`
		Stable    string `json:"stableRS"`
		Available int    `json:"availableReplicas"`
		Updated   int    `json:"updatedReplicas"`
	} `json:"status"`
}

// out reports whether the newest generation is rolled out.
func (r rollout) out() bool {
	return r.Status.Observed == fmt.Sprint(r.Metadata.Generation) && r.Status.Phase == "Healthy" &&
		r.Status.Stable != "" && r.Status.Stable == r.Status.Current && r.Status.Available > 0 && r.Status.Updated > 0
}

func (r rollout) state() string {
	if r.Status.Phase == "" || r.Status.Observed != fmt.Sprint(r.Metadata.Generation) {
		return "no Rollouts controller has taken up the Rollout"
	}
	text := r.Status.Phase
	if r.Status.Message != "" {
		text += ": " + r.Status.Message
	}
	return text
}

// RolloutsOptions are the settings of the test of Argo Rollouts.
type RolloutsOptions struct {
	Name string // Name is that of the Rollout.
	// InstanceID is that of the controller, which acts only on objects with it; empty for none (argo-rollouts v1.9.1,
	// pkg/apis/rollouts/v1alpha1.LabelKeyControllerInstanceID).
	InstanceID string
}

// Rollouts creates a Rollout of one replica, which runs this program, and runs an update through its steps.
func Rollouts(ctx context.Context, s Surroundings, o RolloutsOptions, report *Report) {
	name := o.Name
	path := s.path("argoproj.io", "rollouts", name)
	check := Check{
		Name: "argo-rollouts/first", Title: "A Rollout becomes healthy",
		Asked: fmt.Sprintf("a Rollout %s in namespace %s, of one replica of %v", name, s.Namespace, s.Pod.Container["image"]),
		Fix:   "look at the log of the Rollouts controller: kubectl logs -n " + s.Namespace + " -l app.kubernetes.io/component=rollouts-controller",
	}
	first, err := s.firstRollout(ctx, o, path)
	if report.Add(check, first, err) {
		check.Name, check.Title = "argo-rollouts/update", "An update runs through its steps"
		check.Asked = "another version of the Rollout " + name + ", by a canary of two steps"
		second, err := s.updateRollout(ctx, path, first)
		report.Add(check, second, err)
	}
	report.Add(Check{
		Name: "argo-rollouts/delete", Title: "The Rollout is deleted", Asked: "delete the Rollout " + name,
		Fix: "run the test again: it begins by removing what is left",
	}, "", s.remove(ctx, path))
}

func (s Surroundings) firstRollout(ctx context.Context, o RolloutsOptions, path string) (string, error) {
	if err := s.remove(ctx, path); err != nil {
		return "", fmt.Errorf("what an earlier run has left: %w", err)
	}
	if err := s.create(ctx, "rollouts", s.rollout(o)); err != nil {
		return "", err
	}
	return s.rolledOut(ctx, path)
}

func (s Surroundings) updateRollout(ctx context.Context, path, first string) (string, error) {
	change := object{"spec": object{"template": object{"metadata": object{"annotations": object{"version": "two"}}}}}
	if err := s.Cluster.Merge(ctx, path, change); err != nil {
		return "", withMessage(err)
	}
	second, err := s.rolledOut(ctx, path)
	if err == nil && second == first {
		return "", errors.New("the stable version is the same as before")
	}
	return second, err
}

// rolledOut waits until the newest version is the stable one, and returns a text with its hash.
func (s Surroundings) rolledOut(ctx context.Context, path string) (string, error) {
	return s.until(ctx, func(ctx context.Context) (bool, string, error) {
		var found rollout
		if err := s.watched(ctx, path, &found); err != nil {
			return false, "", err
		}
		if found.out() {
			return true, "stable is " + found.Status.Stable, nil
		}
		return false, found.state(), nil
	})
}

func (s Surroundings) rollout(o RolloutsOptions) object {
	labels := object{}
	if o.InstanceID != "" {
		labels["argo-rollouts.argoproj.io/controller-instance-id"] = o.InstanceID
	}
	pod := joined(s.Pod.Spec, object{
		"automountServiceAccountToken": false,
		"containers": []object{s.Pod.container("test", object{
			"args":           []string{"test", "serve"},
			"readinessProbe": object{"httpGet": object{"path": "/", "port": Port}, "periodSeconds": 1},
		})},
	})
	return custom("Rollout", o.Name, labels, object{
		"replicas": 1,
		"selector": object{"matchLabels": object{"app": o.Name}},
		"strategy": object{"canary": object{"steps": []object{{"setWeight": 50}, {"pause": object{"duration": "1s"}}}}},
		"template": object{"metadata": s.Pod.labeled("app", o.Name), "spec": pod},
	})
}
