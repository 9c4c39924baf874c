//go:build e2e

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/localcluster/install"
)

func rolloutsAlone() aloneChart {
	return aloneChart{
		Chart:     install.Chart{Name: "argo-rollouts", Scenarios: []string{"ha"}},
		pods:      map[string]int32{"argo-rollouts": 2}, // one of which leads, by default, too
		available: map[string]int32{"argo-rollouts": 2},
		works:     alone.rollsOut,
	}
}

// rollsOut: an update of a Rollout passes its canary steps.
func (a alone) rollsOut(t *testing.T, round string) {
	require.NotEqual(t, a.rollOut(t, a.namespace, round+"-one"), a.rollOut(t, a.namespace, round+"-two"))
}
