package upstream_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
)

// definition reads a generated definition and converts it as an API server does.
func definition(t *testing.T, plural string) *apiextensions.CustomResourceDefinition {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "charts/gitops-runtime/files/crds/codefresh.io", plural+".yaml"))
	require.NoError(t, err)
	var external v1.CustomResourceDefinition
	require.NoError(t, yaml.UnmarshalStrict(text, &external))
	v1.SetDefaults_CustomResourceDefinition(&external)
	v1.SetDefaults_CustomResourceDefinitionSpec(&external.Spec)
	var internal apiextensions.CustomResourceDefinition
	require.NoError(t, v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&external, &internal, nil))
	for _, version := range internal.Spec.Versions {
		if version.Storage {
			internal.Status.StoredVersions = []string{version.Name}
		}
	}
	return &internal
}

// judge returns what an API server with the CRD reports about an object: errors of the schema and of its rules, and the fields that strict validation
// reports as unknown.
func judge(t *testing.T, crd *apiextensions.CustomResourceDefinition, object map[string]any) []string {
	t.Helper()
	for _, version := range crd.Spec.Versions {
		if object["apiVersion"] != crd.Spec.Group+"/"+version.Name {
			continue
		}
		schema := version.Schema
		if schema == nil {
			schema = crd.Spec.Validation
		}
		shape, err := structural.NewStructural(schema.OpenAPIV3Schema)
		require.NoError(t, err)
		validator, _, err := schemavalidation.NewSchemaValidator(schema.OpenAPIV3Schema)
		require.NoError(t, err)

		messages := []string{}
		for _, err := range schemavalidation.ValidateCustomResource(nil, object, validator) {
			messages = append(messages, err.Error())
		}
		if rules := cel.NewValidator(shape, true, celconfig.PerCallLimit); rules != nil {
			errs, _ := rules.Validate(t.Context(), nil, shape, object, nil, celconfig.RuntimeCELCostBudget)
			for _, err := range errs {
				messages = append(messages, err.Error())
			}
		}
		unknown := pruning.PruneWithOptions(object, shape, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
		for _, path := range unknown {
			messages = append(messages, "unknown field "+path)
		}
		return messages
	}
	return []string{"no such version"}
}

func TestEveryDefinitionOfTheRuntimeIsValid(t *testing.T) {
	for _, plural := range []string{
		"products", "promotionflows", "promotionpolicies", "promotiontasks", "promotiontemplates", "restrictedgitsources",
	} {
		t.Run(plural, func(t *testing.T) {
			assert.Empty(t, validation.ValidateCustomResourceDefinition(context.Background(), definition(t, plural)))
		})
	}
}

const product = `
apiVersion: codefresh.io/v1beta2
kind: Product
metadata: {name: shop}
spec:
  concurrency: queue
  promotionFlows:
    - name: to-production
      gitTriggerSelectors:
        - {key: commitMessage, operator: In, values: ["release"]}
  promotionTemplate:
    versionSource: {file: Chart.yaml, jsonPath: $.appVersion}
    promotion:
      values.yaml: {jsonPaths: ["$.image.tag"]}
`

const task = `
apiVersion: codefresh.io/v1beta1
kind: PromotionTask
metadata: {name: shop-1}
spec:
  steps:
    - verifyApp:
        targetApplication: {name: shop, namespace: runtime}
        commitSha: 0123abc
`

const gitSource = `
apiVersion: codefresh.io/v1beta1
kind: RestrictedGitSource
metadata: {name: team}
spec:
  sourceNamespace: team
  destinations: [{namespace: team, server: https://kubernetes.default.svc}]
  source:
    repoURL: https://git.example.com/team.git
    helm: {valuesObject: {any: {thing: [1]}}}
    kustomize: {replicas: [{name: web, count: 2}]}
`

func TestTheDefinitionsAcceptAndRefuse(t *testing.T) {
	for name, tc := range map[string]struct {
		plural, text string
		change       func(object, spec map[string]any)
		want         []string
	}{
		"a v1beta2 Product": {plural: "products", text: product, want: []string{}},
		"a task":            {plural: "promotiontasks", text: task, want: []string{}},
		"a Git source":      {plural: "restrictedgitsources", text: gitSource, want: []string{}},
		"a v1beta1 Product": {
			plural: "products", text: product,
			change: func(object, spec map[string]any) {
				object["apiVersion"] = "codefresh.io/v1beta1"
				delete(spec, "concurrency")
			},
			want: []string{},
		},
		"a v1beta1 Product with a field of v1beta2": {
			plural: "products", text: product,
			change: func(object, _ map[string]any) { object["apiVersion"] = "codefresh.io/v1beta1" },
			want:   []string{"unknown field spec.concurrency"},
		},
		"a Product of another version": {
			plural: "products", text: product,
			change: func(object, _ map[string]any) { object["apiVersion"] = "codefresh.io/v1" },
			want:   []string{"no such version"},
		},
		"a Product with another concurrency": {
			plural: "products", text: product,
			change: func(_, spec map[string]any) { spec["concurrency"] = "both" },
			want:   []string{`spec.concurrency: Unsupported value: "both": supported values: "queue", "terminate"`},
		},
		"a Product without a flow": {
			plural: "products", text: product,
			change: func(_, spec map[string]any) { spec["promotionFlows"] = []any{} },
			want:   []string{"spec.promotionFlows: Invalid value: 0: spec.promotionFlows in body should have at least 1 items"},
		},
		"a Product with a flow without a name": {
			plural: "products", text: product,
			change: func(_, spec map[string]any) { spec["promotionFlows"] = []any{map[string]any{}} },
			want:   []string{"spec.promotionFlows[0].name: Required value"},
		},
		"a task with two things in a step": {
			plural: "promotiontasks", text: task,
			change: func(_, spec map[string]any) {
				step := spec["steps"].([]any)[0].(map[string]any)
				step["runWorkflow"] = map[string]any{"workflowTemplateName": "test"}
			},
			want: []string{`spec.steps[0]: Invalid value: failed rule: [has(self.runWorkflow),has(self.promoteAppWithCommit),has(self.promoteAppWithPR),has(self.verifyApp),has(self.getPromotionValues)].filter(x,x==true).size() == 1`},
		},
		"a task without steps": {
			plural: "promotiontasks", text: task,
			change: func(_, spec map[string]any) { delete(spec, "steps") },
			want:   []string{"spec.steps: Required value"},
		},
		"a Git source without a repository": {
			plural: "restrictedgitsources", text: gitSource,
			change: func(_, spec map[string]any) { delete(spec["source"].(map[string]any), "repoURL") },
			want:   []string{"spec.source.repoURL: Required value"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var object map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(tc.text), &object))
			if tc.change != nil {
				tc.change(object, object["spec"].(map[string]any))
			}
			assert.Equal(t, tc.want, judge(t, definition(t, tc.plural), object))
		})
	}
}
