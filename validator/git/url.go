package git

import (
	"net/url"
	"strings"
)

// apis are the API URLs of the public services, and the API paths of self-hosted servers.
var apis = map[string]struct{ public, path string }{
	"GITHUB":           {"https://api.github.com", "/api/v3"},
	"GITLAB":           {"https://gitlab.com/api/v4", "/api/v4"},
	"BITBUCKET":        {"https://api.bitbucket.org/2.0", "/2.0"},
	"BITBUCKET_SERVER": {},
	"GERRIT":           {},
}

// webHosts are the providers of the public services, by the hosts of their web sites.
var webHosts = map[string]string{"github.com": "GITHUB", "gitlab.com": "GITLAB", "bitbucket.org": "BITBUCKET"}

// APIURL returns the URL of a provider's API. The URL in an account may have the API path or not, or be empty: Codefresh's clients add the path
// themselves (cli-v2, pkg/git/provider_*.go).
//
//   - GitHub Enterprise Server has its API under /api/v3, GitLab under /api/v4,
//     Bitbucket Cloud under /2.0 of api.bitbucket.org.
//   - For Bitbucket Data Center the result is the URL of the server, without
//     /rest/api/1.0.
func APIURL(provider, given string) string {
	api := apis[provider]
	if given == "" {
		return api.public
	}
	parsed, err := url.Parse(given)
	if err != nil || parsed.Host == "" {
		return given
	}
	path := strings.TrimRight(parsed.Path, "/")
	switch {
	case webHosts[parsed.Hostname()] == provider && path == "":
		return api.public
	case provider == "BITBUCKET_SERVER":
		before, _, _ := strings.Cut(path+"/", "/rest/")
		parsed.Path = strings.TrimRight(before, "/")
	case path == "" && parsed.Hostname() != "api.github.com":
		parsed.Path = api.path
	default:
		return given
	}
	parsed.RawPath, parsed.RawQuery, parsed.Fragment = "", "", ""
	return parsed.String()
}
