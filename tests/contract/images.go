package contract

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed runtime-images.tsv
var images string

// Images returns the tag of each image of the published chart, by repository without its registry. A placeholder for a version is not an image.
func Images() (map[string]string, error) {
	return readImages(images)
}

func readImages(text string) (map[string]string, error) {
	found := map[string]string{}
	column := -1
	number := 0
	for line := range strings.Lines(text) {
		number++
		columns := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if number == 1 {
			column = slices.Index(columns, Version)
			continue
		}
		if column < 0 || len(columns) <= column {
			return nil, fmt.Errorf("runtime-images.tsv:%d: has no column %s", number, Version)
		}
		if columns[1] != "-" && columns[column] != "-" {
			found[repository(columns[1])] = columns[column]
		}
	}
	return found, nil
}
