package contract

import (
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

var (
	optionalSecret = regexp.MustCompile(`^secret:([^\[:]*)(\[.*\])?:optional`)
	mountSource    = regexp.MustCompile(`^(\w+):([^\[:]*)(?:\[(.*?)\])?`)
)

// mount judges a mounted volume by what the program finds at the path.
func (c *Comparison) mount(p place) Judgment {
	if strings.HasPrefix(p.want.Key, "(not mounted)") {
		return Judgment{Ignored, p.have}
	}
	if p.there {
		if sameSource(p.value, p.have) {
			return Judgment{Equivalent, p.have}
		}
		return Judgment{}
	}
	if secret := optionalSecret.FindStringSubmatch(p.value); secret != nil && !c.contract.given[secret[1]] {
		if _, made := c.contract.objects[facts.Object{Kind: "Secret", Name: secret[1]}]; !made {
			return Judgment{Outcome: Inert}
		}
	}
	return c.elsewhere(p)
}

// sameSource reports whether a mount shows the same, if by a projected volume, or writable where the contract's is not.
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

// elsewhere accepts another path where variables name the files at it, and each of them is kept.
func (c *Comparison) elsewhere(p place) Judgment {
	var told []string
	for fact, value := range c.contract.containerFacts(p.want.Object, p.want.Container, "env") {
		if strings.HasPrefix(value, "literal:"+p.want.Key+"/") {
			if found := c.Judge(fact, value).Outcome; found != Satisfied && found != Equivalent {
				return Judgment{}
			}
			told = append(told, fact.Key)
		}
	}
	if len(told) == 0 {
		return Judgment{}
	}
	slices.Sort(told)
	return Judgment{Equivalent, "elsewhere, where " + strings.Join(told, ",") + " points"}
}

// mountsOf returns what a container of this chart has mounted, by path.
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

// mountedFile is what a path in a container is, such as secret:name/key; empty where it is of no volume.
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
