// Package hostile holds image-override to its bounds: its tests feed the
// program what breaks programs that read charts of others.
package hostile
