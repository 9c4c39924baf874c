//go:build e2e

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/install"
)

func rolloutsAlone() aloneChart {
	return aloneChart{
		Chart:     install.Chart{Name: "argo-rollouts", Scenarios: []string{"ha"}},
		pods:      map[string]int32{"argo-rollouts": 2}, // one of which is the leader, also by default
		available: map[string]int32{"argo-rollouts": 2},
		before:    rolloutsBefore, definitions: "argo-rollouts/files/crds/*.yaml",
		works: alone.rollsOut,
	}
}

// rolloutsBefore is what a user of the community's chart has.
var rolloutsBefore = objects("rollouts-before")

// rollsOut checks that an update of a Rollout passes its canary steps.
func (a alone) rollsOut(t *testing.T, round string) {
	require.NotEqual(t, a.rollOut(t, a.namespace, round+"-one"), a.rollOut(t, a.namespace, round+"-two"))
}
