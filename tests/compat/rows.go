package compat

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Row lists the fields of rendered objects that change with a value, or the reason why none changes.
type Row struct {
	Key  string   // Key is the value's path, with the text of schema/dropped if it is renamed or dropped.
	To   string   // To is the new value as JSON; empty if the value is dropped.
	What []string // What are the changes, in order.
}

// tableFile returns the path of a chart's table.
func tableFile(root, chart string) string {
	return filepath.Join(root, "tests", "compat", "testdata", chart+".txt")
}

// readRows reads the table of a chart; a missing table has no rows.
func readRows(root, chart string) (map[string]Row, error) {
	text, err := os.ReadFile(tableFile(root, chart))
	if os.IsNotExist(err) {
		return map[string]Row{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("table of %s: %w", chart, err)
	}
	rows := map[string]Row{}
	for part := range strings.SplitSeq(string(text), "\n\n") {
		head, below, _ := strings.Cut(strings.TrimSpace(part), "\n")
		if head == "" || strings.HasPrefix(head, "#") {
			continue
		}
		row := Row{}
		row.Key, row.To, _ = strings.Cut(head, " = ")
		for line := range strings.SplitSeq(below, "\n") {
			if line != "" {
				row.What = append(row.What, strings.TrimPrefix(line, "  "))
			}
		}
		rows[row.Key] = row
	}
	return rows, nil
}

// tableText returns the content of a table file.
func tableText(title string, rows []Row) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s. Made by: go test ./tests/compat -update\n", title)
	for _, row := range rows {
		fmt.Fprintf(&text, "\n%s", row.Key)
		if row.To != "" {
			fmt.Fprintf(&text, " = %s", row.To)
		}
		fmt.Fprintln(&text)
		for _, line := range row.What {
			fmt.Fprintf(&text, "  %s\n", line)
		}
	}
	return text.String()
}

func toText(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("a value to set: %w", err)
	}
	return string(text), nil
}

// readByChecks is the Secret with the values that validate-values reads; a value that changes only this Secret affects only checks.
const readByChecks = "Secret/validate-values "

// Unproven returns why a row does not prove an effect: no object uses the value, or no changed field contains it. A boolean needs only to change
// an object.
func (r Row) Unproven() string {
	if r.To == "" {
		return ""
	}
	var value any
	if err := json.Unmarshal([]byte(r.To), &value); err != nil {
		return err.Error()
	}
	effective, carried := false, false
	for _, line := range r.What {
		effective = effective || !strings.HasPrefix(line, readByChecks) && !strings.Contains(line, "annotations[checksum/")
		_, now, _ := strings.Cut(line, " -> ")
		carried = carried || carries(now, value) || strings.HasPrefix(line, "+ ") && carries(line, value)
	}
	_, toggle := value.(bool)
	switch {
	case !effective:
		return "no object uses it"
	case !carried && !toggle:
		return "no object contains its value"
	}
	return ""
}

// carries reports whether a text contains one of the scalars of a value.
func carries(text string, value any) bool {
	switch at := value.(type) {
	case map[string]any:
		for key, below := range at {
			if carries(text, below) || carries(text, key) {
				return true
			}
		}
		return false
	case []any:
		for _, below := range at {
			if carries(text, below) {
				return true
			}
		}
		return false
	case nil, bool:
		return false
	}
	scalar, err := json.Marshal(value)
	return err == nil && strings.Contains(text, strings.Trim(string(scalar), `"`))
}
