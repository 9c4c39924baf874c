package registry

import (
	"strings"

	"github.com/Masterminds/semver/v3"
)

// newestRelease returns the greatest version among tags that is not a pre-release, "" if there is none.
func newestRelease(tags []string) string {
	newest, best := "", (*semver.Version)(nil)
	for _, tag := range tags {
		// A tag cannot contain "+"; Helm writes "_" instead.
		parsed, err := semver.StrictNewVersion(strings.TrimPrefix(strings.ReplaceAll(tag, "_", "+"), "v"))
		if err != nil || parsed.Prerelease() != "" {
			continue
		}
		if best == nil || best.LessThan(parsed) {
			newest, best = tag, parsed
		}
	}
	return newest
}
