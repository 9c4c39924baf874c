// Package freshness determines what renovate.json updates, so that a test can check that it covers every pinned version of the repository.
package freshness

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Config is the part of renovate.json about files: https://docs.renovatebot.com/configuration-options/
type Config struct {
	IgnorePaths     []string `json:"ignorePaths"`
	EnabledManagers []string `json:"enabledManagers"`
	HelmValues      struct {
		ManagerFilePatterns []string `json:"managerFilePatterns"`
	} `json:"helm-values"`
	CustomManagers []Manager `json:"customManagers"`
}

// Manager is a manager of regular expressions: https://docs.renovatebot.com/modules/manager/regex/
type Manager struct {
	CustomType          string   `json:"customType"`
	ManagerFilePatterns []string `json:"managerFilePatterns"`
	MatchStrings        []string `json:"matchStrings"`
	DepNameTemplate     string   `json:"depNameTemplate"`
	DatasourceTemplate  string   `json:"datasourceTemplate"`
}

// Dependency is a pinned version that Renovate finds.
type Dependency struct{ Name, Version string }

// Read reads renovate.json of a checkout.
func Read(root string) (Config, error) {
	var read Config
	text, err := os.ReadFile(filepath.Join(root, "renovate.json"))
	if err != nil {
		return read, err
	}
	return read, json.Unmarshal(text, &read)
}

// Seen returns the pinned versions in a file, by its path below the root, that managers of images and regular expressions find.
func (c Config) Seen(path, text string) ([]Dependency, error) {
	var all []Dependency
	for _, manager := range c.CustomManagers {
		ok, err := matches(manager.ManagerFilePatterns, path)
		if err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		for _, pattern := range manager.MatchStrings {
			found, err := dependencies(pattern, manager.DepNameTemplate, text)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	if ok, err := matches(c.HelmValues.ManagerFilePatterns, path); err != nil || !ok || !slices.Contains(c.EnabledManagers, "helm-values") {
		return all, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return append(all, inValues(&document)...), nil
}

// matches reports whether a path matches a pattern: a regular expression between slashes.
func matches(patterns []string, path string) (bool, error) {
	for _, pattern := range patterns {
		inner, found := strings.CutPrefix(pattern, "/")
		inner, ends := strings.CutSuffix(inner, "/")
		if !found || !ends {
			return false, fmt.Errorf("pattern %s: write /regular expression/", pattern)
		}
		compiled, err := regexp.Compile(inner)
		if err != nil {
			return false, err
		}
		if compiled.MatchString(path) {
			return true, nil
		}
	}
	return false, nil
}

func dependencies(pattern, name, text string) ([]Dependency, error) {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var all []Dependency
	for _, found := range compiled.FindAllStringSubmatch(text, -1) {
		one := Dependency{Name: name, Version: found[compiled.SubexpIndex("currentValue")]}
		if at := compiled.SubexpIndex("depName"); at > 0 {
			one.Name = found[at]
		}
		all = append(all, one)
	}
	return all, nil
}

// inValues returns the maps that the manager helm-values recognizes as images: a repository and a tag, with a registry or without.
// https://docs.renovatebot.com/modules/manager/helm-values/
func inValues(node *yaml.Node) []Dependency {
	var all []Dependency
	if node.Kind == yaml.MappingNode {
		fields := map[string]string{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			fields[node.Content[i].Value] = node.Content[i+1].Value
		}
		if fields["repository"] != "" && fields["tag"] != "" {
			all = append(all, Dependency{Name: strings.TrimPrefix(fields["registry"]+"/"+fields["repository"], "/"), Version: fields["tag"]})
		}
	}
	for _, below := range node.Content {
		all = append(all, inValues(below)...)
	}
	return all
}
