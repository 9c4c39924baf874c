package helmchart_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/helmchart"
)

// The budget leaves room for charts several times as large as this repository's.
func TestTheUmbrellaTakesAQuarterOfTheBudget(t *testing.T) {
	limits := budget.Default()
	limits.Bytes, limits.Nodes = limits.Bytes/4, limits.Nodes/4
	_, err := helmchart.LoadWithin(t.Context(), budget.New(limits), "../../charts/gitops-runtime")
	assert.NoError(t, err)
}
