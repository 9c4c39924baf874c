//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

func workflowsAlone() aloneChart {
	return aloneChart{
		Chart: install.Chart{Name: "argo-workflows", Scenarios: []string{"ha"}}, helm: oldestHelm, preset: true,
		pods:      map[string]int32{"argo-workflows-workflow-controller": 1, "argo-workflows-server": 1},
		available: map[string]int32{"argo-workflows-workflow-controller": 2, "argo-workflows-server": 2},
		before:    workflowsBefore, definitions: "argo-workflows/files/crds/minimal/*.yaml",
		lasting: alone.startSchedule,
		works:   alone.runsWorkflows,
	}
}

// workflowsBefore is what a user of the community's chart has.
var workflowsBefore = objects("workflows-before")

// every runs once a minute.
var every = objects("every")

// startSchedule creates a CronWorkflow; its first minute passes while the rest is tested.
func (a alone) startSchedule(t *testing.T) {
	a.applyHere(t, strings.NewReplacer("NAMESPACE", a.namespace, "IMAGE", standIn).Replace(every))
}

// runsWorkflows checks that a Workflow succeeds and returns its output; at the end the schedule has started one, too.
func (a alone) runsWorkflows(t *testing.T, round string) {
	require.Equal(t, "hello from "+round, a.greeting(t, a.namespace, round, "argo-workflow"))
	if round == "default" {
		return
	}
	eventually(t, "the schedule has started a workflow that succeeded", 2*time.Minute, func(ctx context.Context) error {
		list, err := a.objects.Resource(argo("workflows")).Namespace(a.namespace).
			List(ctx, metav1.ListOptions{LabelSelector: "workflows.argoproj.io/cron-workflow=every-minute"})
		if err != nil {
			return err
		}
		for _, one := range list.Items {
			if field(&one, "status", "phase") == "Succeeded" {
				return nil
			}
		}
		return fmt.Errorf("none of %d workflows has succeeded", len(list.Items))
	})
}
