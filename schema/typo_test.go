package schema

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTypos(t *testing.T) {
	t.Parallel()
	known := []string{"httpProxy", "httpsProxy", "event-reporters"}
	for _, test := range []struct {
		word          string
		refused, free []string
	}{
		{"httpProxy", []string{"httProxy", "httpProxi", "htttpProxy", "httpPorxy", "HttpProxy", "httpProxys", "ttpProxy"}, []string{"httpProxy", "httpsProxy", "proxy", "http"}},
		{"httpsProxy", []string{"httpxProxy", "httpssProxy"}, []string{"httpProxy", "httpsProxy"}},
		{"event-reporters", []string{"eventreporters", "event_reporters", "event-reporter"}, []string{"event-reporters", "reporters"}},
	} {
		pattern := regexp.MustCompile(typos(test.word, known))
		for _, word := range test.refused {
			assert.True(t, pattern.MatchString(word), "%s is a typo of %s", word, test.word)
		}
		for _, word := range test.free {
			assert.False(t, pattern.MatchString(word), "%s is not a typo of %s", word, test.word)
		}
	}
}
