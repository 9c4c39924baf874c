package locate

import (
	"regexp"
	"slices"
	"strings"
)

// Variables are the variables of one container, by name.
type Variables struct{ texts map[string]string }

// variablesOf returns the variables in a list of maps with name and value; nil if it is another list.
func variablesOf(list []any, clean func(string) string) *Variables {
	all := Variables{map[string]string{}}
	for _, item := range list {
		entry, _ := item.(map[string]any)
		name, _ := entry["name"].(string)
		if text, _, ok := scalar(entry["value"]); ok && name != "" {
			all.texts[clean(name)] = clean(text)
		}
	}
	if len(all.texts) < 2 {
		return nil
	}
	return &all
}

var (
	address    = regexp.MustCompile(`(?i)(repo|repository|registry|url|prefix|hub)$`)
	repository = regexp.MustCompile(`(?i)_?(repository|repo|name)$`)
	lastImage  = regexp.MustCompile(`(?i)_?image$`)
)

// base returns the variable with the address below which a program looks for a name, "" if there is none.
func (v *Variables) base(k knowledge) string {
	if v == nil {
		return ""
	}
	var found []string
	for name, text := range v.texts {
		if address.MatchString(name) && (k.public(text) || k.hosted(text)) && !suffixed(text) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return strings.Join(found[:min(1, len(found))], "")
}

// tag returns the tag of a repository in a variable, from the variable whose name says so: AGENT_TAG for AGENT_REPOSITORY or AGENT_IMAGE.
func (v *Variables) tag(name string) string {
	if v == nil {
		return ""
	}
	stem := repository.ReplaceAllString(name, "")
	for _, stem := range []string{stem, lastImage.ReplaceAllString(stem, "")} {
		for _, end := range []string{"_TAG", "_IMAGE_TAG", "_VERSION", "_IMAGE_VERSION"} {
			if text := v.texts[stem+end]; text != "" && stem != "" && !strings.ContainsAny(text, "/:@ ${") {
				return text
			}
		}
	}
	return ""
}

// assigned matches "some-image: text", "SOME_IMAGE=text" and "--some-image text" in free text.
var assigned = regexp.MustCompile(`(?im)((?:--?)?(?:[a-z][a-z0-9_.-]*)?(?:image|(?:image|container)_repository))["']?[ \t]*(?:[:=][ \t]*|[ \t]+)["']?([a-z0-9][a-z0-9._:/@-]*[a-z0-9])`)

// element matches the text of an XML element named for an image.
var element = regexp.MustCompile(`(?i)<([a-z][a-z0-9:._-]*image|image)>\s*([a-z0-9][a-z0-9._:/@-]*[a-z0-9])\s*</`)

// listed matches a list in TOML or HCL that is named for images, quoted one of its texts.
var (
	listed = regexp.MustCompile(`(?i)[a-z0-9_.-]*images["']?[ \t]*[:=][ \t]*\[([^\]]*)\]`)
	quoted = regexp.MustCompile(`["']([a-zA-Z0-9][^"'\s]*)["']`)
)

// written are other places of images: instructions of a Dockerfile, arguments in Groovy, services of GitLab Runner, and variables of a shell. A word without slash and colon is
// something else there, such as a stage of a build or a table of a database.
var written = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^[ \t]*FROM[ \t]+(?:--[a-z]+=\S+[ \t]+)*([a-z0-9][^\s"'$]*)`),
	regexp.MustCompile(`(?m)^[ \t]*(?:COPY|ADD)[ \t]+(?:--[a-z]+=\S+[ \t]+)*--from=([a-z0-9][^\s"'$]*)`),
	regexp.MustCompile(`\bimage[ \t]*\(?[ \t]*["']([a-z0-9][^\s"'$]*)["']`),
	regexp.MustCompile(`services(?:\]\]|[ \t]*=[ \t]*\[\{)\s*name[ \t]*=[ \t]*["']([a-z0-9][^\s"'$]*)["']`),
	regexp.MustCompile(`\bIMG=["']?([a-z0-9][^\s"'$]*)`),
	regexp.MustCompile(`\bset[ \t]+image[ \t]+\S+[ \t]+[\w*.-]+=([a-z0-9][^\s"'$]*)`),
}

// namedIn returns the offsets of texts that are assigned to a name of an image: in YAML, TOML, HCL, properties, XML, JSON, flags and shell commands.
func namedIn(text string) map[int]bool {
	named := map[int]bool{}
	for _, span := range listed.FindAllStringSubmatchIndex(text, -1) {
		for _, item := range quoted.FindAllStringSubmatchIndex(text[span[2]:span[3]], -1) {
			named[span[2]+item[2]] = true
		}
	}
	for _, form := range written {
		for _, span := range form.FindAllStringSubmatchIndex(text, -1) {
			if strings.ContainsAny(text[span[2]:span[3]], "/:") {
				named[span[2]] = true
			}
		}
	}
	if strings.Contains(strings.ToLower(text), "image") || strings.Contains(text, "_repository") {
		for _, span := range assigned.FindAllStringSubmatchIndex(text, -1) {
			name, middle := text[span[2]:span[3]], text[span[3]:span[4]]
			switch {
			case strings.HasPrefix(name, "-"):
			case !strings.ContainsAny(middle, ":=") && !(strings.Contains(name, ".") && lineStarts(text[:span[2]])): // properties may have a space only
				continue
			case strings.EqualFold(name, "image") && strings.Contains(middle, "=") && inExpression(text[:span[2]]):
				continue
			}
			named[span[4]] = nameOf(name) == itself || strings.HasSuffix(strings.ToLower(name), "_repository")
		}
		for _, span := range element.FindAllStringSubmatchIndex(text, -1) {
			named[span[4]] = true
		}
	}
	for _, start := range pulled(text) {
		named[start] = true
	}
	return named
}

// lineStarts reports whether a text ends with the indentation of a line.
func lineStarts(before string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.Trim(line, " \t\"'") == ""
}

// inExpression reports whether a name after a text is a label in an expression, such as the second one in `rate(usage{pod="a", image="b"}[5m])`, and not a
// key of a table in TOML or an attribute in XML.
func inExpression(before string) bool {
	if lineStarts(before) {
		return false
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	table := strings.LastIndexByte(line, '{')
	switch {
	case strings.LastIndexByte(line, '<') > strings.LastIndexByte(line, '>'):
		return false
	case table < 0:
		return true
	}
	owner := strings.TrimRight(line[:table], " \t")
	return owner == "" || !strings.ContainsRune("=[,", rune(owner[len(owner)-1]))
}

// endsLine reports whether only the closing quote of a value is left in a line.
func endsLine(after string) bool {
	line, _, _ := strings.Cut(after, "\n")
	return strings.Trim(line, "\"' \t\r") == ""
}

// pulls matches a command that runs or pulls an image; valued are those of its flags that have their value in the next word.
var (
	pulls = regexp.MustCompile(`\b(?:(?:docker|podman|nerdctl)[ \t]+(?:image[ \t]+)?(?:run|pull|create)|crane[ \t]+(?:copy|cp|pull|export)|crictl[ \t]+pull|` +
		`ctr[ \t]+(?:-n[ \t]+\S+[ \t]+)?images?[ \t]+pull|buildah[ \t]+(?:from|pull))\b`)
	valued    = wordSet("-v -e -p -u -w -l -h -m --name --network --net --volume --env --entrypoint --user --workdir --platform --publish --memory --cpus --label --mount --env-file --add-host --pull --restart --hostname")
	shellWord = regexp.MustCompile(`[^\s\\]+`)
)

// pulled returns the offsets of the images of commands such as `docker run`.
func pulled(text string) []int {
	var all []int
	for _, command := range pulls.FindAllStringIndex(text, -1) {
		skip := false
		for _, span := range shellWord.FindAllStringIndex(text[command[1]:], 40) {
			word := text[command[1]+span[0] : command[1]+span[1]]
			if skip || strings.HasPrefix(word, "-") {
				skip = !skip && valued[word]
				continue
			}
			all = append(all, command[1]+span[0]+len(word)-len(strings.TrimLeft(word, `"'`)))
			break
		}
	}
	return all
}

// unknownHost matches the beginning of a reference at a registry by its domain or its port.
var unknownHost = regexp.MustCompile(`^([a-zA-Z0-9-]+\.)+[a-zA-Z]{2,}(:[0-9]+)?/`)

// sources are hosts whose paths in arguments of programs are code, other files or types of metrics.
var sources = regexp.MustCompile(`^(www\.|github\.com|gitlab\.com|bitbucket\.org|raw\.githubusercontent\.com|golang\.org|k8s\.io|s3[.-]|hooks\.|api\.|storage\.|[a-z]+\.googleapis\.com)`)

// unknownRepository reports whether the argument or variable of a container is a repository of at least two names at a registry that is not known.
func unknownRepository(f Field, text string) bool {
	return strings.Contains(f.Path, "ontainers[") && unknownHost.MatchString(text) && strings.Count(text, "/") >= 2 && !sources.MatchString(text)
}

// looksLike returns why a text outside a configuration may be an image; "" if it does not look like one.
func looksLike(f Field, text, tag string) string {
	switch {
	case tag == "" && unknownRepository(f, text):
		return "it looks like a repository at a registry that is not known; --map HOST=REGISTRY says that it is one"
	case f.Versioned && strings.Contains(text, "/"):
		return "a repository with a version, which may be an image"
	case tag != "" && strings.HasSuffix(strings.ToLower(f.Name), "container"):
		return "a name with a tag in a variable for a container"
	case !strings.Contains(text, "/") || tag == "":
		return ""
	case unknownHost.MatchString(text):
		return "it looks like an image at a registry that is not known; --map HOST=REGISTRY says that it is one"
	case versionLike.MatchString(tag):
		return "it looks like a repository with a tag"
	}
	return ""
}

// separators divide the references of a list in one text.
var separators = regexp.MustCompile(`[,;\s]+`)

// lists reports whether a text consists of several references with a tag, such as "team/app:1.2,team/other:3".
func (k knowledge) lists(text string) bool {
	parts := separators.Split(strings.Trim(text, ", \n"), 100)
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(part string) bool {
		image, err := k.parse(part)
		return err != nil || !strings.Contains(part, "/") || !versionLike.MatchString(image.Tag)
	})
}

// namesOnly reports whether an argument or a variable consists of several names at known registries, such as the repositories of a database that a program
// tries in this order.
func (k knowledge) namesOnly(field Field) bool {
	parts := strings.Split(field.Value, ",")
	return len(parts) > 1 && strings.Contains(field.Path, "ontainers[") && !slices.ContainsFunc(parts, func(part string) bool {
		return !k.hosted(part) || !wholePath.MatchString(part) || suffixed(part) || strings.Count(part, "/") < 2
	})
}

// coded reports whether a text may be base64 of more than a word; longer texts are no configuration.
func coded(text string) bool {
	return len(text)%4 == 0 && len(text) <= maxCoded && baseForm.MatchString(text)
}

const maxCoded = 1 << 20

var baseForm = regexp.MustCompile(`^[A-Za-z0-9+/]{24,}={0,2}$`)

// inBase64 returns the first image in a text that is base64 outside a Secret, whose program decodes it.
func (k knowledge) inBase64(field Field) []Suspect {
	if !coded(field.Value) {
		return nil
	}
	plain, ok := Decode(field.Value)
	if !ok {
		return nil
	}
	inner := field
	inner.Value, inner.Path = plain, field.Path+encoded
	locations, _ := k.inText(inner)
	if len(locations) == 0 {
		return nil
	}
	one := locations[0]
	return []Suspect{{Location: one, Reason: "an image in base64, which only the chart can change"}}
}
