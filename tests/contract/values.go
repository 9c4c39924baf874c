package contract

import (
	"regexp"
	"strings"
)

var (
	versionKey = regexp.MustCompile(`(^version$|^bootstrapRevision$|\.version$)`)
	version    = regexp.MustCompile(`^(v?[0-9][\w.+-]*|[0-9a-f]{7,}|\{(chart|app)Version\})$`)
	versions   = strings.NewReplacer("{appVersion}", "{version}", "{chartVersion}", "{version}", "{imageTag}", "{version}")
	service    = regexp.MustCompile(`(\.NAMESPACE)?\.svc(\.cluster\.local)?\b`)
	namespace  = regexp.MustCompile(`\.NAMESPACE([:/]|$)`)
	plainHTTP  = regexp.MustCompile(`(http://[^/:]+):80(/|$)`)
	plainHTTPS = regexp.MustCompile(`(https://[^/:]+):443(/|$)`)
	taggedName = regexp.MustCompile(`^([a-z0-9.-]+(?:/[a-z0-9._-]+)+)(?::[\w.{}-]+)?(?:@sha256:\w+)?$`)
	registry   = regexp.MustCompile(`^[a-z0-9.-]+\.[a-z]+(:\d+)?/`)
)

// isVersion reports whether a key contains the version of a component, which differs between the charts.
func isVersion(key string) bool {
	if at := strings.LastIndex(key, ": "); at >= 0 {
		key = key[at+2:]
	}
	return versionKey.MatchString(key)
}

// plain returns a value without its irrelevant parts: tags of images, the cluster's domain, the namespace in an address, default ports.
func plain(value string) string {
	value = service.ReplaceAllString(versions.Replace(value), "")
	value = namespace.ReplaceAllString(value, "$1")
	value = plainHTTP.ReplaceAllString(value, "$1$2")
	value = plainHTTPS.ReplaceAllString(value, "$1$2")
	return taggedName.ReplaceAllString(value, "$1")
}

// repository returns an image without its registry and tag.
func repository(image string) string { return registry.ReplaceAllString(plain(image), "") }
