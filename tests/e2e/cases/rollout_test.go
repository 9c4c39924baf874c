//go:build e2e

package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// canary is a Rollout of two steps, in NAMESPACE; VERSION is what an update changes.
var canary = objects("canary")

// rollout checks that Argo Rollouts runs an update through its steps, and the platform gets its events.
func (e *environment) rollout(t *testing.T) {
	e.namespace(t, "e2e-rollout")
	require.NotEqual(t, e.rollOut(t, "e2e-rollout", "one"), e.rollOut(t, "e2e-rollout", "two"))
	e.platform(t).getsEvent(t, "Rollout", "e2e-rollout", "canary")
}

// rollOut rolls out a version of the canary, waits until all its steps are complete, and returns its hash. The canary is deleted after the test,
// before its namespace: there its controller's new pods would be rejected.
func (e *environment) rollOut(t *testing.T, namespace, version string) string {
	t.Helper()
	e.applyHere(t, strings.NewReplacer("NAMESPACE", namespace, "IMAGE", standIn, `"VERSION"`, fmt.Sprintf("%q", version)).Replace(canary))
	rollout, err := e.object(t.Context(), "rollouts", namespace, "canary")
	require.NoError(t, err)
	eventually(t, "version "+version+" is rolled out", 2*time.Minute, e.has("rollouts", namespace, "canary", map[string]string{
		"status.observedGeneration": fmt.Sprint(rollout.GetGeneration()),
		"status.phase":              "Healthy",
		"status.currentStepIndex":   "2",
		"status.updatedReplicas":    "2",
		"status.availableReplicas":  "2",
	}))
	rollout, err = e.object(t.Context(), "rollouts", namespace, "canary")
	require.NoError(t, err)
	require.Equal(t, field(rollout, "status", "currentPodHash"), field(rollout, "status", "stableRS"))
	return field(rollout, "status", "stableRS")
}
