package preview

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/cleantext"
)

// Hidden knows the texts that reports and errors must not contain: the content of Secrets, and values whose name, or look, is that of a credential.
type Hidden struct{ texts map[string]bool }

// common matches texts that are hidden only where they are the whole value: short ones, and words such as admin or controller, which names contain, too.
var common = regexp.MustCompile(`^(.{0,5}|[a-z]{0,15})$`)

// hiddenText replaces a hidden text.
const hiddenText = "(hidden)"

// maxText is the maximum number of characters of one value in a report.
const maxText = 300

var (
	// credential matches the names of values and variables that are credentials.
	credential = regexp.MustCompile(`(?i)pass(word|wd|phrase)?|secret|token|credential|api[-_.]?key|private|(^|[._-])(key|auth|iv|salt|cookie|pat)s?$|encryption|signature|license`)
	// reference matches names of what refers to, or describes, a credential.
	reference = regexp.MustCompile(`(?i)(^existing.*|name|ref|enabled|seconds|path|file|type|expirationSeconds|url|create|header|length|automountServiceAccountToken)$`)
	// harmless matches values that cannot be a credential.
	harmless = regexp.MustCompile(`^(=?(true|false|null|\d{1,6}|)|\(.*\)|\{\}|\[\])$`)
	// looks matches texts that are credentials by their form: keys, tokens of known services, JSON web tokens, passwords in URLs, and in commands.
	looks = regexp.MustCompile(`-----BEGIN|\b(ghp|gho|ghs|github_pat|glpat|xox[abp]|sk|AKIA|ATATT)[-_A-Za-z0-9]{12,}|\beyJ[A-Za-z0-9_-]{10,}|://[^/\s:@]+:[^/\s@]+@|(?i)(password|passwd|token|secret|api[-_]?key)["']?\s*[=:]\s*["']?[^\s"',{}]{4,}`)
	// dump matches values that a chart prints as a whole, as Go prints maps.
	dump = regexp.MustCompile(`map\[.*\]`)
	word = regexp.MustCompile(`[A-Za-z0-9_+=-]{20,}`)
)

// NewHidden hides nothing yet but what looks like a credential.
func NewHidden() *Hidden { return &Hidden{texts: map[string]bool{}} }

// Add hides the credentials among further values.
func (h *Hidden) Add(values map[string]any) { h.credentials("", values) }

// Block removes hidden texts from an error of several lines.
func (h *Hidden) Block(message string) string {
	var lines []string
	for line := range strings.Lines(message) {
		line = strings.TrimSuffix(line, "\n")
		for _, form := range []*regexp.Regexp{looks, dump} {
			line = form.ReplaceAllString(line, hiddenText)
		}
		lines = append(lines, h.Text(line))
	}
	return strings.Join(lines, "\n")
}

// credentials hides the values with names of credentials below a node.
func (h *Hidden) credentials(name string, node any) {
	switch at := node.(type) {
	case map[string]any:
		for key, value := range at {
			h.credentials(name+"."+key, value)
		}
	case []any:
		for _, item := range at {
			h.credentials(name, item)
		}
	case string:
		if Sensitive(name) || Lookalike(at) {
			h.add(at)
		}
	}
}

// Sensitive reports whether a path names a credential.
func Sensitive(path string) bool {
	if strings.Contains(path, "matchExpressions[") || strings.Contains(path, "tolerations[") {
		return false // their keys are those of labels
	}
	last := path[strings.LastIndexAny(path, ".[/ ")+1:]
	return credential.MatchString(last) && !reference.MatchString(last)
}

// Lookalike reports whether a text looks like a credential: it has a known form, or is long and mixes letters of both cases and digits.
func Lookalike(text string) bool {
	if looks.MatchString(text) {
		return true
	}
	for _, each := range word.FindAllString(text, -1) {
		if strings.ContainsAny(each, "abcdefghijklmnopqrstuvwxyz") && strings.ContainsAny(each, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && strings.Count(each, "-") < 3 && digits(each) > 2 {
			return true
		}
	}
	return false
}

func digits(text string) int {
	count := 0
	for _, letter := range text {
		if letter >= '0' && letter <= '9' {
			count++
		}
	}
	return count
}

// add hides a text in each form in which it may appear.
func (h *Hidden) add(value string) {
	value = strings.TrimSpace(value)
	if harmless.MatchString(value) {
		return
	}
	for _, form := range []string{value, base64.StdEncoding.EncodeToString([]byte(value)), url.QueryEscape(value)} {
		h.texts[form] = true
	}
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); Lookalike(line) || len(line) > 40 && !strings.Contains(line, " ") {
				h.texts[line] = true
			}
		}
	}
}

// Release hides the content of the Secrets of a release.
func (h *Hidden) Release(of *release.Release) {
	if made, err := read(of, of.Namespace); err == nil {
		h.secretsOf(made)
	}
}

// plainKeys are the keys of Secrets of Argo CD whose content is no credential.
var plainKeys = []string{"url", "type", "name", "project", "server", "username", "namespace", "namespaces", "enableLfs", "insecure", "forceHttpBasicAuth", "depth", "proxy", "noProxy", "enableOCI"}

// Plain reports whether an entry of a Secret is no credential, by its key and content.
func Plain(key, content string) bool { return slices.Contains(plainKeys, key) && !Lookalike(content) }

// Content hides the content of a Secret.
func (h *Hidden) Content(data map[string][]byte) {
	for key, content := range data {
		if !Plain(key, string(content)) {
			h.add(string(content))
		}
	}
}

// secretsOf hides the content of the Secrets of releases, those of hooks included. Of texts in YAML or JSON, the credentials in them are hidden, too.
func (h *Hidden) secretsOf(sides ...side) {
	for _, one := range sides {
		objects := one.objects
		for _, hook := range one.hooks {
			more, err := parse(hook.Manifest, "")
			if err == nil {
				objects = append(objects, more...)
			}
		}
		for _, each := range objects {
			if each.kind == "Secret" {
				h.secret(each.tree)
			}
		}
	}
}

func (h *Hidden) secret(of tree) {
	for _, field := range []string{"data", "stringData"} {
		for _, value := range of.sub(field) {
			content, _ := value.(string)
			if decoded, err := base64.StdEncoding.DecodeString(content); err == nil && field == "data" {
				content = string(decoded)
			}
			h.add(content)
			var inner map[string]any
			if strings.Contains(content, ":") && yaml.Unmarshal([]byte(content), &inner) == nil {
				h.credentials("", inner)
			}
		}
	}
}

// Text removes hidden texts from a sentence.
func (h *Hidden) Text(sentence string) string {
	for text := range h.texts {
		if !common.MatchString(text) && strings.Contains(sentence, text) {
			sentence = strings.ReplaceAll(sentence, text, hiddenText)
		}
	}
	return cleantext.Line(cleantext.Cut(sentence, 10*maxText))
}

// value returns a value for a report.
func (h *Hidden) value(path string, value *string) *string {
	if value == nil {
		return nil
	}
	given := strings.TrimPrefix(*value, "=")
	literal := !strings.Contains(path, "].env.") || strings.HasPrefix(*value, "=")
	if h.texts[given] || !harmless.MatchString(given) && literal && Sensitive(path) || Lookalike(given) {
		return text(hiddenText)
	}
	for hidden := range h.texts {
		if !common.MatchString(hidden) && strings.Contains(given, hidden) {
			return text(hiddenText)
		}
	}
	return text(cleantext.Line(cleantext.Cut(*value, maxText)))
}

// clean returns a report without hidden texts.
func (h *Hidden) clean(report Report) Report {
	for _, field := range []*string{&report.Before, &report.After, &report.Namespace, &report.Release, &report.Kubernetes} {
		*field = h.Text(*field)
	}
	for s := range report.Sections {
		section := &report.Sections[s]
		for _, sentences := range [][]string{section.Notes, section.Unknown} {
			for i := range sentences {
				sentences[i] = h.Text(sentences[i])
			}
		}
		for i := range section.Items {
			item := &section.Items[i]
			item.Object, item.Message, item.Component = h.Text(item.Object), h.Text(item.Message), h.Text(item.Component)
			for d := range item.Details {
				at := &item.Details[d]
				at.Before, at.After = h.value(at.Path, at.Before), h.value(at.Path, at.After)
				at.Path, at.Cause = h.Text(at.Path), h.Text(at.Cause)
			}
		}
	}
	return report
}
