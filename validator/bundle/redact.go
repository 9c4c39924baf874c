package bundle

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"gitops-runtime/validator/preview"
)

// Hidden stands for what was removed.
const Hidden = "(hidden)"

const (
	// shortest is the number of bytes from which a credential is searched for everywhere; shorter ones are parts of words.
	shortest = 6
	// longest is the number of bytes up to which a content is searched for as a whole; of a longer one each line is.
	longest = 8 << 10
	// lineLength is the number of bytes from which a line of a credential is searched for.
	lineLength = 16
	// piece is the number of characters from which a part of an encoded credential is searched for.
	piece = 8
)

var (
	// forms are credentials by their form: keys, JSON web tokens, headers, passwords in URLs, tokens of known services.
	forms = []*regexp.Regexp{
		regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]|-[^-])*(?:-----END [A-Z ]*PRIVATE KEY-----)?`),
		regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}`),
		regexp.MustCompile(`(?i)\b(?:bearer|basic) [A-Za-z0-9._~+/=-]{8,}`),
		regexp.MustCompile(`\b(?:ghp|gho|ghs|github_pat|glpat|xox[abp]|AKIA|ATATT)[-_A-Za-z0-9]{12,}`),
	}
	userinfo  = regexp.MustCompile(`(://)[^/\s:@"']+:[^/\s@"']+@`)
	parameter = regexp.MustCompile(`(?i)([?&](?:access_token|token|api_?key|password|secret|sig|signature)=)[^&\s"']+`)
	// word matches texts that occur in names and sentences.
	word = regexp.MustCompile(`^(?:[a-z]{1,15}|true|false|[0-9]{1,7})$`)
)

// redactor removes credentials: what it was told, in each form in which it may appear, and what looks like one.
type redactor struct {
	texts    map[string]bool
	replacer *strings.Replacer
}

func newRedactor() *redactor { return &redactor{texts: map[string]bool{}} }

// secret adds the content of a Secret.
func (r *redactor) secret(data map[string][]byte) {
	for key, content := range data {
		text := string(content)
		if preview.Plain(key, text) || public(content) {
			continue
		}
		if !word.MatchString(text) || preview.Sensitive(key) {
			r.add(text)
		}
		var inner any
		if strings.Contains(text, ":") && yaml.Unmarshal(content, &inner) == nil {
			r.values("", inner)
		}
	}
}

// public reports whether a content consists of certificates, which anyone may see.
func public(content []byte) bool {
	rest := content
	for bytes.HasPrefix(bytes.TrimSpace(rest), []byte("-----BEGIN CERTIFICATE-----")) {
		_, after, ended := bytes.Cut(rest, []byte("-----END CERTIFICATE-----"))
		if !ended {
			return false
		}
		rest = after
	}
	return len(content) > 0 && len(bytes.TrimSpace(rest)) == 0
}

// values adds the values below a node that are credentials by name or by form.
func (r *redactor) values(name string, node any) {
	switch at := node.(type) {
	case map[string]any:
		for key, value := range at {
			r.values(name+"."+key, value)
		}
	case []any:
		for _, item := range at {
			r.values(name, item)
		}
	case string:
		if !preview.Sensitive(name) && !preview.Lookalike(at) {
			return
		}
		r.add(at)
		// the entry auth of a Docker configuration is user:password in base64
		if decoded, err := base64.StdEncoding.DecodeString(at); err == nil {
			if _, password, pair := strings.Cut(string(decoded), ":"); pair {
				r.add(password)
			}
		}
	}
}

// add adds a credential in each form in which it may appear.
func (r *redactor) add(text string) {
	text = strings.TrimSpace(text)
	if len(text) < shortest {
		return
	}
	if len(text) <= longest {
		r.encoded(text)
	}
	if strings.Contains(text, "\n") {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) >= lineLength && !strings.HasPrefix(line, "-----") {
				r.encoded(line)
			}
		}
	}
	if parts := strings.Split(text, "."); len(parts) == 3 && strings.HasPrefix(text, "eyJ") {
		r.texts[parts[1]], r.texts[parts[2]] = true, true
	}
}

func (r *redactor) encoded(text string) {
	quoted, _ := json.Marshal(text) // a text can be marshaled
	for _, form := range []string{
		text, strings.Trim(string(quoted), `"`), html.EscapeString(text), hex.EncodeToString([]byte(text)),
		url.QueryEscape(text), url.PathEscape(text), strings.ToLower(url.QueryEscape(text)),
	} {
		r.texts[form] = true
	}
	for _, once := range pieces(text) {
		r.texts[once] = true
		for _, twice := range pieces(once) {
			r.texts[twice] = true
		}
	}
}

// pieces returns what a text becomes inside of a longer one in base64, whatever comes before and after it.
func pieces(text string) []string {
	var all []string
	for before := range 3 {
		padded := append(make([]byte, before), text...)
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			made := encoding.EncodeToString(padded)
			if len(padded)%3 != 0 {
				made = made[:len(made)-1] // depends on what follows
			}
			if before > 0 {
				made = made[before+1:] // depends on what comes before
			}
			if len(made) >= piece && !slices.Contains(all, made) {
				all = append(all, made)
			}
		}
	}
	return all
}

// text removes credentials from a text.
func (r *redactor) text(text string) string {
	if r.replacer == nil {
		known := make([]string, 0, len(r.texts))
		for one := range r.texts {
			if len(one) >= shortest {
				known = append(known, one)
			}
		}
		slices.SortFunc(known, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
		pairs := make([]string, 0, 2*len(known))
		for _, one := range known {
			pairs = append(pairs, one, Hidden)
		}
		r.replacer = strings.NewReplacer(pairs...)
	}
	text = r.replacer.Replace(text)
	for _, form := range forms {
		text = form.ReplaceAllString(text, Hidden)
	}
	text = userinfo.ReplaceAllString(text, "${1}"+Hidden+"@")
	return parameter.ReplaceAllString(text, "${1}"+Hidden)
}

// tree removes credentials from an object, by the names of its fields and by their content.
func (r *redactor) tree(name string, node any) any {
	switch at := node.(type) {
	case map[string]any:
		made := make(map[string]any, len(at))
		for key, value := range at {
			made[r.text(key)] = r.tree(name+"."+key, value)
		}
		// the variable of a container
		if variable, _ := at["name"].(string); preview.Sensitive(variable) {
			if value, isText := at["value"].(string); isText && value != "" {
				made["value"] = Hidden
			}
		}
		return made
	case []any:
		made := make([]any, len(at))
		for i, item := range at {
			made[i] = r.tree(name, item)
		}
		return made
	case string:
		if at != "" && preview.Sensitive(name) && !word.MatchString(at) {
			return Hidden
		}
		return r.text(at)
	}
	return node
}

// object removes what is no information, or a credential by the schema of its kind: the data of Secrets, what kubectl applied last, and managed fields.
func (r *redactor) object(kind string, of map[string]any) map[string]any {
	metadata, _ := of["metadata"].(map[string]any)
	delete(metadata, "managedFields")
	if annotations, _ := metadata["annotations"].(map[string]any); annotations != nil {
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	}
	if kind == "Secret" {
		for _, field := range []string{"data", "stringData"} {
			data, _ := of[field].(map[string]any)
			for key := range data {
				data[key] = Hidden
			}
		}
	}
	made, _ := r.tree("", of).(map[string]any)
	return made
}
