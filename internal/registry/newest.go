package registry

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// newestRelease picks the greatest version of some tags that is no
// pre-release, "" when there is none.
func newestRelease(tags []string) string {
	newest, best := "", (*version.Version)(nil)
	for _, tag := range tags {
		parsed, err := version.ParseSemantic(strings.ReplaceAll(tag, "_", "+"))
		if err != nil || parsed.PreRelease() != "" {
			continue
		}
		if best == nil || best.LessThan(parsed) {
			newest, best = tag, parsed
		}
	}
	return newest
}
