package examples

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	ctyyaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// arguments are the arguments of helm_release that the example sets; the provider supports them since version 2:
// https://registry.terraform.io/providers/hashicorp/helm/latest/docs/resources/release
var arguments = []string{"name", "namespace", "create_namespace", "repository", "chart", "version", "timeout", "values"}

// The file is formatted, its blocks are valid, and its values render a runtime.
func TestTerraform(t *testing.T) {
	t.Parallel()
	text := file(t, "terraform/main.tf")
	assert.Equal(t, string(hclwrite.Format(text)), string(text), "tofu fmt")
	parsed, problems := hclparse.NewParser().ParseHCL(text, "main.tf")
	require.False(t, problems.HasErrors(), problems.Error())
	body := parsed.Body.(*hclsyntax.Body)
	given, variables := map[string]cty.Value{"account_id": cty.StringVal("a1"), "runtime_name": cty.StringVal("from-terraform")}, map[string]bool{}
	var release *hclsyntax.Body
	for _, block := range body.Blocks {
		switch block.Type {
		case "variable":
			variables[block.Labels[0]] = true
		case "resource":
			require.Equal(t, []string{"helm_release", "gitops_runtime"}, block.Labels)
			release = block.Body
		default:
			require.Equal(t, "terraform", block.Type)
		}
	}
	require.NotNil(t, release)
	require.Empty(t, release.Blocks, "blocks of helm_release differ between versions of the provider")
	context := &hcl.EvalContext{Variables: map[string]cty.Value{"var": cty.ObjectVal(given)}, Functions: map[string]function.Function{"yamlencode": ctyyaml.YAMLEncodeFunc}}
	values := map[string]cty.Value{}
	for name, attribute := range release.Attributes {
		require.Contains(t, arguments, name)
		value, problems := attribute.Expr.Value(context)
		require.False(t, problems.HasErrors(), problems.Error())
		values[name] = value
		for _, traversal := range attribute.Expr.Variables() {
			step, ok := traversal[1].(hcl.TraverseAttr)
			require.True(t, ok)
			require.True(t, variables[step.Name], "%s is not declared", step.Name)
		}
	}
	assert.Equal(t, chartVersion(t), values["version"].AsString())
	document := values["values"].AsValueSlice()
	require.Len(t, document, 1)
	objects := requireRuntime(t, []byte(document[0].AsString()))
	assert.Contains(t, objects[0].GetNamespace(), "codefresh")
}
