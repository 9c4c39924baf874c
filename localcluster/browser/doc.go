// Package browser tries the HTML reports in Chromium: that the page's policy lets its own script run and nothing else, that the filter works, by
// keyboard, too, and that nothing has to be scrolled sideways on a narrow screen. The tests have the build tag browser, since they need one.
package browser
