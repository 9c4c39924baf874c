package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// WorkflowsOptions configure the test of Argo Workflows.
type WorkflowsOptions struct {
	// Name is the name of the Workflow, and of the pod of its step.
	Name string
	// Account is the service account of the step's pod.
	Account string
	// InstanceID is the instance ID of the Workflows that the controller selects; empty for none.
	InstanceID string
}

// workflow is the part of a Workflow's status that describes its state.
type workflow struct {
	Status struct {
		Phase    string `json:"phase"`
		Message  string `json:"message"`
		Progress string `json:"progress"`
		Nodes    map[string]struct {
			Phase   string `json:"phase"`
			Message string `json:"message"`
		} `json:"nodes"`
	} `json:"status"`
}

func (w workflow) state() string {
	if w.Status.Phase == "" {
		return "no workflow controller has taken up the Workflow"
	}
	text := w.Status.Phase
	if w.Status.Message != "" {
		text += ": " + w.Status.Message
	}
	for _, node := range w.Status.Nodes {
		if node.Message != "" && node.Message != w.Status.Message {
			text += ", its pod is " + node.Phase + ": " + node.Message
		}
	}
	return text
}

// Workflows runs a Workflow of one step, which runs this program in a separate pod.
func Workflows(ctx context.Context, s Surroundings, o WorkflowsOptions, report *Report) {
	path := s.path("argoproj.io", "workflows", o.Name)
	got, err := s.runWorkflow(ctx, o, path)
	report.Add(Check{
		Name: "argo-workflows/step", Title: "A Workflow runs a step",
		Asked: fmt.Sprintf("a Workflow %s in namespace %s, of one step in %v", o.Name, s.Namespace, s.Pod.Container["image"]),
		Fix: "look at the log of the workflow controller: kubectl logs -n " + s.Namespace + " -l app=workflow-controller; " +
			"if controller.workflowRestrictions rejects such Workflows: --set tests.skip={argo-workflows}",
	}, got, err)
	report.Add(Check{
		Name: "argo-workflows/delete", Title: "The Workflow is deleted", Asked: "delete the Workflow " + o.Name,
		Fix: "run the test again: it begins by removing what is left",
	}, "", s.remove(ctx, path))
}

func (s Surroundings) runWorkflow(ctx context.Context, o WorkflowsOptions, path string) (string, error) {
	if err := s.remove(ctx, path); err != nil {
		return "", fmt.Errorf("what an earlier run has left: %w", err)
	}
	manifest, err := s.workflow(o)
	if err != nil {
		return "", err
	}
	if err := s.create(ctx, "workflows", manifest); err != nil {
		return "", err
	}
	return s.until(ctx, func(ctx context.Context) (bool, string, error) {
		var found workflow
		if err := s.watched(ctx, path, &found); err != nil {
			return false, "", err
		}
		switch found.Status.Phase {
		case "Succeeded":
			return true, "Succeeded", nil
		case "Failed", "Error":
			return false, "", final{errors.New(found.state())}
		}
		return false, found.state(), nil
	})
}

func (s Surroundings) workflow(o WorkflowsOptions) (object, error) {
	spec := joined(
		only(s.Pod.Spec, "nodeSelector", "tolerations", "affinity", "imagePullSecrets", "securityContext", "hostAliases", "dnsConfig"),
		object{
			"entrypoint":         "step",
			"serviceAccountName": o.Account,
			"archiveLogs":        false,
			"podMetadata":        s.Pod.Metadata,
			"templates": []object{{
				"name": "step",
				"container": s.Pod.container("main", object{
					"command": []string{s.Program}, // required if the executor cannot query the registry
					"args":    []string{"test", "step", "--run", s.Run},
				}),
			}},
		},
	)
	if class, ok := s.Pod.Spec["priorityClassName"]; ok {
		spec["podPriorityClassName"] = class
	}
	// The executor reports to the API server, and service accounts of this chart do not mount a token by default. The controller applies the
	// Workflow's automountServiceAccountToken only if it is false (setupServiceAccount in workflow/controller/workflowpod.go, v3.7).
	patch, err := json.Marshal(joined(only(s.Pod.Spec, "runtimeClassName"), object{"automountServiceAccountToken": true}))
	if err != nil {
		return nil, fmt.Errorf("patch of the step's pod: %w", err)
	}
	spec["podSpecPatch"] = string(patch)
	labels := object{}
	if o.InstanceID != "" {
		labels["workflows.argoproj.io/controller-instanceid"] = o.InstanceID
	}
	return custom("Workflow", o.Name, labels, spec), nil
}
