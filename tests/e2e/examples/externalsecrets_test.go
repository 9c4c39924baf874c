package examples

import (
	"os"
	"path/filepath"
	"testing"

	_ "github.com/external-secrets/external-secrets/apis/meta/v1" // provides the module whose CRDs the test reads
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// externalSecrets is the module of the External Secrets Operator.
const externalSecrets = "github.com/external-secrets/external-secrets"

// The API server would accept the ExternalSecret with the operator's CRD and drop none of its fields, and the operator creates the Secret that the
// values reference.
func TestExternalSecrets(t *testing.T) {
	t.Parallel()
	text := file(t, "external-secrets/external-secret.yaml")
	var secret map[string]any
	require.NoError(t, yaml.UnmarshalStrict(text, &secret))
	require.Empty(t, refusals(t, "external-secrets.io_externalsecrets.yaml", secret))
	spec := secret["spec"].(map[string]any)
	assert.Equal(t, "codefresh-api-key", spec["target"].(map[string]any)["name"])
	assert.Equal(t, "token", spec["data"].([]any)[0].(map[string]any)["secretKey"])
	assert.Equal(t, "codefresh", secret["metadata"].(map[string]any)["namespace"])
	objects := requireRuntime(t, file(t, "external-secrets/values.yaml"))
	require.NotNil(t, render.Find(objects, "Job", "validate-values"))

	spec["refreshIntervall"] = "1h"
	spec["secretStoreRef"] = "vault"
	assert.Len(t, refusals(t, "external-secrets.io_externalsecrets.yaml", secret), 2, "a misspelled field and one of another type")
}

// refusals returns the errors of an API server with the operator's CRD about an object, and the fields that it would drop.
func refusals(t *testing.T, file string, object map[string]any) []string {
	t.Helper()
	module, err := gomodule.Find(t.Context(), filepath.Join(root(t), "tests", "e2e"), externalSecrets)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(module.Dir, "config", "crds", "bases", file))
	require.NoError(t, err)
	var definition apiextensionsv1.CustomResourceDefinition
	require.NoError(t, yaml.Unmarshal(text, &definition))
	for _, version := range definition.Spec.Versions {
		if definition.Spec.Group+"/"+version.Name != object["apiVersion"] {
			continue
		}
		require.True(t, version.Served)
		var internal apiextensions.JSONSchemaProps
		require.NoError(t, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, &internal, nil))
		validator, _, err := validation.NewSchemaValidator(&internal)
		require.NoError(t, err)
		var found []string
		for _, refusal := range validation.ValidateCustomResource(nil, object, validator) {
			found = append(found, refusal.Error())
		}
		shape, err := structural.NewStructural(&internal)
		require.NoError(t, err)
		return append(found, pruning.PruneWithOptions(object, shape, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	}
	require.FailNow(t, "the CRD has no such version", "%v", object["apiVersion"])
	return nil
}
