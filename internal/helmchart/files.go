package helmchart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"gitops-runtime/internal/budget"
)

// fileReader reads the files of one chart and of the charts within it. Helm's own loader limits each archive separately, so archives in archives
// multiply; here packed charts are unpacked within the budget, and Helm gets plain files.
type fileReader struct {
	ctx   context.Context //nolint:containedctx // lives as long as one call of Load
	left  *budget.Budget
	files []*loader.BufferedFile
	// follow allows links that leave the chart's directory.
	follow bool
}

const (
	charts = "charts/"
	packed = ".tgz"
	// unpacked is added to the name of a packed chart to make it a folder. Helm ignores the name of that folder.
	unpacked = ".unpacked"
)

// parsed are the names of files that Helm parses as YAML or JSON before it reads any template.
var parsed = []string{"Chart.yaml", "Chart.lock", "values.yaml", "values.schema.json", "requirements.yaml", "requirements.lock"}

var byteOrderMark = []byte("\xef\xbb\xbf")

// add adds a file or, for a packed chart, its content.
func (r *fileReader) add(name string, data []byte) error {
	depth, isPacked := place(name)
	switch {
	case depth > budget.Default().Depth:
		return fmt.Errorf("%s: charts are nested more than %d levels deep", name, budget.Default().Depth)
	case isPacked:
		return within(name, r.unpack(data, name+unpacked+"/"))
	case slices.Contains(parsed, path.Base(name)):
		if err := r.left.YAML(name, data); err != nil {
			return err
		}
	}
	r.files = append(r.files, &loader.BufferedFile{Name: name, Data: bytes.TrimPrefix(data, byteOrderMark)})
	return nil
}

// archiveError is the error of a packed chart within another.
type archiveError struct {
	name string
	err  error
}

func (e *archiveError) Error() string {
	return strings.ReplaceAll(e.name, unpacked, "") + ": " + e.err.Error()
}

func (e *archiveError) Unwrap() error { return e.err }

// within adds the name of a packed chart to an error, unless the error already names a chart within it.
func within(name string, err error) error {
	if inner := new(archiveError); err == nil || errors.As(err, &inner) {
		return err
	}
	return &archiveError{name, err}
}

// chart builds Helm's chart from the files.
func (r *fileReader) chart() (*chart.Chart, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	return loader.LoadFiles(r.files)
}

// place returns how many charts deep a file is nested, and whether it is a packed chart.
func place(name string) (depth int, isPacked bool) {
	for {
		rest, within := strings.CutPrefix(name, charts)
		if !within || strings.HasPrefix(rest, "_") || strings.HasPrefix(rest, ".") {
			return depth, false
		}
		depth++
		folder, inside, further := strings.Cut(rest, "/")
		if !further {
			return depth, path.Ext(folder) == packed
		}
		name = inside
	}
}
