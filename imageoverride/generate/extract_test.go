package generate_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// The extractor of the corpus shares no code with the tool: it parses the manifests with another YAML library and has its own rules for images.

// extracted is an image with its place, "Kind/name path".
type extracted map[string]string

type extractor struct {
	images extracted
	// rest has all other scalars by place, to detect other changes.
	rest map[string]string
}

func extract(manifests []string) (extractor, error) {
	e := extractor{images: extracted{}, rest: map[string]string{}}
	for i, text := range manifests {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			return e, fmt.Errorf("%w in %s", err, text)
		}
		if object == nil || object["kind"] == "CustomResourceDefinition" {
			continue
		}
		metadata, _ := object["metadata"].(map[string]any)
		e.node(fmt.Sprintf("%d:%v/%v", i, object["kind"], metadata["name"]), "", object, object["kind"] == "Secret")
	}
	return e, nil
}

var (
	reference = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*(:[0-9]+)?(/[a-z0-9][a-z0-9._-]*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?(@sha256:[0-9a-f]{64})?$`)
	inProse   = regexp.MustCompile(`[a-z0-9-]+(\.[a-z0-9-]+)+(:[0-9]+)?/[a-z0-9._/-]+[a-z0-9](:[A-Za-z0-9_][A-Za-z0-9_.-]*[A-Za-z0-9])?(@sha256:[0-9a-f]{64})?`)
	saysImage = regexp.MustCompile(`(?i)image$`)
	lineImage = regexp.MustCompile(`(?m)[iI]mage"?\s*[:=]\s*"?([a-z0-9][a-z0-9._/-]*/[a-z0-9._-]+(?::[\w.-]+)?|[a-z0-9._/-]+:[0-9][\w.-]*)`)
)

func (e *extractor) node(at, key string, node any, secret bool) {
	switch typed := node.(type) {
	case map[string]any:
		e.mapping(at, key, typed, secret)
	case []any:
		previous := ""
		for i, item := range typed {
			place := fmt.Sprintf("%s[%d]", at, i)
			text, ok := item.(string)
			switch flag, value, assigned := strings.Cut(text, "="); {
			case !ok:
				e.node(place, key, item, secret)
			case strings.HasPrefix(text, "-") && assigned:
				e.text(place, flag, value)
			case strings.HasPrefix(previous, "-"):
				e.text(place, previous, text)
			case strings.HasSuffix(key, "mages"):
				e.text(place, "image", text)
			default:
				e.text(place, "", text)
			}
			previous = text
		}
	case string:
		e.text(at, key, typed)
	default:
		e.rest[at] = fmt.Sprint(typed)
	}
}

// scalarOf returns the text of the first of the keys that has a scalar value, and marks it as used.
func scalarOf(m map[string]any, used map[string]bool, keys ...string) string {
	for _, key := range keys {
		switch value := m[key].(type) {
		case string, float64, int64, int:
			used[key] = true
			if number, ok := value.(float64); ok && number == float64(int64(number)) {
				return fmt.Sprint(int64(number))
			}
			return fmt.Sprint(value)
		}
	}
	return ""
}

func (e *extractor) mapping(at, key string, m map[string]any, secret bool) {
	used := map[string]bool{}
	joined := e.joined(key, m, used)
	if joined != "" {
		e.images[at] = joined
	} else {
		used = map[string]bool{}
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if used[k] || k == "apiVersion" {
			continue
		}
		value, name := m[k], k
		if text, ok := value.(string); ok && secret && key == "data" {
			if plain, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(plain) {
				value = string(plain)
			}
		}
		if variable, ok := m["name"].(string); ok && k == "value" {
			name = variable
		}
		e.node(at+"."+k, name, value, secret)
	}
}

// joined returns an image in several fields, as operators join them.
func (e *extractor) joined(key string, m map[string]any, used map[string]bool) string {
	repository, inMap := scalarOf(m, used, "repository"), saysImage.MatchString(key)
	tag, digest := scalarOf(m, used, "tag"), scalarOf(m, used, "digest")
	registry := scalarOf(m, used, "registry")
	name := ""
	switch {
	case repository != "" && m["image"] != nil:
		name = repository + "/" + scalarOf(m, used, "image")
		if tag == "" {
			tag = scalarOf(m, used, "version")
		}
	case repository != "" && (tag != "" || digest != "" || inMap) && m["revision"] == nil:
		name = repository
	case inMap && tag != "":
		name = scalarOf(m, used, "name")
	}
	if name == "" {
		return ""
	}
	if registry != "" {
		name = registry + "/" + name
	}
	switch {
	case strings.HasPrefix(tag, "sha256:"):
		return name + "@" + tag
	case tag != "":
		name += ":" + tag
	}
	if digest != "" {
		name += "@" + digest
	}
	return name
}

func (e *extractor) text(at, name, text string) {
	var inner any
	if strings.ContainsAny(text, "\n{") && strings.Contains(text, ":") && yaml.Unmarshal([]byte(text), &inner) == nil {
		switch inner.(type) {
		case map[string]any, []any:
			e.node(at+">", name, inner, false)
			return
		}
	}
	if saysImage.MatchString(name) && reference.MatchString(text) && !strings.HasSuffix(text, ".png") {
		e.images[at] = text
		return
	}
	rest := text
	for i, found := range inProse.FindAllString(text, -1) {
		if strings.Contains(text, "://"+found) || strings.Contains(text, "/"+found) {
			continue
		}
		e.images[fmt.Sprintf("%s~%d", at, i)] = found
		rest = strings.Replace(rest, found, "IMAGE", 1)
	}
	for i, found := range lineImage.FindAllStringSubmatch(rest, -1) {
		e.images[fmt.Sprintf("%s=%d", at, i)] = found[1]
		rest = strings.Replace(rest, found[1], "IMAGE", 1)
	}
	e.rest[at] = rest
}
