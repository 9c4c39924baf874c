package generate

import (
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// Row describes one image reference.
type Row struct {
	Image    string   `json:"image"`
	Object   string   `json:"object"`
	Path     string   `json:"path"`
	Values   []string `json:"values"`
	Template string   `json:"template"`
	// Lines are the template lines that probably produce it, of Partial if that is not empty: a partial template of the same chart.
	Lines    []int  `json:"lines"`
	Partial  string `json:"partial,omitempty"`
	Rule     string `json:"rule"`
	Scenario string `json:"scenario"`
	Target   string `json:"target,omitempty"`
}

// Rows returns for every image reference of a chart where it occurs and which values produce it.
func Rows(ctx context.Context, options Options) ([]Row, error) {
	loaded, err := options.load(ctx)
	if err != nil {
		return nil, err
	}
	options.loaded = loaded
	result, err := Run(ctx, options)
	if err != nil {
		return nil, err
	}
	texts := templates(loaded, loaded.Name(), map[string]string{})
	rows := make([]Row, 0, len(result.Origins))
	for _, origin := range result.Origins {
		field := origin.Location.Field
		row := Row{
			Image: origin.Location.Text(), Object: field.Object.String(), Path: field.Path, Values: origin.Values,
			Template: field.Object.Template, Lines: producers(texts[field.Object.Template], field.Key, origin.Values),
			Rule: origin.Location.Rule, Scenario: origin.Scenario, Target: origin.Target,
		}
		if len(row.Lines) == 0 {
			row.Partial, row.Lines = partial(texts, row.Template, origin.Values)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// partial returns the lines of the first partial template in a template's chart that produces an image.
func partial(texts map[string]string, template string, values []string) (name string, lines []int) {
	at := strings.LastIndex(template, "/templates/")
	if at < 0 || len(values) == 0 {
		return "", nil
	}
	names := slices.Sorted(maps.Keys(texts))
	for _, name := range names {
		if strings.HasPrefix(name, template[:at]+"/templates/") && strings.HasPrefix(path.Base(name), "_") {
			if lines := producers(texts[name], "", values); len(lines) > 0 {
				return name, lines
			}
		}
	}
	return "", nil
}

// templates adds the template texts of a chart to a map, by the names under which they render.
func templates(c *chart.Chart, prefix string, into map[string]string) map[string]string {
	for _, file := range c.Templates {
		into[prefix+"/"+file.Name] = string(file.Data)
	}
	for _, dependency := range c.Metadata.Dependencies {
		for _, child := range c.Dependencies() {
			if child.Name() != dependency.Name {
				continue
			}
			name := dependency.Name
			if dependency.Alias != "" {
				name = dependency.Alias
			}
			templates(child, prefix+"/charts/"+name, into)
		}
	}
	return into
}

// producers returns the lines of a template that probably produce an image, by the first of these that match any: the field with the last keys of all
// values, the last two keys of one value, the field alone if no value produces the image, the keys of a map that contains a value, innermost map
// first.
func producers(text, key string, values []string) []int {
	lines := strings.Split(text, "\n")
	tests := []func(string) bool{
		func(line string) bool { return holdsAll(line, key, values) },
		func(line string) bool { return holdsOne(line, values) },
		func(line string) bool { return len(values) == 0 && key != "" && strings.Contains(line, key+":") },
	}
	for _, handle := range holders(values) {
		tests = append(tests, func(line string) bool { return handle.MatchString(line) })
	}
	for _, test := range tests {
		var found []int
		for number, line := range lines {
			if test(line) {
				found = append(found, number+1)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

var index = regexp.MustCompile(`\[\d+\]`)

// holders returns expressions that match references to the maps that contain values: by their last two keys, from the innermost map outwards, and
// finally by one key.
func holders(values []string) []*regexp.Regexp {
	var two, one []*regexp.Regexp
	for _, value := range values {
		keys := strings.Split(index.ReplaceAllString(value, ""), ".")
		for end := len(keys) - 1; end >= 2; end-- {
			two = append(two, regexp.MustCompile(`\.`+regexp.QuoteMeta(strings.Join(keys[end-2:end], "."))+`\b`))
		}
		if len(keys) >= 2 {
			one = append(one, regexp.MustCompile(`\.`+regexp.QuoteMeta(keys[len(keys)-2])+`\b`))
		}
	}
	return append(two, one...)
}

func holdsAll(line, key string, values []string) bool {
	if len(values) == 0 || key == "" || !strings.Contains(line, key+":") {
		return false
	}
	for _, value := range values {
		if !strings.Contains(line, value[strings.LastIndex(value, ".")+1:]) {
			return false
		}
	}
	return true
}

func holdsOne(line string, values []string) bool {
	for _, value := range values {
		keys := strings.Split(value, ".")
		if strings.Contains(line, "."+strings.Join(keys[max(0, len(keys)-2):], ".")) {
			return true
		}
	}
	return false
}
