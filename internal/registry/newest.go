package registry

import (
	"strings"

	"github.com/Masterminds/semver/v3"
)

// newestRelease picks the greatest version of some tags that is not a
// pre-release, "" when there is none.
func newestRelease(tags []string) string {
	newest, best := "", (*semver.Version)(nil)
	for _, tag := range tags {
		// A tag holds no "+"; Helm writes "_" in its place.
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
