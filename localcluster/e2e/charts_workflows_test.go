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

	"gitops-runtime/localcluster/install"
)

func workflowsAlone() aloneChart {
	return aloneChart{
		Chart: install.Chart{Name: "argo-workflows", Scenarios: []string{"ha"}}, helm: oldestHelm,
		pods:      map[string]int32{"argo-workflows-workflow-controller": 1, "argo-workflows-server": 1},
		available: map[string]int32{"argo-workflows-workflow-controller": 2, "argo-workflows-server": 2},
		before:    workflowsBefore, definitions: "argo-workflows/files/crds/minimal/*.yaml",
		lasting: alone.startSchedule,
		works:   alone.runsWorkflows,
	}
}

// workflowsBefore is what a user of the community's chart has.
const workflowsBefore = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: before, namespace: NAMESPACE}
spec: {entrypoint: wait, templates: [{name: wait, suspend: {}}]}
---
apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: before, namespace: NAMESPACE}
spec: {entrypoint: wait, templates: [{name: wait, suspend: {}}]}
---
apiVersion: v1
kind: Secret
metadata: {name: artifacts, namespace: NAMESPACE}
stringData: {key: kept}`

// every runs once a minute.
const every = `apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {name: every-minute, namespace: NAMESPACE}
spec:
  schedules: ["* * * * *"]
  concurrencyPolicy: Forbid
  workflowSpec:
    entrypoint: tell
    serviceAccountName: argo-workflow
    templates:
    - name: tell
      container:
        image: IMAGE
        command: [/usr/local/bin/standin]
        args: [write, /tmp/told, "once a minute"]
        resources: {requests: {cpu: 10m, memory: 16Mi}, limits: {memory: 64Mi}}
        volumeMounts: [{name: tmp, mountPath: /tmp}]
      volumes: [{name: tmp, emptyDir: {}}]`

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
