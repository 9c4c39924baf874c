package validatecmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gitops-runtime/internal/outfile"
	"gitops-runtime/validator/report"
)

// output is a format with its file, "" for standard output.
type output struct {
	format report.Format
	file   string
}

// Outputs are the formats of -o, each with its file.
type Outputs []output

// ParseOutputs reads -o arguments such as "text" and "sarif=out.sarif"; additional formats are those of the build.
func ParseOutputs(arguments []string, color bool, additional map[string]report.Format) (Outputs, error) {
	var parsed Outputs
	screens, files := 0, map[string]bool{}
	for _, argument := range arguments {
		name, file, named := strings.Cut(argument, "=")
		format, err := report.ByName(name, color && file == "", additional)
		switch {
		case err != nil:
			return nil, fmt.Errorf("-o %s: %w", argument, err)
		case named && file == "":
			return nil, fmt.Errorf("-o %s: the file name after the = is missing", argument)
		case file == "":
			screens++
		case files[filepath.Clean(file)]:
			return nil, fmt.Errorf("-o %s: another report is already written to that file", argument)
		default:
			files[filepath.Clean(file)] = true
		}
		parsed = append(parsed, output{format, file})
	}
	if screens > 1 {
		return nil, fmt.Errorf("-o: only one report can go to the screen; give the others a file, as in -o sarif=out.sarif")
	}
	return parsed, nil
}

// Write writes every report.
func (o Outputs) Write(outcome report.Report, screen io.Writer) error {
	return o.each(screen, func(one output, into io.Writer) error { return one.format.Write(into, outcome) })
}

// each opens the file of every report and calls fill with it.
func (o Outputs) each(screen io.Writer, fill func(one output, into io.Writer) error) error {
	for _, one := range o {
		into, err := one.open(screen)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if err := fill(one, into); err != nil {
			return fmt.Errorf("report: %w", errors.Join(err, into.Abandon()))
		}
		if err := into.Finish(); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// outputFile is the destination of a report; a file is written atomically.
type outputFile interface {
	io.Writer
	Finish() error
	Abandon() error
}

// open begins an output.
func (o output) open(on io.Writer) (outputFile, error) {
	if o.file == "" {
		return screen{on}, nil
	}
	return outfile.Create(o.file, 0o644)
}

// screen is the terminal, or what standard output was redirected to.
type screen struct{ io.Writer }

// Finish does nothing.
func (screen) Finish() error { return nil }

// Abandon does nothing, because the output has already been shown.
func (screen) Abandon() error { return nil }

// reason returns an error of the file system without the name of the file.
func reason(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// batchOutputs are the reports on many files that are being written.
type batchOutputs struct {
	files []outputFile
	parts []report.Batch
}

// WriteAll writes a report on several runtimes, whose names are in File.
func (o Outputs) WriteAll(all []report.Report, screen io.Writer) error {
	started, err := o.batch(screen)
	if err != nil {
		return err
	}
	total := report.Total{Noun: "runtime"}
	for _, each := range all {
		total.Version = each.Version
		total.Count(each)
		if err := started.add(each); err != nil {
			return errors.Join(err, started.abandon())
		}
	}
	return started.end(total)
}

// batch begins every report.
func (o Outputs) batch(screen io.Writer) (*batchOutputs, error) {
	started := &batchOutputs{}
	for _, one := range o {
		into, err := one.open(screen)
		if err != nil {
			return nil, fmt.Errorf("report: %w", errors.Join(err, started.abandon()))
		}
		started.files, started.parts = append(started.files, into), append(started.parts, one.format.Batch(into))
	}
	return started, nil
}

func (f *batchOutputs) add(outcome report.Report) error {
	for _, part := range f.parts {
		if err := part.Add(outcome); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

func (f *batchOutputs) end(total report.Total) error {
	for i, part := range f.parts {
		if err := part.End(total); err != nil {
			return fmt.Errorf("report: %w", errors.Join(err, f.files[i].Abandon()))
		}
		if err := f.files[i].Finish(); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// abandon removes incomplete files.
func (f *batchOutputs) abandon() error {
	var all []error
	for _, file := range f.files {
		all = append(all, file.Abandon())
	}
	return errors.Join(all...)
}
