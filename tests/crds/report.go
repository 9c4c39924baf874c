package crds

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
)

// Report writes a table of the bytes of each target folder's definitions, in their module and here.
func Report(out io.Writer, files []File) error {
	type sum struct{ count, before, after int }
	var folders []string
	sums := map[string]*sum{}
	for _, file := range files {
		folder := filepath.ToSlash(filepath.Dir(file.Path))
		if sums[folder] == nil {
			sums[folder] = &sum{}
			folders = append(folders, folder)
		}
		sums[folder].count++
		sums[folder].before += file.Before
		sums[folder].after += len(file.Text)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "definitions\tbytes upstream\tbytes here\t  folder")
	for _, folder := range folders {
		s := sums[folder]
		_, _ = fmt.Fprintf(table, "%d\t%d\t%d\t  %s\n", s.count, s.before, s.after, folder)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the size report: %w", err)
	}
	return nil
}
