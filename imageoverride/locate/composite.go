package locate

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"gitops-runtime/imageoverride/chartrender"
)

// Part is one of the fields of a map that form an image.
type Part struct {
	// Role is "registry", "repository", "name", "tag" or "digest".
	Role string
	// Key is the key in the map, Value the text of its value.
	Key, Value string
	// Literal reports whether the value is not a string.
	Literal bool
}

// Composite is an image in several fields of a map, such as {registry,
// repository, tag}, which the program that reads the map joins.
type Composite struct {
	Parts []Part
	// Certain reports whether a key indicates an image, or the map has a registry.
	Certain bool
}

// roles maps the words of a key, in lower case and without "image", to a part of an image.
var roles = map[string]string{
	"registry": "registry", "hub": "registry",
	"repository": "repository", "repo": "repository",
	"name": "name", "": "name",
	"tag": "tag", "version": "version",
	"digest": "digest", "sha": "digest", "sha256": "digest",
}

// codeKeys distinguish a map about a Git or Helm repository from one about an image.
var codeKeys = []string{"url", "branch", "revision", "ref", "chart", "path", "targetrevision", "git", "commit"}

// roleOf returns the part of an image that a key names ("imageTag" is a tag), "" for none.
func roleOf(key string) string {
	words := words(key)
	if len(words) > 1 && words[0] == "image" {
		words = words[1:]
	} else if len(words) == 1 && words[0] == "image" {
		words = nil
	}
	return roles[strings.Join(words, "")]
}

// words splits a name at capital letters and punctuation, and returns the words in lower case.
func words(name string) []string {
	var all []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			all = append(all, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]) || unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		word.WriteRune(r)
	}
	flush()
	return all
}

// compose reads a map as an image in parts. Its decision depends only on the
// keys and on texts that stay the same when the image is redirected.
func compose(m map[string]any, parent string, inList bool, clean func(string) string) (Composite, bool) {
	found := map[string]Part{}
	keys := slices.Sorted(maps.Keys(m))
	for _, key := range keys {
		role := roleOf(clean(key))
		text, literal, ok := scalar(m[key])
		if role == "" || !ok || found[role].Value != "" {
			continue
		}
		found[role] = Part{Role: role, Key: clean(key), Value: text, Literal: literal}
	}
	at := words(clean(parent))
	namesImage := len(at) > 0 && (slices.Contains(at, "image") || slices.Contains(at, "images"))
	registry, hasRegistry := found["registry"]
	repository, hasRepository := found["repository"]
	name, hasName := found["name"]
	tag, hasTag := found["tag"]
	digest, hasDigest := found["digest"]
	version := found["version"]
	composite := Composite{Certain: namesImage || hasRegistry}
	add := func(part Part) {
		if part.Value != "" {
			composite.Parts = append(composite.Parts, part)
		}
	}
	// An item of a list often has a name by which a program finds it, beside a repository at a registry.
	first, _, address := strings.Cut(clean(repository.Value), "/")
	address = address && strings.ContainsAny(first, ".:")
	isImage := roleOf(name.Key) == "name" && strings.Contains(strings.ToLower(name.Key), "image")
	switch {
	case repository.Value != "" && !hasRegistry && !namesImage && aboutCode(m, clean, at):
		return Composite{}, false
	case repository.Value != "" && (hasTag || hasDigest || hasRegistry || namesImage):
		add(registry)
		add(repository)
		last := clean(repository.Value)
		last = last[strings.LastIndex(last, "/")+1:]
		if (isImage || namesImage && !(inList && address && name.Key == "name")) && last != clean(name.Value) {
			name.Role = "name"
			add(name)
		}
	case repository.Value != "" && isImage:
		// repository, image and version, as in the CRs of NVIDIA's operators
		composite.Certain = true
		add(registry)
		add(repository)
		add(name)
	case !hasRepository && name.Value != "" && (namesImage && (hasTag || hasDigest) || hasRegistry && (isImage || hasTag)):
		add(registry)
		add(name)
	case !hasRepository && isImage && hasTag && tag.Value != "" && !suffixed(clean(name.Value)):
		composite.Certain = true
		add(name)
	default:
		return Composite{}, false
	}
	if !hasName && !hasRepository || len(composite.Parts) == 0 {
		return Composite{}, false
	}
	if !hasTag && isImage && hasRepository {
		tag = version
		tag.Role = "tag"
	}
	if !suffixed(clean(composite.Parts[len(composite.Parts)-1].Value)) {
		add(tag)
		add(digest)
	}
	if len(composite.Parts) == 1 && composite.Parts[0].Key == "image" {
		return Composite{}, false // a plain field
	}
	return composite, true
}

// incomplete reports whether a key has the name of an image whose repository is empty, such as {repository: "", image: driver, version: ""}.
func incomplete(m map[string]any, key string) bool {
	repository, isText := m["repository"].(string)
	return key == "image" && isText && repository == "" && bareName(m[key])
}

// bareName reports whether a value is empty, or a name without registry, path and tag.
func bareName(value any) bool {
	name, _ := value.(string)
	return !strings.ContainsAny(name, "/:@")
}

// divides reports whether two maps in a map have the name of an image apart from its repository, as {repository: nvcr.io/nvidia, image: driver, version: "1"}.
func divides(m map[string]any) bool {
	count := 0
	for _, value := range m {
		below, _ := value.(map[string]any)
		name, _ := below["image"].(string)
		repository, _ := below["repository"].(string)
		if name != "" && repository != "" && bareName(name) {
			count++
		}
	}
	return count > 1
}

// holds reports whether a key is one of the parts.
func (c Composite) holds(key string) bool {
	for _, part := range c.Parts {
		if part.Key == key {
			return true
		}
	}
	return false
}

// aboutCode reports whether a map is about a Git or Helm repository.
func aboutCode(m map[string]any, clean func(string) string, at []string) bool {
	for _, word := range codeKeys {
		if slices.Contains(at, word) {
			return true
		}
		for key := range m {
			if strings.ToLower(clean(key)) == word {
				return true
			}
		}
	}
	return false
}

// suffixed reports whether a name already has a tag or digest.
func suffixed(text string) bool {
	return strings.Contains(text, "@") || strings.LastIndex(text, ":") > strings.LastIndex(text, "/")
}

// scalar returns the text of a scalar and whether it is not a string; ok is false for maps and lists.
func scalar(value any) (text string, literal, ok bool) {
	switch typed := value.(type) {
	case string:
		return typed, false, true
	case chartrender.Literal:
		return string(typed), true, true
	case nil:
		return "", true, true
	}
	return "", false, false
}

// Join returns the reference that the parts form.
func Join(parts []Part) string {
	var text strings.Builder
	for _, part := range parts {
		value := part.Value
		switch {
		case part.Role == "digest":
			if !strings.Contains(value, ":") {
				value = "sha256:" + value
			}
			value = "@" + value
		case part.Role == "tag" && strings.HasPrefix(value, "sha256:"):
			value = "@" + value
		case part.Role == "tag":
			value = ":" + value
		case text.Len() > 0 && !strings.HasSuffix(text.String(), "/"):
			value = "/" + value
		}
		text.WriteString(value)
	}
	return text.String()
}

// Split returns new texts of parts, by key, with which the parts form the target: the host for the registry, the rest for the repository; tags and
// digests are unchanged. It returns false if the parts cannot form the target.
func (c Composite) Split(target string) (map[string]string, bool) {
	parts := c.Parts
	name := target
	if at := strings.Index(name, "@"); at >= 0 {
		name = name[:at]
	}
	if at := strings.LastIndex(name, ":"); at > strings.LastIndex(name, "/") {
		name = name[:at]
	}
	out := map[string]string{}
	var names []Part
	for _, part := range parts {
		switch part.Role {
		case "registry":
			host, rest, found := strings.Cut(name, "/")
			if !found {
				return nil, false
			}
			out[part.Key], name = host, rest
		case "repository", "name":
			names = append(names, part)
		}
	}
	switch len(names) {
	case 1:
		out[names[0].Key] = name
	case 2:
		at := strings.LastIndex(name, "/")
		if at < 0 {
			return nil, false
		}
		out[names[0].Key], out[names[1].Key] = name[:at], name[at+1:]
	default:
		return nil, false
	}
	changed := make([]Part, len(parts))
	for i, part := range parts {
		if text, ok := out[part.Key]; ok {
			part.Value = text
		}
		changed[i] = part
	}
	return out, Join(changed) == target
}
