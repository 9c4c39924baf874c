package cleantext

import (
	"net/url"
	"strings"
)

// URL is an address for messages: without user and password, and without the
// values of its query, where tokens are given too. Of a text that is not a URL
// all up to the last @ is left out.
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
