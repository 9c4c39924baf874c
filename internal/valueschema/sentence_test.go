package valueschema

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSentencesAreReadBack(t *testing.T) {
	t.Parallel()
	said, ok := ReadDropped(DroppedSentence("It is gone", "Set a"))
	assert.True(t, ok)
	assert.Equal(t, "It is gone. Set a.", said)
	key, ok := ReadTypo(TypoSentence("image"))
	assert.True(t, ok)
	assert.Equal(t, "image", key)
	_, ok = ReadDropped(TypoSentence("image"))
	assert.False(t, ok)
	_, ok = ReadTypo(DroppedSentence("It is gone", "Set a"))
	assert.False(t, ok)
}
