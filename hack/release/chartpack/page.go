package chartpack

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// relative matches a link to a path, with its text, path and anchor; not a URL or a heading of the same page.
var relative = regexp.MustCompile(`\[([^\[\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)`)

// withoutLinks is the last paragraph of a page whose links were left out.
const withoutLinks = "\nThe repository of this chart is not known here, so links to its other pages are left out.\n"

// page returns a Markdown page of a chart as it is published. ArtifactHub shows pages without the repository around them, so that links are URLs of the
// repository; if none is known, links within the chart stay, and the others become plain text.
func (p Place) page(of *chart.Chart, name string, text []byte) []byte {
	folder, omitted := path.Join("charts", of.Name()), false
	text = relative.ReplaceAllFunc(p.registry(text), func(found []byte) []byte {
		parts := relative.FindSubmatch(found)
		target := path.Join(folder, path.Dir(name), string(parts[2]))
		page := p.Address.Page(p.Revision, target)
		switch {
		case page != "":
			return []byte("[" + string(parts[1]) + "](" + page + string(parts[3]) + ")")
		case contains(of, strings.TrimPrefix(target, folder+"/")):
			return found
		}
		omitted = true
		return parts[1]
	})
	if omitted {
		text = append(bytes.TrimSuffix(text, []byte("\n")), "\n"+withoutLinks...)
	}
	return text
}

// contains reports whether a chart has a file, or files in a folder.
func contains(of *chart.Chart, name string) bool {
	return slices.ContainsFunc(of.Raw, func(file *chart.File) bool { return file.Name == name || strings.HasPrefix(file.Name, name+"/") })
}

// registry returns a text with the registry that is published to, in place of the one that the checkout shows.
func (p Place) registry(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte(p.Address.ShownRegistry()), []byte(p.Registry))
}
