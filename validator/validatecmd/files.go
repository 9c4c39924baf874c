package validatecmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gitops-runtime/internal/cleantext"
)

// expand turns the arguments into the files of a batch: names, and patterns as in a shell (quoted, so that the shell did not expand them). Each file
// appears once, in the order of the arguments and then of the names.
func expand(patterns []string) ([]string, error) {
	var files []string
	for _, pattern := range patterns {
		found := []string{pattern}
		if strings.ContainsAny(pattern, "*?[") {
			matches, err := filepath.Glob(pattern)
			if err != nil {
				return nil, fmt.Errorf("the pattern %q cannot be read: a [ has no ] after it", cleantext.Short(pattern))
			}
			if found = slices.DeleteFunc(matches, isDirectory); len(found) == 0 {
				return nil, fmt.Errorf("no file matches %q", cleantext.Short(pattern))
			}
		} else if flaw := notFile(pattern); flaw != "" {
			return nil, fmt.Errorf("%s: %s", pattern, flaw)
		}
		for _, file := range found {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files, nil
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// notFile describes why an argument cannot be a values file, "" if it can.
func notFile(name string) string {
	switch _, err := os.Stat(name); {
	case name == "-":
		return "standard input is one file; give it with -f"
	case errors.Is(err, os.ErrNotExist):
		return "no such file or command; see validate-values --help"
	case isDirectory(name):
		return fmt.Sprintf("it is a directory; name its files, such as '%s/*.yaml'", strings.TrimRight(name, "/"))
	}
	return ""
}
