// Package preview compares what `validate-values preview` predicts with what an upgrade did. It does not know clusters: a test takes snapshots of the
// objects before and after the upgrade.
package preview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/validator/preview"
)

// Effects are what an upgrade does, by Kind/name.
type Effects struct {
	Restarted, Replaced, Created, Deleted []string
	// Ended are workloads that are left without pods.
	Ended []string
	// Refused is true if the upgrade fails.
	Refused bool
}

// Predicted returns the effects that a report predicts.
func Predicted(report preview.Report) Effects {
	var effects Effects
	for _, item := range report.Section("objects").Items {
		switch item.Change {
		case "added":
			effects.Created = append(effects.Created, item.Object)
		case "removed":
			effects.Deleted = append(effects.Deleted, item.Object)
		}
	}
	for _, item := range report.Section("restarts").Items {
		switch {
		case item.Change == "restarts":
			effects.Restarted = append(effects.Restarted, item.Object)
		case item.Change == "ends" && !slices.Contains(effects.Deleted, item.Object):
			effects.Ended = append(effects.Ended, item.Object)
		}
	}
	for _, item := range report.Section("breaks").Items {
		effects.Refused = effects.Refused || item.Change == "refused"
	}
	return effects
}

// Snapshot is an object on a cluster.
type Snapshot struct {
	// UID changes when an object is deleted and created again.
	UID string
	// Pods are the UIDs of the pods of a workload.
	Pods []string
}

// Observed returns the effects between two snapshots of all objects of a release, by Kind/name. A workload has restarted if none of its pods is left and there are
// others, and ended if there are none.
func Observed(before, after map[string]Snapshot, refused bool) Effects {
	effects := Effects{Refused: refused}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		was := before[name]
		is, there := after[name]
		kept := slices.ContainsFunc(was.Pods, func(pod string) bool { return slices.Contains(is.Pods, pod) })
		switch {
		case !there:
			effects.Deleted = append(effects.Deleted, name)
		case is.UID != was.UID:
			effects.Replaced = append(effects.Replaced, name)
		case len(was.Pods) > 0 && len(is.Pods) == 0:
			effects.Ended = append(effects.Ended, name)
		case len(was.Pods) > 0 && !kept:
			effects.Restarted = append(effects.Restarted, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, there := before[name]; !there {
			effects.Created = append(effects.Created, name)
		}
	}
	return effects
}

// Score counts predictions of one kind of effect over many upgrades.
type Score struct {
	Right, Wrong, Missed int
	// Misses are the wrong and missed predictions, with the upgrade.
	Misses []string
}

// Precision is the share of predictions that came true; 1 without predictions.
func (s Score) Precision() float64 { return share(s.Right, s.Wrong) }

// Recall is the share of effects that were predicted; 1 without effects.
func (s Score) Recall() float64 { return share(s.Right, s.Missed) }

func share(right, others int) float64 {
	if right+others == 0 {
		return 1
	}
	return float64(right) / float64(right+others)
}

// Scores are the scores by kind of effect.
type Scores map[string]*Score

// Add counts the predictions for one upgrade. After a refused upgrade only the refusal counts, since it may stop anywhere.
func (s Scores) Add(upgrade string, predicted, observed Effects) {
	refusal := func(refused bool) []string {
		if refused {
			return []string{"the upgrade"}
		}
		return nil
	}
	s.count("refused", upgrade, refusal(predicted.Refused), refusal(observed.Refused))
	if predicted.Refused || observed.Refused {
		return
	}
	s.count("restarted", upgrade, predicted.Restarted, observed.Restarted)
	s.count("ended", upgrade, predicted.Ended, observed.Ended)
	s.count("replaced", upgrade, predicted.Replaced, observed.Replaced)
	s.count("created", upgrade, predicted.Created, observed.Created)
	s.count("deleted", upgrade, predicted.Deleted, observed.Deleted)
}

// AddGaps counts the predictions of Services that do not respond during an upgrade.
func (s Scores) AddGaps(upgrade string, predicted, measured []string) {
	s.count("interrupted", upgrade, predicted, measured)
}

func (s Scores) count(effect, upgrade string, predicted, observed []string) {
	if s[effect] == nil {
		s[effect] = &Score{}
	}
	score := s[effect]
	for _, name := range predicted {
		if slices.Contains(observed, name) {
			score.Right++
			continue
		}
		score.Wrong++
		score.Misses = append(score.Misses, fmt.Sprintf("%s: %s is not %s", upgrade, name, effect))
	}
	for _, name := range observed {
		if !slices.Contains(predicted, name) {
			score.Missed++
			score.Misses = append(score.Misses, fmt.Sprintf("%s: %s is %s, which was not predicted", upgrade, name, effect))
		}
	}
}

// String returns the scores as a table in Markdown, with the misses below it.
func (s Scores) String() string {
	var table, misses strings.Builder
	table.WriteString("| effect | right | wrong | missed | precision | recall |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, effect := range slices.Sorted(maps.Keys(s)) {
		score := s[effect]
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %.1f %% | %.1f %% |\n", effect, score.Right, score.Wrong, score.Missed, 100*score.Precision(), 100*score.Recall())
		for _, miss := range score.Misses {
			fmt.Fprintf(&misses, "- %s\n", miss)
		}
	}
	return table.String() + misses.String()
}
