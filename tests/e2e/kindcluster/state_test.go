package kindcluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnfit(t *testing.T) {
	for want, found := range map[string]state{
		"is not there":         {},
		"does not run":         {exists: true},
		"was never finished":   {exists: true, running: true, healthy: true},
		"was made differently": {exists: true, running: true, healthy: true, fingerprint: "other"},
		"does not answer":      {exists: true, running: true, fingerprint: "wanted"},
		"":                     {exists: true, running: true, healthy: true, fingerprint: "wanted"},
	} {
		assert.Equal(t, want, found.unfit("wanted"))
	}
}
