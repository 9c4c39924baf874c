package nginx

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// route describes what the server does with a request for a URI.
func (s server) route(uri string) string {
	found, match := s.find(uri)
	if found == nil {
		return "static files (404)"
	}
	request := request{path: uri, variables: match, byExpression: match != nil}
	if request.variables == nil {
		request.variables = map[string]string{}
	}
	for _, each := range found.block {
		if done := request.apply(each, found.words[len(found.words)-1]); done != "" {
			return done
		}
	}
	return "nothing"
}

// find returns the location of a URI by nginx's order, an exact one, the longest prefix, the first expression that matches, and what the expression
// matched.
func (s server) find(uri string) (*directive, map[string]string) {
	var prefixes []*directive
	for i, each := range s.locations {
		switch {
		case len(each.words) > 2 && each.words[1] == "=" && each.words[2] == uri:
			return &s.locations[i], nil
		case len(each.words) == 2 && strings.HasPrefix(each.words[1], "/"), len(each.words) > 2 && each.words[1] == "^~":
			if strings.HasPrefix(uri, each.words[len(each.words)-1]) {
				prefixes = append(prefixes, &s.locations[i])
			}
		}
	}
	slices.SortStableFunc(prefixes, func(a, b *directive) int {
		return cmp.Compare(len(b.words[len(b.words)-1]), len(a.words[len(a.words)-1]))
	})
	if len(prefixes) > 0 && prefixes[0].words[1] == "^~" {
		return prefixes[0], nil
	}
	for i, each := range s.locations {
		if len(each.words) > 2 && strings.HasPrefix(each.words[1], "~") {
			if match := matches(each.words[1] == "~*", each.words[2], uri); match != nil {
				return &s.locations[i], match
			}
		}
	}
	if len(prefixes) > 0 {
		return prefixes[0], nil
	}
	return nil, nil
}

// matches returns the groups of an expression that matches, by number and name. An expression that Go does not support matches nothing.
func matches(ignoreCase bool, expression, uri string) map[string]string {
	if ignoreCase {
		expression = "(?i)" + expression
	}
	compiled, err := regexp.Compile(expression)
	if err != nil {
		return nil
	}
	found := compiled.FindStringSubmatch(uri)
	if found == nil {
		return nil
	}
	groups := map[string]string{}
	for i, name := range compiled.SubexpNames() {
		groups[strconv.Itoa(i)] = found[i]
		if name != "" {
			groups[name] = found[i]
		}
	}
	return groups
}

// request describes how a location handles a URI.
type request struct {
	path         string
	variables    map[string]string
	byExpression bool
}

var (
	variable = regexp.MustCompile(`\$\{?(\w+)\}?`)
	address  = regexp.MustCompile(`^(https?://[^/]+)(/.*)?$`)
)

func (r *request) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := r.variables[strings.Trim(name, "${}")]; ok {
			return value
		}
		return name
	})
}

// apply evaluates a directive, and returns what the server does if the directive ends the request.
func (r *request) apply(of directive, prefix string) string {
	if of.open || len(of.words) < 2 {
		return ""
	}
	switch of.name() {
	case "set":
		if len(of.words) > 2 {
			r.variables[strings.TrimPrefix(of.words[1], "$")] = r.expand(of.words[2])
		}
	case "rewrite":
		r.rewrite(of)
	case "return":
		return "return " + of.rest()
	case "proxy_pass":
		target := r.expand(of.words[1])
		if parts := address.FindStringSubmatch(target); parts != nil && parts[2] != "" && !r.byExpression {
			return parts[1] + parts[2] + strings.TrimPrefix(r.path, prefix)
		}
		return target + r.path
	}
	return ""
}

func (r *request) rewrite(of directive) {
	if len(of.words) < 3 {
		return
	}
	if groups := matches(false, of.words[1], r.path); groups != nil {
		r.path = variable.ReplaceAllStringFunc(of.words[2], func(name string) string {
			if value, ok := groups[strings.Trim(name, "${}")]; ok {
				return value
			}
			return name
		})
	}
}
