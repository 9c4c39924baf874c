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
	"template command args port url endpoint family user group quality width height level builder config key label labels selector service account class mode strategy feature features puller pullers stream streams host hostname addr address awaiter priority serviceaccount")

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
	if len(all) == 0 || strings.Contains(name, ":") || // such as the rules of a policy, "servers:create_image"
		!strings.Contains(strings.ToLower(name), "image") {
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
	// nameOnly reports whether it is a repository to which a program adds the tag; the tag is empty if it is not known.
	nameOnly bool
	tag      string
	// unread is the reason why the image that should be here cannot be read; empty if it can.
	unread string
}

var (
	fileNames   = regexp.MustCompile(`(?i)\.(png|svg|jpe?g|gif|ico|webp|bmp|tiff?|iso|qcow2|img|raw|vhdx?|vmdk|tar|t?gz|zip|ya?ml|json)$`)
	notImages   = wordSet("true false none null nil auto default always never ifnotpresent enabled disabled latest custom yes no on off")
	placeholder = regexp.MustCompile(`\{\{|\$\{|\$\(|<[a-zA-Z_ -]+>|%[sv]`)
	versionLike = regexp.MustCompile(`^(v?[0-9]+\.[0-9][A-Za-z0-9._-]*|v?[0-9]{1,3}|latest|stable|edge|nightly|main|master)$`)
	hexadecimal = regexp.MustCompile(`^[0-9a-f]{8,}$`)
	wholePath   = regexp.MustCompile(`^[a-z0-9][a-z0-9._/:@-]*$`)
)

// ofDefinition is the rule of a default in a CustomResourceDefinition.
const ofDefinition = "default of a definition"

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
	if f.Literal || f.Incomplete || f.named {
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
	case f.Key == "default" && f.Object.Kind == definition:
		if strings.ContainsAny(f.Value, "/:@") {
			return []place{whole(nameOf(f.Parent), ofDefinition)}
		}
		return nil
	case f.Key == "image" && !f.InList:
		p := whole(itself, "image field")
		p.pod = inPod.MatchString(f.Path)
		return []place{p}
	case f.Key == "reference" && f.Parent == "image" && !f.InList:
		return []place{whole(itself, "image volume")}
	case f.Key == "name" && !f.InList && nameOf(f.Parent) == itself && f.Parent != "relatedImages": // those of operators name images freely
		return []place{whole(about, "name in a map named for an image")}
	case f.InText() && strings.Contains(f.Value, ":") && (f.InList && f.Key == "services" || f.Key == "name" && f.Parent == "services"):
		return []place{whole(about, "service of a pipeline")}
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
	case (f.Key == "value" || f.Key == "default") && f.Name != "":
		return []place{whole(nameOf(f.Name), "environment variable")}
	case nameOf(f.Key) == silent && nameOf(f.Parent) == itself && strings.HasSuffix(strings.ToLower(f.Parent), "images") && roleOf(f.Key) == "" && strings.ContainsAny(f.Value, "/:@"):
		return []place{whole(itself, "map of images")}
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
	if p.rule == "environment variable" && !suffix {
		f.tag = p.field.Variables.tag(p.field.Name)
	}
	switch {
	case p.pod && text == "auto":
		return f, false // Istio's webhook writes the image
	case p.rule == "environment variable" && !slash && p.name != silent && p.name != nonImage && p.field.Variables.base(k) != "":
		f.suspected = "a name below the address in the variable " + p.field.Variables.base(k)
		return f, true
	case f.tag != "" && slash && p.name != nonImage && (p.name == itself || repository.MatchString(p.field.Name)):
		f.rule, f.nameOnly = "variable with its tag in another one", true
		return f, true
	case !p.pod && versioned(text):
		return f, false
	case p.pod || image.Digest != "" && p.name != nonImage:
		return f, true
	case p.name == itself && p.field.Composite != nil && suffix:
		return f, true
	case p.rule == ofDefinition && !suffix:
		f.nameOnly = true
		return f, k.hosted(text)
	case bare && metadata(p.field) && hexadecimal.MatchString(text):
		return f, false
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
	case k.hosted(text), suffix && k.seen[image.Host] && slash && (strings.HasPrefix(text, image.Host) || image.Digest != "" || versionLike.MatchString(image.Tag)):
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
	case p.name == silent && !p.field.InText() && !metadata(p.field) && looksLike(p.field, text, image.Tag) != "":
		f.suspected = looksLike(p.field, text, image.Tag)
		return f, true
	case p.name == silent && !p.field.InText() && bareRegistry(text) && !strings.HasSuffix(p.field.Object.Kind, "Role"):
		f.suspected = "the name of a public registry, to which a program may add images"
		return f, true
	}
	return f, false
}

// versioned reports whether a text is a tag with its digest, such as "1.2.3@sha256:...".
func versioned(text string) bool {
	tag, _, found := strings.Cut(text, "@")
	return found && versionLike.MatchString(tag)
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
	case p.name != itself || k.lists(text) || fileNames.MatchString(text) || strings.ContainsAny(strings.TrimSpace(text), " \n\t\\") && !placeholder.MatchString(text):
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

// inText finds images in free text: references with a known registry and a tag or digest, references with any digest, texts of images found
// elsewhere, and texts assigned to a name that ends in "image".
func (k knowledge) inText(field Field) (locations []Location, suspects []Suspect) {
	if field.Literal || field.Composite != nil || !strings.ContainsAny(field.Value, ":@/=<") {
		return nil, k.inBase64(field)
	}
	if coded := k.inBase64(field); coded != nil {
		return nil, coded
	}
	named, list, names := namedIn(field.Value), field.InText() && k.lists(field.Value), k.namesOnly(field)
	flag, _, _ := strings.Cut(field.Value, "=")
	listed := max(nameOf(field.Key), nameOf(field.Name)) == itself || field.InList && nameOf(flag) == itself
	for _, span := range token.FindAllStringIndex(field.Value, -1) {
		start, end := span[0], span[1]
		for end > start && strings.ContainsRune(".:/@-_", rune(field.Value[end-1])) {
			end--
		}
		text := field.Value[start:end]
		if at := strings.Index(text, "://"); at >= 0 {
			scheme := text[:at]
			if scheme != "docker" && scheme != "docker-image" && scheme != "oci" {
				continue
			}
			start += at + 3
			text = field.Value[start:end]
			named[start] = scheme != "oci"
			if image, err := k.parse(text); scheme == "oci" && err == nil {
				at := Location{Field: field, Start: start, End: end, Image: image, Rule: "free text"}
				suspects = append(suspects, Suspect{Location: at, Reason: "an OCI artifact, which a controller pulls"})
				continue
			}
		}
		image, err := k.parse(text)
		if err != nil || versioned(text) || fileNames.MatchString(text) || !named[start] && start > 0 && field.Value[start-1] == '/' && !strings.HasSuffix(field.Value[:start], "://") {
			continue
		}
		host, _, slash := strings.Cut(text, "/")
		at := Location{Field: field, Start: start, End: end, Image: image, Rule: "free text"}
		suffix := image.Suffix() != ""
		switch {
		case names:
			at.Rule, at.NameOnly = "list of names at known registries", true
			locations = append(locations, at)
		case suffix && (k.texts[text] || image.Digest != "" || slash && (k.public(host) || k.seen[host])),
			(named[start] || listed && suffix && slash) && (suffix || slash) && !notImages[strings.ToLower(text)]:
			at.NameOnly = !suffix && strings.HasSuffix(strings.TrimRight(field.Value[:start], " \t=:\"'"), "_repository")
			locations = append(locations, at)
		case named[start] && field.InText() && endsLine(field.Value[end:]) && text != "image" && !notImages[strings.ToLower(text)] && !versionLike.MatchString(text):
			suspects = append(suspects, Suspect{Location: at, Reason: "a bare word in a place named for an image"})
		case !field.InText() && !metadata(field) && (start == 0 || strings.ContainsRune("=,; \"'", rune(field.Value[start-1]))) && looksLike(field, text, image.Tag) != "":
			suspects = append(suspects, Suspect{Location: at, Reason: looksLike(field, text, image.Tag)})
		case list:
			suspects = append(suspects, Suspect{Location: at, Reason: "one of a list of repositories with tags"})
		case slash && k.public(host) && !suffix && (strings.Count(text, "/") > 1 || field.InText()):
			suspects = append(suspects, Suspect{Location: at, Reason: "a name at a known registry, without a tag, in free text"})
		}
	}
	return locations, suspects
}
