package facts

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// labels and annotations that programs, selectors or users search for. The rest, such as helm.sh/chart, changes with every version.
	labels      = regexp.MustCompile(`^(app|app\.kubernetes\.io/(name|instance|component|part-of)|([a-z.]*\.)?codefresh\.io/.*|io\.codefresh.*)$`)
	annotations = regexp.MustCompile(`^((argocd|workflows|events)\.argoproj\.io/.*|([a-z.]*\.)?codefresh\.io/.*|helm\.sh/resource-policy|kubernetes\.io/.*)$`)
)

func (m *maker) metadata(meta fields) {
	m.matching("label", "", labels, meta.sub("labels"))
	m.matching("annotation", "", annotations, meta.sub("annotations"))
	hook := meta.sub("annotations")
	if hook.has("helm.sh/hook") {
		m.add("hook", "events", sortedList(hook.text("helm.sh/hook")))
		m.add("hook", "weight", hook.or("helm.sh/hook-weight", "0"))
		m.add("hook", "deletePolicy", sortedList(hook.or("helm.sh/hook-delete-policy", "before-hook-creation")))
	}
}

func (m *maker) matching(aspect, prefix string, wanted *regexp.Regexp, from fields) {
	for key, value := range from {
		if wanted.MatchString(key) {
			m.add(aspect, prefix+key, value)
		}
	}
}

func sortedList(text string) string {
	items := strings.Split(text, ",")
	slices.Sort(items)
	return strings.Join(items, ",")
}
