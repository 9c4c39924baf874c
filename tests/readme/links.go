package readme

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

// branch is what absolute links show: the documentation of what is to be released next.
const branch = "/blob/main/"

// Repository is the address of the Git repository: the first source in the umbrella's Chart.yaml, the one place that names it.
func Repository(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "charts", umbrella, "Chart.yaml"))
	if err != nil {
		return "", fmt.Errorf("read the address of the repository: %w", err)
	}
	var chart struct {
		Sources []string `json:"sources"`
	}
	if err := yaml.Unmarshal(text, &chart); err != nil {
		return "", fmt.Errorf("read the address of the repository: %w", err)
	}
	if len(chart.Sources) == 0 {
		return "", errors.New("the umbrella's Chart.yaml names no source, which is where absolute links point")
	}
	return strings.TrimSuffix(chart.Sources[0], "/"), nil
}

// relative is a link to a path, and not to an address or to a heading of the same page.
var relative = regexp.MustCompile(`\]\(([^):#\s][^):\s]*)\)`)

// Absolute makes the relative links in a page of a folder point to the repository, since ArtifactHub and others show the page outside of it.
func Absolute(text []byte, repository, folder string) []byte {
	return relative.ReplaceAllFunc(text, func(link []byte) []byte {
		target := string(relative.FindSubmatch(link)[1])
		return []byte("](" + repository + branch + path.Join(filepath.ToSlash(folder), target) + ")")
	})
}

// Local is the path in the checkout that an absolute link points to, with its heading; false for a link to another place.
func Local(link, repository string) (string, bool) {
	return strings.CutPrefix(link, repository+branch)
}
