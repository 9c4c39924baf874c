package contract

import (
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

var (
	mountSource = regexp.MustCompile(`^(\w+):([^\[:]*)(?:\[(.*?)\])?`)
)

// mount judges a mounted volume by what the program finds at the path.
func (c *Comparison) mount(p place) Judgment {
	if strings.HasPrefix(p.want.Key, "(not mounted)") {
		return Judgment{Ignored, p.have}
	}
	if p.exists && sameSource(p.value, p.have) {
		return Judgment{Equivalent, p.have}
	}
	return Judgment{}
}

// sameSource reports whether a mount has the same content; the volume may be projected, or writable where the contract's is not.
func sameSource(want, have string) bool {
	source, mode := cutMode(want)
	has, hasMode := cutMode(have)
	same := has == source
	if parts, ok := strings.CutPrefix(has, "projected:"); ok {
		same = same || slices.Contains(strings.Split(parts, "+"), source)
	}
	return same && (mode == hasMode || hasMode == "rw" || !strings.Contains(source, "emptyDir"))
}

func cutMode(mount string) (source, mode string) {
	for _, mode := range []string{"ro", "rw"} {
		if source, ok := strings.CutSuffix(mount, ":"+mode); ok {
			return source, mode
		}
	}
	return mount, ""
}

// mountsOf returns the mounts of a container of this chart, by path.
func (c *Comparison) mountsOf(object facts.Object, container string) map[string]string {
	all, _ := c.look(object)
	return mounts(all, container)
}

func mounts(all facts.Facts, container string) map[string]string {
	found := map[string]string{}
	for fact, source := range all {
		if fact.Aspect == "mount" && fact.Container == container {
			found[fact.Key] = source
		}
	}
	return found
}

// mountedFile returns the source of a path in a container, such as secret:name/key; empty if it is not in a volume.
func mountedFile(mounts map[string]string, path string) string {
	best := ""
	for at := range mounts {
		if (path == at || strings.HasPrefix(path, strings.TrimSuffix(at, "/")+"/")) && len(at) > len(best) {
			best = at
		}
	}
	if best == "" {
		return ""
	}
	source := mountSource.FindStringSubmatch(mounts[best])
	rest := strings.Trim(path[len(best):], "/")
	for _, item := range strings.Split(source[3], ",") {
		if key, at, ok := strings.Cut(item, "="); ok && at == rest {
			rest = key
			break
		}
	}
	if rest == "" {
		rest = "(folder)"
	}
	return source[1] + ":" + source[2] + "/" + rest
}
