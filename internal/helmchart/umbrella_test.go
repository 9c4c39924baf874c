package helmchart

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/budget"
)

// The budget leaves room for charts several times as large as this repository's.
func TestTheUmbrellaTakesAQuarterOfTheBudget(t *testing.T) {
	limits := budget.Default()
	limits.Bytes, limits.Nodes = limits.Bytes/4, limits.Nodes/4
	_, err := load(t.Context(), budget.New(limits), Source{Name: "../../charts/gitops-runtime"})
	assert.NoError(t, err)
}
