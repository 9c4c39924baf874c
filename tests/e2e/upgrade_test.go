//go:build e2e

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/images"
)

// sameChartAgain: an upgrade that changes nothing replaces and restarts no pod.
func (e *environment) sameChartAgain(t *testing.T) {
	before := e.pods(t, "")
	require.NotEmpty(t, before)
	e.install(t, images.Tunnel)
	require.Equal(t, before, e.pods(t, ""))
}
