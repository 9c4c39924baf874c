package pins_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

// renovate is the part of renovate.json about files: https://docs.renovatebot.com/configuration-options/
type renovate struct {
	IgnorePaths     []string `json:"ignorePaths"`
	EnabledManagers []string `json:"enabledManagers"`
	CustomManagers  []struct {
		Description         string   `json:"description"`
		ManagerFilePatterns []string `json:"managerFilePatterns"`
		MatchStrings        []string `json:"matchStrings"`
	} `json:"customManagers"`
}

// tree returns the tracked kinds of files of the checkout by their paths, without built files and test inputs.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	built := regexp.MustCompile(`^(bin|out|\.git|\.cache|charts/[^/]+/charts)$|(^|/)(testdata|node_modules)$`)
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && built.MatchString(path) {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() || !slices.Contains([]string{".go", ".yaml", ".yml"}, filepath.Ext(path)) || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		found[path] = string(text)
		return err
	}))
	return found
}

// Renovate looks for versions in all files, and each pattern of ours still finds some; the managers of Renovate find the others.
func TestRenovateFindsThePins(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, ".github", "renovate.json"))
	require.NoError(t, err)
	var config renovate
	require.NoError(t, json.Unmarshal(text, &config))
	assert.Equal(t, []string{"gomod", "github-actions", "helm-values", "npm", "custom.regex"}, config.EnabledManagers)
	// by default tests/, examples/ and vendor/ are ignored: https://docs.renovatebot.com/presets-default/#ignoremodulesandtests
	assert.Equal(t, []string{"**/testdata/**", "**/node_modules/**"}, config.IgnorePaths)
	files := tree(t, root)
	for _, manager := range config.CustomManagers {
		found := 0
		for _, pattern := range manager.ManagerFilePatterns {
			paths := regexp.MustCompile(strings.Trim(pattern, "/"))
			for path, text := range files {
				for _, match := range manager.MatchStrings {
					if paths.MatchString(path) {
						found += len(regexp.MustCompile(match).FindAllString(text, -1))
					}
				}
			}
		}
		assert.Greater(t, found, 2, manager.Description)
	}
}

// Every action is pinned to a commit with its version in a comment; Renovate updates both.
func TestActionsArePinned(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	uses := regexp.MustCompile(`uses: (\S+)(.*)`)
	count := 0
	for path, text := range tree(t, root) {
		if !strings.HasPrefix(path, ".github/") && filepath.Base(path) != "action.yml" {
			continue
		}
		for _, found := range uses.FindAllStringSubmatch(text, -1) {
			count++
			assert.Regexp(t, `^[\w-]+/[\w/-]+@[0-9a-f]{40}$`, found[1], path)
			assert.Regexp(t, `^ # v\d+\.\d+\.\d+$`, found[2], path)
		}
	}
	assert.Greater(t, count, 10)
}
