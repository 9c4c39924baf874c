package locate

import (
	"regexp"
	"strings"

	"gitops-runtime/imageoverride/mapping"
)

// naming is how strongly the name next to a text indicates an image.
type naming int

const (
	silent   naming = iota // indicates nothing
	about                  // indicates an image: RELATED_IMAGE_NATS, imageName
	itself                 // names an image: natsImage, --sidecar-image
	nonImage               // indicates another property of images: imagePullPolicy
)

// other contains the last words of names that mention images but do not denote one.
var other = wordSet("pull policy policies secret secrets prefix type size format id ids dir directory directories path paths count max min timeout enabled " +
	"disabled interval period gc threshold percent high low cache scan scanner scanning version versions tag tags digest digests registry registries suffix " +
	"template command args port url endpoint family user group quality width height level builder config key label labels selector service account class mode strategy")

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// nameOf classifies a key, the name of a variable, or a flag.
func nameOf(name string) naming {
	all := words(name)
	if len(all) == 0 || !strings.Contains(strings.ToLower(name), "image") {
		return silent
	}
	last := all[len(all)-1]
	switch {
	case last == "image" || last == "images" || strings.HasSuffix(last, "image") || strings.HasSuffix(last, "images"):
		return itself
	case other[last]:
		return nonImage
	}
	return about
}

// finding is the result of judging one text.
type finding struct {
	start, end int
	rule       string
	// suspected is the reason why it cannot be determined whether this is an image; empty if it can.
	suspected string
	// nameOnly reports whether it is a repository to which a program adds the tag.
	nameOnly bool
	// unread is the reason why the image that should be here cannot be read; empty if it can.
	unread string
}

var (
	fileNames   = regexp.MustCompile(`(?i)\.(png|svg|jpe?g|gif|ico|webp|bmp|tiff?|iso|qcow2|img|raw|vhdx?|vmdk|tar|t?gz|zip|ya?ml|json)$`)
	notImages   = wordSet("true false none null nil auto default always never ifnotpresent enabled disabled latest custom yes no on off")
	placeholder = regexp.MustCompile(`\{\{|\$\{|\$\(|<[a-zA-Z_ -]+>|%[sv]`)
	versionLike = regexp.MustCompile(`^(v?[0-9]+\.[0-9][A-Za-z0-9._-]*|latest|stable|edge|nightly|main|master)$`)
	wholePath   = regexp.MustCompile(`^[a-z0-9][a-z0-9._/:@-]*$`)
)

// place is a text, with what the name next to it indicates.
type place struct {
	field      Field
	start, end int
	name       naming
	rule       string
	pod        bool // an image that the kubelet pulls
}

// inPod matches the paths of images that the kubelet pulls, in pods and in pod templates.
var inPod = regexp.MustCompile(`(?i)(containers|sidecars)\[\d+\]\.image$|(^|\.)(container|script)\.image$`)

// places returns the parts of a field that may be an image as a whole, the most certain first.
func places(f Field) []place {
	if f.Literal {
		return nil
	}
	whole := func(name naming, rule string) place {
		return place{field: f, end: len(f.Value), name: name, rule: rule}
	}
	switch {
	case f.Composite != nil:
		name := about
		if f.Composite.Certain {
			name = itself
		}
		return []place{whole(name, "map of registry, repository and tag")}
	case f.Key == "image" && !f.InList:
		p := whole(itself, "image field")
		p.pod = inPod.MatchString(f.Path)
		return []place{p}
	case f.Key == "reference" && f.Parent == "image" && !f.InList:
		return []place{whole(itself, "image volume")}
	case f.Key == "name" && !f.InList && nameOf(f.Parent) == itself:
		return []place{whole(about, "name in a map named for an image")}
	case f.InList && strings.HasPrefix(f.Value, "-"):
		flag, value, found := strings.Cut(f.Value, "=")
		if !found {
			return nil
		}
		return []place{{field: f, start: len(flag) + 1, end: len(flag) + 1 + len(value), name: nameOf(flag), rule: "flag"}}
	case f.InList && strings.HasPrefix(f.Previous, "-") && !strings.Contains(f.Previous, "="):
		return []place{whole(nameOf(f.Previous), "argument of a flag")}
	case f.InList:
		name := nameOf(f.Key)
		if flag, value, found := strings.Cut(f.Value, "="); found && wholePath.MatchString(strings.ToLower(flag)) {
			return []place{{field: f, start: len(flag) + 1, end: len(flag) + 1 + len(value), name: nameOf(flag), rule: "assignment"}}
		}
		return []place{whole(name, "list of images")}
	case f.Key == "value" && f.Name != "":
		return []place{whole(nameOf(f.Name), "environment variable")}
	}
	return []place{whole(nameOf(f.Key), "field named for an image")}
}

// judge decides whether a place contains an image; it returns false if not.
func (k knowledge) judge(p place) (finding, bool) {
	text := p.field.Value[p.start:p.end]
	f := finding{start: p.start, end: p.end, rule: p.rule}
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || p.name == nonImage && !k.hosted(text) {
		return f, false
	}
	image, err := k.parse(text)
	if err != nil || strings.Contains(text, "://") {
		return k.unreadable(p, f, text)
	}
	slash, suffix := strings.Contains(text, "/"), image.Suffix() != ""
	bare := !slash && !suffix
	if !p.pod && (bare && p.name != itself && text[0] >= '0' && text[0] <= '9' || fileNames.MatchString(text) || notImages[strings.ToLower(text)]) {
		return f, false
	}
	switch {
	case p.pod || image.Digest != "" && p.name != nonImage:
		return f, true
	case p.name == itself && p.field.Composite != nil && suffix:
		return f, true
	case p.name == itself && bare && (p.field.InText() || p.rule == "list of images"):
		f.suspected = "a bare word in a place named for an image"
		return f, true
	case p.name == itself:
		return f, true
	case k.hosted(text) && metadata(p.field) && !suffix:
		f.suspected = "a name at a known registry, without a tag, in metadata"
		return f, true
	case k.hosted(text) && bareHub(text) && !suffix && p.name != itself:
		f.suspected = "a name at Docker Hub that may be an account or a repository"
		return f, true
	case k.hosted(text), suffix && k.seen[image.Host] && slash:
		if p.name == silent && p.rule != "flag" {
			f.rule = "name at a known registry"
		}
		f.nameOnly = !suffix
		return f, true
	case k.texts[text]:
		f.rule = "the text of an image found elsewhere"
		return f, true
	case p.name == about && suffix && (slash || p.field.Composite == nil):
		return f, true
	case p.name == about:
		f.suspected = "a place that mentions images"
		return f, true
	case p.name == silent && !p.field.InText() && slash && image.Tag != "" && versionLike.MatchString(image.Tag) && !metadata(p.field):
		f.suspected = "it looks like a repository with a tag"
		return f, true
	case p.name == silent && !p.field.InText() && public(text):
		f.suspected = "the name of a public registry, to which a program may add images"
		return f, true
	}
	return f, false
}

// bareHub reports whether a text is "docker.io/name", whose name may be an official repository or an account.
func bareHub(text string) bool {
	host, name, _ := strings.Cut(text, "/")
	return strings.HasSuffix(host, "docker.io") && !strings.Contains(name, "/")
}

// metadata reports whether a field is in labels, annotations or other metadata.
func metadata(f Field) bool {
	return strings.HasPrefix(f.Path, "metadata.") || strings.Contains(f.Path, ".metadata.") || strings.Contains(f.Path, "abels.")
}

// unreadable decides whether a text that is not a reference is an image that cannot be read.
func (k knowledge) unreadable(p place, f finding, text string) (finding, bool) {
	switch {
	case p.pod:
		f.unread = "the text is not an image reference"
		return f, true
	case p.name != itself || fileNames.MatchString(text) || strings.ContainsAny(strings.TrimSpace(text), " \n\t\\") && !placeholder.MatchString(text):
		return f, false
	case strings.Contains(text, "://"):
		return f, false
	case placeholder.MatchString(text):
		f.unread = "a program fills it in later"
		return f, true
	case strings.Contains(text, "/") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, ".") && strings.ContainsAny(text, ":.") || p.field.Composite != nil:
		f.unread = "the text is not an image reference"
		return f, true
	}
	return f, false
}

// knowledge has the images and hosts found so far, with which other texts are classified.
type knowledge struct {
	hosts map[string]bool // from the caller
	seen  map[string]bool // of images found so far
	texts map[string]bool // of images found so far
	// images caches parsed texts.
	images map[string]parsed
}

// maxParsed limits the number of cached texts.
const maxParsed = 4096

// parsed is the result of mapping.Parse for a text.
type parsed struct {
	image mapping.Image
	err   error
}

func (k knowledge) parse(text string) (mapping.Image, error) {
	known, ok := k.images[text]
	if !ok {
		known.image, known.err = mapping.Parse(text)
		if len(k.images) < maxParsed {
			k.images[strings.Clone(text)] = known
		}
	}
	return known.image, known.err
}

func (k knowledge) public(host string) bool { return k.hosts[host] || public(host) }

// hosted reports whether a reference begins with a registry.
func (k knowledge) hosted(text string) bool {
	first, _, found := strings.Cut(text, "/")
	return found && k.public(first)
}

var token = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._:/@-]*`)

// assigned matches "some-image: text", "SOME_IMAGE=text" and "--some-image text"
// in free text.
var assigned = regexp.MustCompile(`(?im)((?:--?)?[a-z][a-z0-9_.-]*image)["']?[ \t]*(?:[:=][ \t]*|[ \t]+)["']?([a-z0-9][a-z0-9._:/@-]*[a-z0-9])`)

// inText finds images in free text: references with a known registry and a tag or digest, references with any digest, texts of images found
// elsewhere, and texts assigned to a name that ends in "image".
func (k knowledge) inText(field Field) (locations []Location, suspects []Suspect) {
	if field.Literal || field.Composite != nil || !strings.ContainsAny(field.Value, ":@/") {
		return nil, nil
	}
	named := map[int]bool{}
	if strings.Contains(strings.ToLower(field.Value), "image") {
		for _, span := range assigned.FindAllStringSubmatchIndex(field.Value, -1) {
			name, middle := field.Value[span[2]:span[3]], field.Value[span[3]:span[4]]
			if strings.ContainsAny(middle, ":=") || strings.HasPrefix(name, "-") {
				named[span[4]] = nameOf(name) == itself
			}
		}
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
		image, err := k.parse(text)
		if err != nil || fileNames.MatchString(text) || !named[start] && start > 0 && field.Value[start-1] == '/' && !strings.HasSuffix(field.Value[:start], "://") {
			continue
		}
		host, _, slash := strings.Cut(text, "/")
		at := Location{Field: field, Start: start, End: end, Image: image, Rule: "free text"}
		suffix := image.Suffix() != ""
		switch {
		case suffix && (k.texts[text] || image.Digest != "" || slash && (k.public(host) || k.seen[host])),
			named[start] && (suffix || slash) && !notImages[strings.ToLower(text)]:
			locations = append(locations, at)
		case slash && k.public(host) && !suffix && (strings.Count(text, "/") > 1 || field.InText()):
			suspects = append(suspects, Suspect{Location: at, Reason: "a name at a known registry, without a tag, in free text"})
		}
	}
	return locations, suspects
}
