package facts

import (
	"maps"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/contract/nginx"
)

var (
	location = regexp.MustCompile(`(?m)^\s*location\b`)
	ini      = regexp.MustCompile(`^\s*\[[\w ]+\]\s*\n`)
	script   = regexp.MustCompile(`\$\(|^#!`)
)

// configMap records the texts of a ConfigMap: short ones as they are, others by their format.
func (m *maker) configMap(data fields) {
	for key, value := range data {
		long := text(value)
		switch {
		case !strings.Contains(strings.TrimSpace(long), "\n"):
			m.add("data", key, long)
		case location.MatchString(long):
			for fact, behavior := range nginx.Facts(long) {
				m.add("data", "nginx: "+fact, behavior)
			}
		case m.object.Name == "helm-values-config":
			m.add("data", key, "(all values of the release, as YAML)")
		case ini.MatchString(long):
			m.iniFile(key, long)
		case script.MatchString(long):
			m.add("data", key, "(script)")
		default:
			m.yamlFile(key, long)
		}
	}
}

func (m *maker) iniFile(key, long string) {
	section := ""
	for line := range strings.Lines(long) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
		} else if left, right, ok := strings.Cut(line, "="); ok && !strings.ContainsAny(line[:1], "#;") {
			m.add("data", key+": "+section+" "+strings.TrimSpace(left), strings.TrimSpace(right))
		}
	}
}

func (m *maker) yamlFile(key, long string) {
	var parsed any
	if err := yaml.Unmarshal([]byte(long), &parsed); err != nil {
		m.add("data", key, long)
		return
	}
	switch parsed.(type) {
	case map[string]any, []any:
		for path, leaf := range leaves(parsed) {
			m.add("data", key+": "+path, leaf)
		}
	default:
		m.add("data", key, long)
	}
}

// secret records the keys of a Secret, never its content.
func (m *maker) secret(object fields) {
	m.add("data", "(type)", object.or("type", "Opaque"))
	keys := maps.Clone(object.sub("data"))
	if keys == nil {
		keys = fields{}
	}
	maps.Copy(keys, object.sub("stringData"))
	for key := range keys {
		m.add("data", key, "(secret)")
	}
}
