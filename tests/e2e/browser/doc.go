// Package browser tests the HTML reports in Chromium: that the page's policy allows only its own script, that the filter works, also with the keyboard,
// and that a narrow screen needs no horizontal scrolling. The tests have the build tag browser, since they need one.
package browser
