package golden_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/golden"
)

// ArtifactHub cannot render the chart without values, so an annotation of Chart.yaml lists the images; -update writes it, too.
func TestArtifactHubKnowsTheImages(t *testing.T) {
	t.Parallel()
	loaded, root := chart(t)
	reference := regexp.MustCompile(`[iI]mage(?:"?: "?|=)([a-z0-9.-]+/[a-z0-9./_-]+:[A-Za-z0-9._-]+)`)
	var images []string
	for _, of := range golden.Cases() {
		if of.Name != golden.Base && of.Name != "everything-on" {
			continue
		}
		documents, err := loaded.Documents(of)
		require.NoError(t, err)
		for _, match := range reference.FindAllStringSubmatch(golden.Text(documents), -1) {
			images = append(images, match[1])
		}
	}
	slices.Sort(images)
	var block strings.Builder
	block.WriteString("  artifacthub.io/images: |\n")
	for _, image := range slices.Compact(images) {
		name, _, _ := strings.Cut(path.Base(image), ":")
		fmt.Fprintf(&block, "    - name: %s\n      image: %s\n", name, image)
	}
	file := filepath.Join(root, "charts", "gitops-runtime", "Chart.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	written := regexp.MustCompile(`(?m)^  artifacthub\.io/images: \|\n(?:    .*\n)*`).ReplaceAllLiteral(text, []byte(block.String()))
	if *update {
		require.NoError(t, os.WriteFile(file, written, 0o600))
		return
	}
	assert.Equal(t, string(written), string(text), "run make generate")
}
