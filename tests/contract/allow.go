package contract

import (
	_ "embed"
	"fmt"
	"path"
	"strings"
)

//go:embed allow.tsv
var allowed string

// Entry is an intended difference. Scenario, Object, Aspect and Key are patterns of path.Match, except that * also matches slashes.
type Entry struct {
	Scenario, Object, Aspect, Key, Reason string
	line                                  int
}

// String returns the line and the patterns of the entry.
func (e Entry) String() string {
	return fmt.Sprintf("tests/contract/allow.tsv:%d: %s", e.line, strings.Join([]string{e.Scenario, e.Object, e.Aspect, e.Key}, " "))
}

// Allowed returns the allow-list.
func Allowed() ([]Entry, error) { return readAllowed(allowed) }

func readAllowed(text string) ([]Entry, error) {
	var all []Entry
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 5 || columns[4] == "" {
			return nil, fmt.Errorf("allow.tsv:%d: has %d columns; separate scenario, kind/object, aspect, key and reason by tabs, none empty", number, len(columns))
		}
		entry := Entry{columns[0], columns[1], columns[2], columns[3], columns[4], number}
		for _, pattern := range columns[:4] {
			if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
				return nil, fmt.Errorf("allow.tsv:%d: %q is not a pattern; use *, ? and [...]", number, pattern)
			}
		}
		all = append(all, entry)
	}
	return all, nil
}

// Allows reports whether the entry matches a finding.
func (e Entry) Allows(of Finding) bool {
	return glob(e.Scenario, of.Scenario) && glob(e.Object, of.Object.String()) && glob(e.Aspect, of.Aspect) && glob(e.Key, of.Key)
}

// slash replaces slashes, which * of path.Match does not match.
const slash = "\x00"

func glob(pattern, text string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(text, "/", slash))
	return ok && err == nil
}

// Reasons returns the entry of each finding that breaks the contract, the findings without an entry, and the entries without a finding.
func Reasons(entries []Entry, findings []Finding) (reasons map[int]Entry, unexpected []Finding, stale []Entry) {
	reasons = map[int]Entry{}
	used := make([]bool, len(entries))
	for i, finding := range findings {
		if !finding.Outcome.Breaks() {
			continue
		}
		found := false
		for at, entry := range entries {
			if entry.Allows(finding) {
				reasons[i], used[at], found = entry, true, true
				break
			}
		}
		if !found {
			unexpected = append(unexpected, finding)
		}
	}
	for at, entry := range entries {
		if !used[at] {
			stale = append(stale, entry)
		}
	}
	return reasons, unexpected, stale
}
