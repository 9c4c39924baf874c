package preview_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	truth "gitops-runtime/tests/preview"
	"gitops-runtime/validator/preview"
)

func TestScores(t *testing.T) {
	t.Parallel()
	item := func(change, object string) preview.Item { return preview.Item{Change: change, Object: object} }
	predicted := truth.Predicted(preview.Report{Sections: []preview.Section{
		{Name: "objects", Items: []preview.Item{item("added", "ConfigMap/new"), item("removed", "ConfigMap/old"), item("changed", "Deployment/a"), item("left", "ConfigMap/kept")}},
		{Name: "restarts", Items: []preview.Item{item("restarts", "Deployment/a"), item("restarts", "Deployment/b"), item("keeps old", "Deployment/c"), item("ends", "Deployment/d"), item("ends", "ConfigMap/old")}},
	}})
	before := map[string]truth.Snapshot{
		"ConfigMap/old": {UID: "1"}, "Deployment/a": {UID: "2", Pods: []string{"p1", "p2"}}, "Deployment/b": {UID: "3", Pods: []string{"p3", "p4"}},
		"Deployment/c": {UID: "4", Pods: []string{"p5"}}, "Deployment/d": {UID: "8", Pods: []string{"p9"}}, "Job/j": {UID: "5"},
	}
	after := map[string]truth.Snapshot{
		"ConfigMap/new": {UID: "6"}, "Deployment/a": {UID: "2", Pods: []string{"p6"}}, "Deployment/b": {UID: "3", Pods: []string{"p4", "p7"}},
		"Deployment/c": {UID: "4", Pods: []string{"p8"}}, "Deployment/d": {UID: "8"}, "Job/j": {UID: "7"},
	}
	observed := truth.Observed(before, after, false)
	assert.Equal(t, truth.Effects{
		Restarted: []string{"Deployment/a", "Deployment/c"}, Replaced: []string{"Job/j"}, Created: []string{"ConfigMap/new"}, Deleted: []string{"ConfigMap/old"},
		Ended: []string{"Deployment/d"},
	}, observed)
	scores := truth.Scores{}
	scores.Add("one", predicted, observed)
	scores.Add("two", truth.Effects{Refused: true, Created: []string{"x"}}, truth.Effects{Refused: true})
	scores.AddGaps("three", []string{"Service/a"}, []string{"Service/a", "Service/b"})
	assert.Equal(t, `| effect | right | wrong | missed | precision | recall |
| --- | --- | --- | --- | --- | --- |
| created | 1 | 0 | 0 | 100.0 % | 100.0 % |
| deleted | 1 | 0 | 0 | 100.0 % | 100.0 % |
| ended | 1 | 0 | 0 | 100.0 % | 100.0 % |
| interrupted | 1 | 0 | 1 | 100.0 % | 50.0 % |
| refused | 1 | 0 | 0 | 100.0 % | 100.0 % |
| replaced | 0 | 0 | 1 | 100.0 % | 0.0 % |
| restarted | 1 | 1 | 1 | 50.0 % | 50.0 % |
- three: Service/b is interrupted, which was not predicted
- one: Job/j is replaced, which was not predicted
- one: Deployment/b is not restarted
- one: Deployment/c is restarted, which was not predicted
`, scores.String())
}
