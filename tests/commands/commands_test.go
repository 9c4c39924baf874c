package commands_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/commands"
)

const page = "# Page\n\n```console\n$ helm install a b \\\n    --set x=<account id> --set \"y[0]=z\"   # why\nNAME: a\n$ kubectl get crd -o name | grep -e a.io | xargs kubectl delete\n```\n\n" +
	"1. As a list:\n\n   ```sh\n   make test ARGS='-run X' && echo \"$(id -u):x\" >out\n   ```\n\n    validate-values -f a.yaml\n    prose\n\n```yaml\na: 1\n```\n"

func TestBlocks(t *testing.T) {
	t.Parallel()
	blocks := commands.Blocks(page)
	require.Len(t, blocks, 4)
	assert.Equal(t, []string{"console", "sh", "sh", "yaml"}, []string{blocks[0].Language, blocks[1].Language, blocks[2].Language, blocks[3].Language})
	assert.Equal(t, "a: 1\n", blocks[3].Text)
	var all []commands.Command
	for _, block := range blocks[:3] {
		found, err := block.Commands()
		require.NoError(t, err)
		all = append(all, found...)
	}
	assert.Equal(t, []commands.Command{
		{Words: []string{"helm", "install", "a", "b", "--set", "x=placeholder", "--set", "y[0]=z"}, Line: 4},
		{Words: []string{"kubectl", "get", "crd", "-o", "name"}, Line: 7},
		{Words: []string{"grep", "-e", "a.io"}, Line: 7},
		{Words: []string{"xargs", "kubectl", "delete"}, Line: 7},
		{Words: []string{"make", "test", "ARGS=-run X"}, Line: 13},
		{Words: []string{"echo", "placeholder:x"}, Line: 13},
		{Words: []string{"id", "-u"}, Line: 13},
		{Words: []string{"validate-values", "-f", "a.yaml"}, Line: 16},
	}, all)
	assert.Equal(t, []string{"x=placeholder", "y[0]=z"}, all[0].Flag("--set"))

	_, err := commands.Block{Language: "sh", Text: "echo 'open\n", Line: 3}.Commands()
	assert.ErrorContains(t, err, "the block at line 3 is not valid shell")
}
