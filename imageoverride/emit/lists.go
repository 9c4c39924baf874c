package emit

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"

	"gitops-runtime/imageoverride/mapping"
)

// List returns the source images, one per line.
func List(pairs []mapping.Pair) []byte {
	var out bytes.Buffer
	for _, pair := range pairs {
		out.WriteString(pair.Source + "\n")
	}
	return out.Bytes()
}

// Mirror returns the table of images to copy, as CSV with a header.
func Mirror(pairs []mapping.Pair) ([]byte, error) {
	var out bytes.Buffer
	table := csv.NewWriter(&out)
	rows := [][]string{{"source_image", "target_image"}}
	for _, pair := range pairs {
		rows = append(rows, []string{pair.Source, pair.Target})
	}
	if err := table.WriteAll(rows); err != nil {
		return nil, fmt.Errorf("write the mirror table: %w", err)
	}
	return out.Bytes(), nil
}

// ReadMirror reads the table that Mirror returns. Errors contain the name.
func ReadMirror(name string, from io.Reader) ([]mapping.Pair, error) {
	table := csv.NewReader(from)
	table.FieldsPerRecord = 2
	rows, err := table.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s is not a mirror table: %w; every line is source_image,target_image", name, err)
	}
	if len(rows) == 0 || rows[0][0] != "source_image" || rows[0][1] != "target_image" {
		return nil, fmt.Errorf("%s is not a mirror table: its first line must be source_image,target_image", name)
	}
	pairs := make([]mapping.Pair, 0, len(rows)-1)
	lines := map[string]int{}
	for i, row := range rows[1:] {
		for _, text := range row {
			if _, err := mapping.Parse(text); err != nil {
				return nil, fmt.Errorf("%s line %d: %w", name, i+2, err)
			}
		}
		if previous, taken := lines[row[1]]; taken && rows[previous-1][0] != row[0] {
			return nil, fmt.Errorf("%s lines %d and %d: %s and %s would both become %s; give one of them another target", name, previous, i+2, rows[previous-1][0], row[0], row[1])
		}
		lines[row[1]] = i + 2
		pairs = append(pairs, mapping.Pair{Source: row[0], Target: row[1]})
	}
	return pairs, nil
}
