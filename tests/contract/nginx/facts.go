package nginx

import (
	"slices"
	"strings"
)

// samples returns the URIs whose route is a fact: those of the runtime's access modes, and some without a route.
func samples() []string {
	return []string{
		"/app-proxy/api/graphql", "/app-proxy", "/workflows/api/v1/info", "/workflows/", "/workflows", "/webhooks/ns1/src1/push", "/webhooks/ns1/src1",
		"/readyz", "/healthz", "/", "/other",
	}
}

// Facts returns what the first server of a configuration does, by name.
func Facts(text string) map[string]string {
	outer := parse(text)
	if at := slices.IndexFunc(outer, func(d directive) bool { return d.name() == "http" }); at >= 0 {
		outer = outer[at].block
	}
	at := slices.IndexFunc(outer, func(d directive) bool { return d.name() == "server" && d.open })
	if at < 0 {
		return nil
	}
	s := server{facts: map[string]string{}}
	for _, each := range append(slices.Clone(outer), outer[at].block...) {
		if !each.open {
			s.inherited = append(s.inherited, each)
		} else if each.name() == "location" && len(each.words) > 1 {
			s.locations = append(s.locations, each)
		}
	}
	s.settings()
	for _, each := range s.locations {
		s.location(each)
	}
	for _, uri := range samples() {
		s.facts["route "+uri] = s.route(uri)
	}
	return s.facts
}

// server is the first server of a configuration.
type server struct {
	inherited []directive // of http and server
	locations []directive
	facts     map[string]string
}

func (s server) settings() {
	for _, each := range s.inherited {
		switch each.name() {
		case "listen":
			s.facts["listen "+each.words[1]] = orDefault(strings.Join(each.words[2:], " "), "-")
		case "client_max_body_size", "port_in_redirect", "gzip", "gzip_types", "gzip_min_length", "gzip_comp_level", "resolver":
			s.facts[each.name()] = each.rest()
		}
	}
}

func (s server) location(of directive) {
	prefix := "location " + of.rest() + " "
	add := func(each directive, before string) {
		if each.name() == "add_header" && len(each.words) > 1 {
			s.facts[prefix+before+"add_header "+each.words[1]] = strings.Join(each.words[2:], " ")
			return
		}
		s.facts[prefix+before+each.name()] = each.rest()
	}
	passes := false
	for _, each := range of.block {
		switch {
		case each.open && each.name() == "if":
			for _, inner := range each.block {
				add(inner, "if "+each.rest()+" ")
			}
		case slices.Contains([]string{"proxy_pass", "rewrite", "return", "internal", "chunked_transfer_encoding", "add_header"}, each.name()):
			add(each, "")
			passes = passes || each.name() == "proxy_pass"
		}
	}
	if passes {
		s.proxy(prefix, of)
	}
}

// effective returns the directives of a name that apply in a location: those in it, or otherwise the inherited ones.
func (s server) effective(in directive, name string) []directive {
	for _, from := range [][]directive{in.block, s.inherited} {
		var found []directive
		for _, each := range from {
			if !each.open && each.name() == name {
				found = append(found, each)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// proxy records how a location passes requests on, nginx's defaults included.
func (s server) proxy(prefix string, of directive) {
	defaults := map[string]string{"proxy_read_timeout": "60s", "proxy_send_timeout": "60s", "proxy_buffering": "on", "proxy_http_version": "1.0"}
	for _, name := range []string{"proxy_http_version", "proxy_read_timeout", "proxy_send_timeout", "proxy_connect_timeout", "proxy_buffering", "proxy_request_buffering", "error_page"} {
		found := s.effective(of, name)
		for _, each := range found {
			s.facts[prefix+name] = each.rest()
		}
		if defaults[name] != "" && len(found) == 0 {
			s.facts[prefix+name] = defaults[name] + " (nginx default)"
		}
	}
	headers := map[string]bool{}
	for _, each := range s.effective(of, "proxy_set_header") {
		if len(each.words) > 1 {
			headers[strings.ToLower(each.words[1])] = true
			s.facts[prefix+"header "+each.words[1]] = orDefault(strings.Join(each.words[2:], " "), "(empty)")
		}
	}
	if !headers["host"] {
		s.facts[prefix+"header Host"] = "$proxy_host (nginx default)"
	}
	if !headers["connection"] {
		s.facts[prefix+"header Connection"] = "close (nginx default)"
	}
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
