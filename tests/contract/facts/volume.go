package facts

import (
	"maps"
	"slices"
	"strings"
)

// volumeSource returns the source of a volume: secret:name[key=path,...], configMap:name, emptyDir: and so on.
func volumeSource(volume fields) string {
	if volume == nil {
		return "?:?"
	}
	if source := volume.sub("secret"); source != nil {
		return "secret:" + source.text("secretName") + items(source) + optional(source)
	}
	if source := volume.sub("configMap"); source != nil {
		return "configMap:" + source.text("name") + items(source) + optional(source)
	}
	if volume.has("projected") {
		return "projected:" + strings.Join(projected(volume.sub("projected")), "+")
	}
	for _, which := range slices.Sorted(maps.Keys(volume)) {
		if which != "name" {
			return which + ":" + volume.sub(which).text("claimName")
		}
	}
	return "?:?"
}

func projected(of fields) []string {
	var parts []string
	for _, source := range of.subs("sources") {
		for _, which := range slices.Sorted(maps.Keys(source)) {
			part := which + ":" + source.sub(which).text("name")
			if which == "secret" || which == "configMap" {
				part += items(source.sub(which))
			}
			parts = append(parts, part+optional(source.sub(which)))
		}
	}
	return parts
}

func items(of fields) string {
	var all []string
	for _, item := range of.subs("items") {
		all = append(all, item.text("key")+"="+item.text("path"))
	}
	if len(all) == 0 {
		return ""
	}
	return "[" + strings.Join(all, ",") + "]"
}
