package facts

import (
	"strings"
	"unicode"
)

// Release is the names of a release. Facts contain fixed words instead, so that those of two releases can be compared.
type Release struct {
	Name, Namespace, Runtime, Account string
	// ChartVersion and AppVersion are those of the chart.
	ChartVersion, AppVersion string
}

func (r Release) normal(text string) string {
	for _, each := range []struct{ name, word string }{{r.Name, "RELEASE"}, {r.Namespace, "NAMESPACE"}, {r.Runtime, "RUNTIME"}, {r.Account, "ACCOUNT"}} {
		if each.name != "" {
			text = strings.ReplaceAll(text, each.name, each.word)
		}
	}
	text = replaceWord(text, r.ChartVersion, "{chartVersion}")
	if r.AppVersion != r.ChartVersion {
		text = replaceWord(text, r.AppVersion, "{appVersion}")
	}
	return text
}

// replaceWord replaces a word that may contain dots, if it is not a part of a longer one. It may be followed by a dot that ends a sentence.
func replaceWord(text, word, by string) string {
	if word == "" || !strings.Contains(text, word) {
		return text
	}
	var out strings.Builder
	rest, last := text, rune(0)
	for {
		at := strings.Index(rest, word)
		if at < 0 {
			out.WriteString(rest)
			return out.String()
		}
		if at > 0 {
			last = rune(rest[at-1])
		}
		after := rest[at+len(word):]
		run := after[:len(after)-len(strings.TrimLeftFunc(after, inWord))]
		if last == '.' || isWord(last) || strings.ContainsFunc(run, isWord) {
			out.WriteString(rest[:at+len(word)])
		} else {
			out.WriteString(rest[:at] + by)
		}
		rest, last = after, rune(word[len(word)-1])
	}
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func inWord(r rune) bool { return r == '.' || isWord(r) }
