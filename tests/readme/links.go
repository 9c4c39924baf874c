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

// branch is the part of absolute links that names the branch with the documentation of the next release.
const branch = "/blob/main/"

// Repository returns the URL of the Git repository: the first source in the umbrella's Chart.yaml.
func Repository(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "charts", umbrella, "Chart.yaml"))
	if err != nil {
		return "", fmt.Errorf("read the URL of the repository: %w", err)
	}
	var chart struct {
		Sources []string `json:"sources"`
	}
	if err := yaml.Unmarshal(text, &chart); err != nil {
		return "", fmt.Errorf("read the URL of the repository: %w", err)
	}
	if len(chart.Sources) == 0 {
		return "", errors.New("the umbrella's Chart.yaml has no sources; the first one is the URL of absolute links")
	}
	return strings.TrimSuffix(chart.Sources[0], "/"), nil
}

// relative matches a link to a path, not to a URL or to a heading of the same page.
var relative = regexp.MustCompile(`\]\(([^):#\s][^):\s]*)\)`)

// Absolute replaces the relative links in a page of a folder with URLs of the repository, since ArtifactHub shows the page outside of it.
func Absolute(text []byte, repository, folder string) []byte {
	return relative.ReplaceAllFunc(text, func(link []byte) []byte {
		target := string(relative.FindSubmatch(link)[1])
		return []byte("](" + repository + branch + path.Join(filepath.ToSlash(folder), target) + ")")
	})
}

// Local returns the path and the heading in the checkout that an absolute link points to, and false for a link outside the repository.
func Local(link, repository string) (string, bool) {
	return strings.CutPrefix(link, repository+branch)
}
