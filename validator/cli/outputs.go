package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gitops-runtime/validator/report"
)

// output is a format with the file it goes into, "" for the screen.
type output struct {
	format report.Format
	file   string
}

type outputs []output

// parseOutputs reads -o arguments such as "text" and "sarif=out.sarif".
func parseOutputs(arguments []string, colour bool) (outputs, error) {
	var parsed outputs
	screens, files := 0, map[string]bool{}
	for _, argument := range arguments {
		name, file, named := strings.Cut(argument, "=")
		format, err := report.ByName(name, colour && file == "")
		switch {
		case err != nil:
			return nil, fmt.Errorf("-o %s: %w", argument, err)
		case named && file == "":
			return nil, fmt.Errorf("-o %s: there is no file name after the =", argument)
		case file == "":
			screens++
		case files[filepath.Clean(file)]:
			return nil, fmt.Errorf("-o %s: another report goes into that file already", argument)
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

// write writes every report.
func (o outputs) write(made report.Report, screen io.Writer) error {
	return o.each(screen, func(one output, into io.Writer) error { return one.format.Write(into, made) })
}

// each opens what every report goes into and hands it on.
func (o outputs) each(screen io.Writer, fill func(one output, into io.Writer) error) error {
	for _, one := range o {
		into, err := one.open(screen)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if err := fill(one, into); err != nil {
			return fmt.Errorf("report: %w", errors.Join(err, into.abandon()))
		}
		if err := into.finish(); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// open begins an output.
func (o output) open(screen io.Writer) (*sheet, error) {
	if o.file == "" {
		return &sheet{Writer: screen}, nil
	}
	if info, err := os.Stat(o.file); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		file, err := os.OpenFile(o.file, os.O_WRONLY, 0) // a pipe or a device
		return &sheet{Writer: file, file: file}, err
	}
	file, err := os.CreateTemp(filepath.Dir(o.file), "."+filepath.Base(o.file)+"-*")
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", o.file, reason(err))
	}
	return &sheet{Writer: file, file: file, name: o.file}, nil
}

// reason is an error of the file system without the name of the temporary file.
func reason(err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// sheet is what a report is written on. A file comes into being whole or not at
// all: until it is finished it has another name.
type sheet struct {
	io.Writer
	file *os.File
	name string
}

func (s *sheet) finish() error {
	if s.file == nil {
		return nil
	}
	if s.name == "" {
		return s.file.Close()
	}
	err := errors.Join(s.file.Chmod(0o644), s.file.Close())
	if err == nil {
		err = os.Rename(s.file.Name(), s.name)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", s.name, errors.Join(reason(err), s.remove()))
	}
	return nil
}

func (s *sheet) abandon() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), s.remove())
}

func (s *sheet) remove() error {
	if s.name == "" {
		return nil
	}
	return os.Remove(s.file.Name())
}

// fleetOutputs are the reports over many files that are being written.
type fleetOutputs struct {
	sheets []*sheet
	parts  []report.Fleet
}

// fleet begins every report.
func (o outputs) fleet(screen io.Writer) (*fleetOutputs, error) {
	begun := &fleetOutputs{}
	for _, one := range o {
		into, err := one.open(screen)
		if err != nil {
			return nil, fmt.Errorf("report: %w", errors.Join(err, begun.abandon()))
		}
		begun.sheets, begun.parts = append(begun.sheets, into), append(begun.parts, one.format.Fleet(into))
	}
	return begun, nil
}

func (f *fleetOutputs) add(made report.Report) error {
	for _, part := range f.parts {
		if err := part.Add(made); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

func (f *fleetOutputs) end(total report.Total) error {
	for i, part := range f.parts {
		if err := part.End(total); err != nil {
			return fmt.Errorf("report: %w", errors.Join(err, f.sheets[i].abandon()))
		}
		if err := f.sheets[i].finish(); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// abandon leaves no half-written file behind.
func (f *fleetOutputs) abandon() error {
	var all []error
	for _, sheet := range f.sheets {
		all = append(all, sheet.abandon())
	}
	return errors.Join(all...)
}
