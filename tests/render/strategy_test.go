package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"gitops-runtime/tests/render"
)

// strategies returns the strategies of the Deployments of a release, by name.
func strategies(t *testing.T, release render.Release) map[string]appsv1.DeploymentStrategy {
	t.Helper()
	found := map[string]appsv1.DeploymentStrategy{}
	for _, object := range release.Objects(t) {
		if object.GetKind() == "Deployment" {
			deployment, err := render.As[appsv1.Deployment](&object)
			require.NoError(t, err)
			found[object.GetName()] = deployment.Spec.Strategy
		}
	}
	return found
}

// rolling returns a strategy with these numbers of pods.
func rolling(surge, unavailable int) appsv1.DeploymentStrategy {
	more, fewer := intstr.FromInt32(int32(surge)), intstr.FromInt32(int32(unavailable))
	return appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &more, MaxUnavailable: &fewer}}
}

// By default an upgrade needs no room beside that of the release, on a node that is full: pods end before their successors start. internal-router, which
// all requests pass, is the exception.
func TestUpgradeNeedsNoMoreRoom(t *testing.T) {
	t.Parallel()
	for _, mode := range modes() {
		for name, strategy := range strategies(t, umbrella(mode, nil)) {
			switch name {
			case "internal-router":
				assert.Equal(t, rolling(1, 0), strategy, name)
			case "argo-cd-notifications-controller":
				assert.Equal(t, appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}, strategy, name)
			default:
				assert.Equal(t, rolling(0, 1), strategy, "%s: %s", mode, name)
			}
		}
	}
}

// Values choose other strategies: for all components, or for one; the charts of the Argo projects on their own leave the choice to Kubernetes.
func TestStrategiesOfValues(t *testing.T) {
	t.Parallel()
	surge := strategies(t, umbrella("tunnel", map[string]string{"global.surgeOnUpgrade": "true"}))
	assert.Equal(t, appsv1.DeploymentStrategy{}, surge["argo-cd-server"])
	assert.Equal(t, appsv1.DeploymentStrategy{}, surge["cap-app-proxy"])
	own := strategies(t, umbrella("tunnel", map[string]string{
		"argo-cd.global.deploymentStrategy.type": "Recreate", "argo-workflows.server.deploymentStrategy.type": "Recreate",
	}))
	recreate := appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	assert.Equal(t, recreate, own["argo-cd-server"])
	assert.Equal(t, recreate, own["argo-server"])
	assert.Equal(t, rolling(0, 1), own["argo-workflow-controller"])
	for _, chart := range []string{"argo-cd", "argo-workflows", "argo-rollouts", "argo-events"} {
		for name, strategy := range strategies(t, render.Release{Chart: chart}) {
			if name != "cf-argocd-notifications-controller" {
				assert.Equal(t, appsv1.DeploymentStrategy{}, strategy, name)
			}
		}
	}
}

// Argo Rollouts, Argo Events and the notifications controller are installed unless a value leaves them out, and app-proxy's Deployment records which are.
func TestA9ReleasesRecordTheirControllers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		set      map[string]string
		recorded string
		present  []string
	}{
		{nil, "argo-rollouts,argo-events,argocd-notifications", []string{"argo-rollouts", "argo-events-controller-manager", "argo-cd-notifications-controller"}},
		{map[string]string{"argo-rollouts.enabled": "false"}, "argo-events,argocd-notifications", []string{"argo-events-controller-manager", "argo-cd-notifications-controller"}},
		{map[string]string{"argo-rollouts.enabled": "true", "argo-events.enabled": "false"}, "argo-rollouts,argocd-notifications", []string{"argo-rollouts", "argo-cd-notifications-controller"}},
		{map[string]string{"argo-cd.notifications.enabled": "false"}, "argo-rollouts,argo-events", []string{"argo-rollouts", "argo-events-controller-manager"}},
	} {
		objects := umbrella("tunnel", test.set).Objects(t)
		assert.Equal(t, test.recorded, render.Find(objects, "Deployment", "cap-app-proxy").GetAnnotations()["codefresh.io/argo-controllers"], test.set)
		var present []string
		for _, name := range []string{"argo-rollouts", "argo-events-controller-manager", "argo-cd-notifications-controller"} {
			if render.Find(objects, "Deployment", name) != nil {
				present = append(present, name)
			}
		}
		assert.Equal(t, test.present, present, test.set)
	}
}
