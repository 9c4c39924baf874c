package webpage_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/webpage"
	"gitops-runtime/internal/webpage/webpagetest"
)

func page(t *testing.T, parts string, data any) string {
	t.Helper()
	templates, err := webpage.Parse(parts)
	require.NoError(t, err)
	var out bytes.Buffer
	made, err := webpage.Begin(&out, templates, "A <page>")
	require.NoError(t, err)
	require.NoError(t, made.Part("content", data))
	require.NoError(t, made.End("a program"))
	return out.String()
}

func TestPage(t *testing.T) {
	t.Parallel()
	text := page(t, `{{define "content"}}{{template "filter" .}}<p data-status="a">x</p>{{end}}`, []webpage.Choice{{Value: "a", Name: "<b>"}})
	assert.Empty(t, webpagetest.Faults(text))
	assert.Contains(t, text, "<title>A &lt;page&gt;</title>")
	assert.Contains(t, text, `<label><input type="checkbox" value="a" checked> &lt;b&gt;</label>`)
	assert.Contains(t, text, "<p>Made by a program.</p>")
}

// Each violated rule is reported.
func TestFaults(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`<img src="https://example.com/x.png">`: "requests https://example.com/x.png",
		`<p onclick="x">`:                       "has the attribute onclick",
		`<a href="https://example.com">x</a>`:   "a link points to https://example.com",
		`<a href="#gone">x</a>`:                 "a link points to #gone, an ID that 0 elements have",
		`<input name="x">`:                      "an input has no label",
		`<h3>x</h3>`:                            "a heading h3 follows one of level 1",
		`<script>alert(1)</script>`:             "there are 2 elements script",
		`<table><tr><th>x</th></tr></table>`:    "a heading of a table has no scope",
		`<main></main>`:                         "there are 2 elements main",
	} {
		assert.Contains(t, strings.Join(webpagetest.Faults(page(t, `{{define "content"}}`+content+`{{end}}`, nil)), "\n"), want, content)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestErrors(t *testing.T) {
	t.Parallel()
	_, err := webpage.Parse("{{")
	require.Error(t, err)
	templates, err := webpage.Parse("")
	require.NoError(t, err)
	_, err = webpage.Begin(broken{}, templates, "x")
	assert.ErrorContains(t, err, "write a page: full")
}

// Every text color has the contrast of WCAG 2.2, level AA (4.5 to 1), on both backgrounds, in light and dark mode.
func TestContrast(t *testing.T) {
	t.Parallel()
	style, err := os.ReadFile("style.css")
	require.NoError(t, err)
	schemes := regexp.MustCompile(`:root \{[^}]*--back[^}]*\}`).FindAllString(string(style), -1)
	require.Len(t, schemes, 2)
	for _, scheme := range schemes {
		colors := map[string]float64{}
		for _, found := range regexp.MustCompile(`--(\w+): #(\w{6})`).FindAllStringSubmatch(scheme, -1) {
			colors[found[1]] = luminance(t, found[2])
		}
		for _, back := range []string{"back", "panel"} {
			for _, text := range []string{"text", "muted", "fail", "warn", "ok", "note"} {
				light, dark := max(colors[back], colors[text]), min(colors[back], colors[text])
				assert.GreaterOrEqual(t, (light+0.05)/(dark+0.05), 4.5, "%s on %s in %s", text, back, scheme)
			}
		}
	}
}

// luminance is the relative luminance of a color, as WCAG 2.2 defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		value := float64(part) / 255
		if value <= 0.04045 {
			value /= 12.92
		} else {
			value = math.Pow((value+0.055)/1.055, 2.4)
		}
		sum += weight * value
	}
	return sum
}
