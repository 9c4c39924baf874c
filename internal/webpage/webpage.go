// Package webpage creates self-contained HTML pages: style and script are in the page, whose Content-Security-Policy allows them by their digests and
// forbids everything else, including network access. It does not know the content of the pages.
package webpage

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed style.css
var style string

//go:embed filter.js
var filter string

// frame is the page around the content. The script is at the end, after everything that it filters.
const frame = `{{define "begin"}}<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '{{.Style}}'; script-src '{{.Script}}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{{.Title}}</title>
<style>{{.CSS}}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>{{.Title}}</h1>
</header>
<main id="content" tabindex="-1">
{{end}}{{define "end"}}</main>
<footer>
<p>Made by {{.By}}.</p>
</footer>
<script>{{.JS}}</script>
</body>
</html>
{{end}}{{define "filter"}}<form data-filter hidden role="search" aria-label="Filter">
<label>Text <input type="search" name="text"></label>
{{range .}}<label><input type="checkbox" value="{{.Value}}" checked> {{.Name}}</label>
{{end}}<output aria-live="polite"></output>
</form>
{{end}}`

// Choice is a status that the filter offers: the value of data-status, and its name.
type Choice struct{ Value, Name string }

// Page writes one page from template parts.
type Page struct {
	parts *template.Template
	out   io.Writer
}

type head struct {
	Title, Style, Script string
	CSS                  template.CSS
}

type foot struct {
	By string
	JS template.JS
}

// Parse parses the templates of a page's parts. Each can use "filter", with a list of Choice.
func Parse(parts string) (*template.Template, error) {
	parsed, err := template.New("page").Parse(frame)
	if err != nil {
		return nil, err
	}
	return parsed.Parse(parts)
}

// Begin writes the part of a page before its content.
func Begin(out io.Writer, parts *template.Template, title string) (*Page, error) {
	clone, err := parts.Clone()
	if err != nil {
		return nil, err
	}
	page := &Page{parts: clone, out: out}
	//nolint:gosec // the style is this package's clone
	return page, page.Part("begin", head{Title: title, Style: digest(style), Script: digest(filter), CSS: template.CSS(style)})
}

// Part writes a part of the content.
func (p *Page) Part(name string, data any) error {
	if err := p.parts.ExecuteTemplate(p.out, name, data); err != nil {
		return fmt.Errorf("write a page: %w", err)
	}
	return nil
}

// End writes the part of a page after its content; by names the program and its version.
func (p *Page) End(by string) error {
	//nolint:gosec // the script is this package's own
	return p.Part("end", foot{By: strings.TrimSpace(by), JS: template.JS(filter)})
}

// digest returns the source expression of a text for a Content-Security-Policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
