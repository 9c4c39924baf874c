package locate

import (
	"regexp"
	"strings"

	"gitops-runtime/imageoverride/mapping"
)

// publicHosts are registries whose name alone makes "host/path:tag" in free
// text an image.
var publicHosts = map[string]bool{
	"docker.io": true, "index.docker.io": true, "registry-1.docker.io": true, "quay.io": true, "ghcr.io": true, "gcr.io": true,
	"us.gcr.io": true, "eu.gcr.io": true, "k8s.gcr.io": true, "registry.k8s.io": true, "public.ecr.aws": true,
	"mcr.microsoft.com": true, "registry.gitlab.com": true, "docker.elastic.co": true, "registry.access.redhat.com": true,
	"registry.redhat.io": true, "nvcr.io": true, "icr.io": true, "xpkg.upbound.io": true, "cgr.dev": true, "lscr.io": true,
}

// rule recognises an image by its surroundings and says where in the string
// the reference stands.
type rule struct {
	name  string
	match func(Field) (start, end int, ok bool)
}

var rules = []rule{
	{"image field", func(f Field) (int, int, bool) {
		inText := strings.Contains(f.Path, " > ") || f.Object.Kind == "ConfigMap" || f.Object.Kind == "Secret"
		return 0, len(f.Value), f.Key == "image" && !f.InList && (!inText || qualified(f.Value))
	}},
	{"image volume", func(f Field) (int, int, bool) {
		return 0, len(f.Value), f.Key == "reference" && f.Parent == "image" && qualified(f.Value)
	}},
	{"field named for an image", func(f Field) (int, int, bool) {
		return 0, len(f.Value), !f.InList && named(f.Key) && qualified(f.Value)
	}},
	{"list of images", func(f Field) (int, int, bool) {
		key := strings.ToLower(f.Key)
		return 0, len(f.Value), f.InList && (strings.HasSuffix(key, "images") || strings.HasSuffix(key, "image")) && qualified(f.Value)
	}},
	{"environment variable", func(f Field) (int, int, bool) {
		return 0, len(f.Value), f.Key == "value" && named(f.Name) && qualified(f.Value)
	}},
	{"flag", func(f Field) (int, int, bool) {
		flag, value, found := strings.Cut(f.Value, "=")
		return len(flag) + 1, len(f.Value), found && strings.HasPrefix(flag, "-") && named(flag) && qualified(value)
	}},
	{"argument of a flag", func(f Field) (int, int, bool) {
		flag := strings.HasPrefix(f.Previous, "-") && !strings.Contains(f.Previous, "=") && named(f.Previous)
		return 0, len(f.Value), flag && qualified(f.Value)
	}},
}

func match(field Field) (start, end int, name string) {
	for _, r := range rules {
		if start, end, ok := r.match(field); ok {
			return start, end, r.name
		}
	}
	return 0, 0, ""
}

var notImages = regexp.MustCompile(`(?i)(pull|registr|repositor|tag|digest|policy|secret|name|prefix|version|type|size|format|id)s?$`)

// named tells names such as natsImage, RELATED_IMAGE_NATS, --executor-image
// from imagePullPolicy and image-tag.
func named(name string) bool {
	return strings.Contains(strings.ToLower(name), "image") && !notImages.MatchString(name)
}

// qualified tells a reference that says more than a bare word: a tag, a digest
// or a host.
func qualified(text string) bool {
	image, err := mapping.Parse(text)
	if err != nil || strings.Contains(text, "://") {
		return false
	}
	if image.Suffix() != "" {
		return true
	}
	first, _, found := strings.Cut(text, "/")
	return found && (strings.ContainsAny(first, ".:") || first == "localhost")
}

// knowledge is what is known of images before free text is read.
type knowledge struct {
	hosts map[string]bool
	texts map[string]bool
}

var token = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._:/@-]*`)

// inText finds images in free text: a known registry with path and tag or
// digest, anything with a digest, or the text of an image found elsewhere.
func (k knowledge) inText(field Field) []Location {
	var locations []Location
	if !strings.ContainsAny(field.Value, ":@") {
		return nil
	}
	for _, span := range token.FindAllStringIndex(field.Value, -1) {
		start, end := span[0], span[1]
		for end > start && strings.ContainsRune(".:/@-_", rune(field.Value[end-1])) {
			end--
		}
		text := field.Value[start:end]
		if at := strings.Index(text, "://"); at >= 0 {
			if scheme := text[:at]; scheme != "docker" && scheme != "docker-image" {
				continue
			}
			start += at + 3
			text = field.Value[start:end]
		}
		image, err := mapping.Parse(text)
		if err != nil || image.Suffix() == "" {
			continue
		}
		host, _, _ := strings.Cut(text, "/")
		if k.texts[text] || image.Digest != "" || k.hosts[host] && strings.Contains(text, "/") {
			locations = append(locations, Location{Field: field, Start: start, End: end, Image: image, Rule: "free text"})
		}
	}
	return locations
}
