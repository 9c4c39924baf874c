package cleantext

import (
	"net/url"
	"strings"
)

// URL returns an address for messages: without user and password, and without the values of its query, which may contain tokens. In a text that is
// not a URL, everything between the scheme and the last @ is omitted, and the query.
func URL(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Opaque != "" {
		scheme, rest, found := strings.Cut(address, "://")
		if !found {
			scheme, rest = "", address
		}
		rest = rest[strings.LastIndexByte(rest, '@')+1:]
		rest, _, _ = strings.Cut(rest, "?")
		if found {
			rest = scheme + "://" + rest
		}
		return Line(rest)
	}
	if parsed.User == nil && parsed.RawQuery == "" {
		return Line(address)
	}
	parsed.User = nil
	if parsed.RawQuery != "" {
		parsed.RawQuery = "..."
	}
	return Line(parsed.String())
}
