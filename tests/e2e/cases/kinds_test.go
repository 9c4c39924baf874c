//go:build e2e

package e2e_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// productOf returns a Product of a version with a spec, in YAML.
func productOf(version, name, spec string) string {
	return fmt.Sprintf("{apiVersion: codefresh.io/%s, kind: Product, metadata: {name: %s, namespace: e2e-kinds}, spec: %s}", version, name, spec)
}

// kinds checks that the API server accepts Products of both versions that are served, stores them as v1beta2, and refuses what the
// definitions do not allow.
func (e *environment) kinds(t *testing.T) {
	e.namespace(t, "e2e-kinds")
	products := func(version string) schema.GroupVersionResource {
		return schema.GroupVersionResource{Group: "codefresh.io", Version: version, Resource: "products"}
	}
	e.applyHere(t, productOf("v1beta1", "older", `{promotionFlows: [{name: to-production}]}`))
	e.applyHere(t, productOf("v1beta2", "newer", `{concurrency: queue, promotionFlows: [{name: to-production}]}`))
	for _, name := range []string{"older", "newer"} {
		for _, version := range []string{"v1beta1", "v1beta2"} {
			product, err := e.objects.Resource(products(version)).Namespace("e2e-kinds").Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, "codefresh.io/"+version, product.GetAPIVersion())
		}
	}
	for name, wrong := range map[string]struct{ version, spec, want string }{
		"another concurrency":   {"v1beta2", `{concurrency: both}`, "spec.concurrency: Unsupported value"},
		"no flow":               {"v1beta2", `{promotionFlows: []}`, "spec.promotionFlows in body should have at least 1 items"},
		"a flow without a name": {"v1beta1", `{promotionFlows: [{}]}`, "spec.promotionFlows[0].name: Required value"},
		"a field of v1beta2":    {"v1beta1", `{concurrency: queue}`, `unknown field "spec.concurrency"`},
	} {
		product := documents(t, productOf(wrong.version, "wrong", wrong.spec))[0]
		_, err := e.objects.Resource(products(wrong.version)).Namespace("e2e-kinds").Create(t.Context(), product, metav1.CreateOptions{
			DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict,
		})
		assert.ErrorContains(t, err, wrong.want, name)
		assert.True(t, apierrors.IsInvalid(err) || apierrors.IsBadRequest(err), name)
	}
}
