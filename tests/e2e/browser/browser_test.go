//go:build browser

package browser_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages returns the golden files of both programs, which contain malicious text.
func pages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../../*/*page/testdata/*.html")
	require.NoError(t, err)
	previews, err := filepath.Glob("../../../validator/preview/testdata/*.html")
	require.NoError(t, err)
	require.Len(t, append(files, previews...), 5)
	return append(files, previews...)
}

// tab is an open page and the messages that the browser reports about it.
type tab struct {
	context context.Context
	said    []string
}

func open(t *testing.T, file string, before ...chromedp.Action) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))
	if program := os.Getenv("CHROMIUM"); program != "" {
		options = append(options, chromedp.ExecPath(program))
	}
	browser, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(browser)
	t.Cleanup(end)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	of := &tab{context: ctx}
	absolute, err := filepath.Abs(file)
	require.NoError(t, err)
	address := "file://" + absolute
	chromedp.ListenTarget(ctx, func(event any) {
		switch event := event.(type) {
		case *log.EventEntryAdded:
			of.said = append(of.said, event.Entry.Text)
		case *runtime.EventExceptionThrown:
			of.said = append(of.said, event.ExceptionDetails.Error())
		case *page.EventJavascriptDialogOpening:
			of.said = append(of.said, "a dialog: "+event.Message)
		case *network.EventRequestWillBeSent:
			if event.Request.URL != address {
				of.said = append(of.said, "requested "+event.Request.URL)
			}
		}
	})
	actions := append([]chromedp.Action{log.Enable(), network.Enable()}, before...)
	require.NoError(t, chromedp.Run(ctx, append(actions, chromedp.Navigate(address), chromedp.WaitReady("body"))...))
	return of
}

func ask[answer any](t *testing.T, of *tab, script string) answer {
	t.Helper()
	var got answer
	require.NoError(t, chromedp.Run(of.context, chromedp.Evaluate(script, &got)))
	return got
}

// Each page loads without messages of the browser and fits the screen of a phone.
func TestPages(t *testing.T) {
	for _, file := range pages(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, width := range []int64{360, 1280} {
				of := open(t, file, emulation.SetDeviceMetricsOverride(width, 800, 1, width < 500))
				assert.False(t, ask[bool](t, of, `document.querySelector("form[data-filter]").hidden`), "the script ran")
				wide := ask[int64](t, of, `document.documentElement.scrollWidth`)
				assert.LessOrEqual(t, wide, width, "the page needs no horizontal scrolling")
				assert.Equal(t, int64(0), ask[int64](t, of, `document.querySelectorAll("script:not(body > script), img").length`))
				assert.Empty(t, of.said)
			}
		})
	}
}

// The policy blocks an injected script, an injected style and a request.
func TestPolicy(t *testing.T) {
	of := open(t, "../../../validator/reportpage/testdata/one.html")
	ask[bool](t, of, `(() => { const s = document.createElement("script"); s.textContent = "window.ran = true"; document.body.append(s); return true })()`)
	assert.True(t, ask[bool](t, of, `window.ran === undefined`))
	ask[bool](t, of, `(() => { const s = document.createElement("style"); s.textContent = "body { display: none }"; document.body.append(s); return true })()`)
	assert.Equal(t, "block", ask[string](t, of, `getComputedStyle(document.body).display`))
	var refused bool
	require.NoError(t, chromedp.Run(of.context, chromedp.Evaluate(`fetch("https://example.com/").then(() => false, () => true)`, &refused,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) })))
	assert.True(t, refused)
}

// The filter of a batch works with the keyboard only.
func TestFilter(t *testing.T) {
	of := open(t, "../../../validator/reportpage/testdata/batch.html")
	shown := func() []string {
		return ask[[]string](t, of, `Array.from(document.querySelectorAll("details.file:not([hidden]) > summary > code"), (code) => code.textContent)`)
	}
	require.Len(t, shown(), 2)
	assert.Equal(t, "2 of 2 shown", ask[string](t, of, `document.querySelector("output").textContent`))
	// The skip link, the link to the summary, then the text of the filter.
	require.NoError(t, chromedp.Run(of.context, chromedp.KeyEvent(kb.Tab)))
	assert.Equal(t, "#content", ask[string](t, of, `document.activeElement.getAttribute("href")`))
	assert.Positive(t, ask[float64](t, of, `document.activeElement.getBoundingClientRect().left + 1`), "the focused skip link is visible")
	require.NoError(t, chromedp.Run(of.context, chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("FINE.yaml")))
	assert.Equal(t, []string{"fine.yaml"}, shown())
	assert.Equal(t, "1 of 2 shown", ask[string](t, of, `document.querySelector("output").textContent`))
	require.NoError(t, chromedp.Run(of.context, chromedp.KeyEvent(strings.Repeat(kb.Backspace, len("FINE.yaml")))))
	require.Len(t, shown(), 2)
	require.NoError(t, chromedp.Run(of.context, chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(" ")))
	assert.Equal(t, []string{"fine.yaml"}, shown(), "without failed entries")
	assert.Empty(t, of.said)
}

// Pages have the reader's color scheme.
func TestColors(t *testing.T) {
	var backgrounds []string
	for _, scheme := range []string{"light", "dark"} {
		of := open(t, "../../../imageoverride/proofpage/testdata/proved.html",
			emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		backgrounds = append(backgrounds, ask[string](t, of, `getComputedStyle(document.body).backgroundColor`))
	}
	assert.Equal(t, []string{"rgb(255, 255, 255)", "rgb(20, 22, 26)"}, backgrounds)
}
