package statement

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// licenseFile matches the names of files with the license of a module.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying)([.-].*)?$`)

// covered is the least percentage of such a file that is text of known licenses.
const covered = 75

// Licenses returns the SPDX expressions of the licenses of Go modules, by package URL, as their license files state them: those of all modules that the
// go.mod of a checkout requires and that are in the module cache. A module whose files are not clear is not in the result.
func Licenses(ctx context.Context, root string) (map[string]string, error) {
	command := exec.CommandContext(ctx, "go", "list", "-m", "-json", "all")
	command.Dir = root
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("list the modules of %s: %w", root, err)
	}
	found := map[string]string{}
	for modules := json.NewDecoder(bytes.NewReader(out)); ; {
		var module struct {
			Path, Version, Dir string
			Main               bool
		}
		if err := modules.Decode(&module); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("list the modules of %s: %w", root, err)
		}
		if module.Main || module.Dir == "" {
			continue
		}
		license, err := licenseOf(module.Dir)
		if err != nil {
			return nil, fmt.Errorf("license of %s: %w", module.Path, err)
		}
		if license != "" {
			found[moduleURL(module.Path, module.Version)] = license
		}
	}
}

// licenseOf returns the SPDX expression of the license files in a folder, "" if they are not clear.
func licenseOf(folder string) (string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var names []string
	for _, file := range files {
		if file.IsDir() || !licenseFile.MatchString(file.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return "", err
		}
		scanned := licensecheck.Scan(text)
		if scanned.Percent < covered {
			continue
		}
		for _, match := range scanned.Match {
			names = append(names, match.ID)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " AND "), nil
}

// WithLicenses returns parts with their licenses, by package URL.
func WithLicenses(parts []Part, licenses map[string]string) []Part {
	parts = slices.Clone(parts)
	for i, part := range parts {
		if part.License == "" {
			parts[i].License = licenses[part.PURL]
		}
	}
	return parts
}
