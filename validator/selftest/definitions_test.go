//go:build !race

// The race detector learns nothing from these tests: they do one thing after the other.

package selftest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/manifests"
	"gitops-runtime/validator/selftest"
)

// The created objects match the CRDs of the charts.
func TestCreatedObjectsFitTheirDefinitions(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	validator, err := manifests.NewValidator(t.Context(), root)
	require.NoError(t, err)
	a := newAPI(t)
	s, address := a.surroundings()
	for _, test := range []func(context.Context, *selftest.Report){
		func(ctx context.Context, r *selftest.Report) {
			selftest.ArgoCD(ctx, s, selftest.ArgoCDOptions{URL: argoCDServer(t), Repository: address, Name: "test-argo-cd"}, r)
		},
		func(ctx context.Context, r *selftest.Report) {
			selftest.Workflows(ctx, s, selftest.WorkflowsOptions{Name: "test-argo-workflows-step", Account: "a", InstanceID: "one"}, r)
		},
		func(ctx context.Context, r *selftest.Report) {
			selftest.Rollouts(ctx, s, selftest.RolloutsOptions{Name: "test-argo-rollouts", InstanceID: "ours"}, r)
		},
		func(ctx context.Context, r *selftest.Report) {
			selftest.Events(ctx, s, selftest.EventsOptions{Name: eventsOfArgo, Bus: "latest", Endpoint: "/x", Post: address, Trigger: address}, r)
		},
	} {
		report(t, short, test)
	}
	var kinds []string
	for _, one := range a.created {
		text, err := yaml.Marshal(one)
		require.NoError(t, err)
		assert.Empty(t, validator.Validate("---\n"+string(text)), "%v", one["kind"])
		kinds = append(kinds, one["kind"].(string))
	}
	assert.Equal(t, "AppProject Application Workflow Rollout EventBus EventSource Sensor", strings.Join(kinds, " "))
}
