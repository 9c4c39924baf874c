// Package export writes a mirror table in the formats of other programs. A format that cannot express the target of every image is rejected, not
// approximated.
package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/imageoverride/mapping"
)

// Files contains file contents by path relative to the output folder.
type Files map[string][]byte

// formats maps the name of each format to the function that writes it.
var formats = map[string]func([]line) (Files, error){
	"crane":       crane,
	"regsync":     regsync,
	"skopeo":      skopeo,
	"hosts":       hosts,
	"annotations": annotations,
}

// Formats returns the names of the formats, sorted.
func Formats() []string {
	return slices.Sorted(maps.Keys(formats))
}

// line is a pair with its parsed references.
type line struct {
	pair           mapping.Pair
	source, target mapping.Image
}

// Write returns the files of a mirror table in a format.
func Write(format string, pairs []mapping.Pair) (Files, error) {
	write, ok := formats[format]
	if !ok {
		return nil, fmt.Errorf("--format %q is unknown; choose one of %s", format, strings.Join(Formats(), ", "))
	}
	lines := make([]line, 0, len(pairs))
	for _, pair := range pairs {
		source, err := mapping.Parse(pair.Source)
		if err != nil {
			return nil, err
		}
		target, err := mapping.Parse(pair.Target)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line{pair: pair, source: source, target: target})
	}
	files, err := write(lines)
	if err != nil {
		return nil, fmt.Errorf("format %s cannot express this mapping: %w", format, err)
	}
	return files, nil
}

// prefixes returns the target prefix of each source host. If the images of a host do not all keep their path below one prefix, the error names one.
func prefixes(lines []line) (map[string]string, error) {
	all := map[string]string{}
	for _, l := range lines {
		prefix, ok := strings.CutSuffix(l.target.Name(), "/"+l.source.Path)
		if known, seen := all[l.source.Host]; !ok || seen && known != prefix {
			return nil, fmt.Errorf("%s goes to %s, which is not its path below one place for all of %s; generate with --strategy %s", l.pair.Source, l.pair.Target, l.source.Host, mapping.HostPrefix)
		}
		all[l.source.Host] = prefix
	}
	return all, nil
}
