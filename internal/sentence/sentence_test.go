package sentence

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSentencesAreReadBack(t *testing.T) {
	t.Parallel()
	said, ok := IsDropped(Dropped("It is gone", "Set a"))
	assert.True(t, ok)
	assert.Equal(t, "It is gone. Set a.", said)
	key, ok := IsDidYouMean(DidYouMean("image"))
	assert.True(t, ok)
	assert.Equal(t, "image", key)
	_, ok = IsDropped(DidYouMean("image"))
	assert.False(t, ok)
	_, ok = IsDidYouMean(Dropped("It is gone", "Set a"))
	assert.False(t, ok)
}
