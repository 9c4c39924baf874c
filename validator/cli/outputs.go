package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
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
	screens := 0
	for _, argument := range arguments {
		name, file, _ := strings.Cut(argument, "=")
		format, err := report.ByName(name, colour && file == "")
		if err != nil {
			return nil, fmt.Errorf("-o %s: %w", argument, err)
		}
		if file == "" {
			screens++
		}
		parsed = append(parsed, output{format, file})
	}
	if screens > 1 {
		return nil, fmt.Errorf("-o: only one report can go to the screen; give the others a file, as in -o sarif=out.sarif")
	}
	return parsed, nil
}

// write writes every report; files are written whole or not at all.
func (o outputs) write(made report.Report, screen io.Writer) error {
	for _, one := range o {
		var text bytes.Buffer
		if err := one.format.Write(&text, made); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if one.file == "" {
			if _, err := text.WriteTo(screen); err != nil {
				return fmt.Errorf("report: %w", err)
			}
			continue
		}
		if err := os.WriteFile(one.file, text.Bytes(), 0o644); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}
