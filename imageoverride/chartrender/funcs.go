package chartrender

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"
	"github.com/Masterminds/sprig/v3"
	goyaml "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	limits "gitops-runtime/internal/budget"
)

// funcs returns the function table of Helm's templates, with fixed replacements for the functions whose results differ from run to run.
func funcs(fixed *fixedFuncs) template.FuncMap {
	table := sprig.TxtFuncMap()
	delete(table, "env")
	delete(table, "expandenv")
	for name, fn := range boundedCounts(table) {
		table[name] = fn
	}
	for _, bounded := range []template.FuncMap{boundedFuncs(), boundedTexts()} {
		for name, fn := range bounded {
			table[name] = fn
		}
	}
	for name, fn := range conversions() {
		table[name] = fn
	}
	for name, fn := range fixed.table() {
		table[name] = fn
	}
	table["required"] = func(message string, value any) (any, error) {
		if text, ok := value.(string); value == nil || ok && text == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	limitTexts(table)
	table["fail"] = func(message string) (string, error) { return "", errors.New(message) }
	table["lookup"] = func(string, string, string, string) (map[string]any, error) { return map[string]any{}, nil }
	table["getHostByName"] = func(string) string { return "" }
	// The parser needs these names; bind replaces the functions before execution.
	table["include"] = func(string, any) (string, error) { return "", errors.New("include outside a template") }
	table["tpl"] = func(string, any) (string, error) { return "", errors.New("tpl outside a template") }
	return table
}

func conversions() template.FuncMap {
	return template.FuncMap{
		"toToml": func(v any) string {
			var out bytes.Buffer
			if err := toml.NewEncoder(&out).Encode(v); err != nil {
				return err.Error()
			}
			return out.String()
		},
		"fromToml": func(text string) map[string]any {
			m := map[string]any{}
			if err := toml.Unmarshal([]byte(text), &m); err != nil {
				m["Error"] = err.Error()
			}
			return m
		},
		"toYaml":       toYAML,
		"toYamlPretty": toYAMLPretty,
		"fromYaml": func(text string) (map[string]any, error) {
			if err := boundAliases("fromYaml", text); err != nil {
				return nil, err
			}
			return parseMap(text, yamlInto), nil
		},
		"fromYamlArray": func(text string) ([]any, error) {
			if err := boundAliases("fromYamlArray", text); err != nil {
				return nil, err
			}
			return parseList(text, yamlInto), nil
		},
		"toJson":        toJSON,
		"fromJson":      func(text string) map[string]any { return parseMap(text, jsonInto) },
		"fromJsonArray": func(text string) []any { return parseList(text, jsonInto) },
	}
}

func toYAMLPretty(v any) string {
	var out bytes.Buffer
	encoder := goyaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func yamlInto(text string, into any) error { return yaml.Unmarshal([]byte(text), into) }

// boundAliases refuses a text whose aliases stand for more than a chart needs.
func boundAliases(name, text string) error {
	if !strings.Contains(text, "&") {
		return nil
	}
	return limits.New(limits.Default()).YAML(name, []byte(text))
}

func jsonInto(text string, into any) error { return json.Unmarshal([]byte(text), into) }

// parseMap and parseList return parse errors to the template as values, as Helm does.
func parseMap(text string, into func(string, any) error) map[string]any {
	m := map[string]any{}
	if err := into(text, &m); err != nil {
		m["Error"] = err.Error()
	}
	return m
}

func parseList(text string, into func(string, any) error) []any {
	list := []any{}
	if err := into(text, &list); err != nil {
		return []any{err.Error()}
	}
	return list
}
