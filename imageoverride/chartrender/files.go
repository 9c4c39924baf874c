package chartrender

import (
	"encoding/base64"
	"path"
	"strings"

	"github.com/gobwas/glob"
	"helm.sh/helm/v3/pkg/chart"
)

// files is .Files in templates.
type files map[string][]byte

func newFiles(from []*chart.File) files {
	all := make(files, len(from))
	for _, file := range from {
		all[file.Name] = file.Data
	}
	return all
}

// GetBytes returns the content of one file, empty if it does not exist.
func (f files) GetBytes(name string) []byte {
	if data, ok := f[name]; ok {
		return data
	}
	return []byte{}
}

// Get returns the content of one file as text, empty if it does not exist.
func (f files) Get(name string) string { return string(f.GetBytes(name)) }

// Glob returns the files that match a pattern, in which ** matches slashes and * does not.
func (f files) Glob(pattern string) files {
	matcher, err := glob.Compile(pattern, '/')
	if err != nil {
		matcher, _ = glob.Compile("**")
	}
	selected := files{}
	for name, data := range f {
		if matcher.Match(name) {
			selected[name] = data
		}
	}
	return selected
}

// AsConfig returns the files as the data of a ConfigMap.
func (f files) AsConfig() string {
	data := map[string]string{}
	for name, content := range f {
		data[path.Base(name)] = string(content)
	}
	return toYAML(data)
}

// AsSecrets returns the files as the data of a Secret.
func (f files) AsSecrets() string {
	data := map[string]string{}
	for name, content := range f {
		data[path.Base(name)] = base64.StdEncoding.EncodeToString(content)
	}
	return toYAML(data)
}

// Lines returns the lines of one file.
func (f files) Lines(name string) []string {
	if len(f[name]) == 0 {
		return []string{}
	}
	text := string(f[name])
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
