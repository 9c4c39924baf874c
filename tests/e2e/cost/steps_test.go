package cost

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteSteps(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	steps := []Step{
		{Name: "idle", Usages: []Usage{{Workload: "server", Container: "main", CPU: 0.2, Memory: 40 * mib}, {Workload: "cache", Container: "cache", CPU: 1, Memory: 10 * mib}}},
		{Name: "busy", Usages: []Usage{{Workload: "server", Container: "main", CPU: 250, Memory: 100 * mib}, {Workload: "bus", Container: "bus", CPU: 3, Memory: 8 * mib}}},
		{Name: "busier", Usages: []Usage{{Workload: "server", Container: "main", CPU: 500, Memory: 104 * mib}, {Workload: "bus", Container: "bus", CPU: 6, Memory: 8 * mib}}},
	}
	var out strings.Builder
	require.NoError(t, WriteSteps(&out, steps))
	assert.Equal(t, `| memory of | in | idle | busy | busier |
| --- | --- | ---: | ---: | ---: |
| bus | bus | | 8Mi | 1.0 |
| cache | cache | 10Mi | | |
| main | server | 40Mi | 2.5 | 2.6 |

| CPU of | in | idle | busy | busier |
| --- | --- | ---: | ---: | ---: |
| bus | bus | | 3m | 6m |
| cache | cache | 1m | | |
| main | server | 1m | 250m | 500m |
`, out.String())
}
