package valueschema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/valueschema"
)

func TestCompileOnce(t *testing.T) {
	var cache valueschema.Cache
	first, err := cache.Compile([]byte(`{"type": "object"}`))
	require.NoError(t, err)
	again, err := cache.Compile([]byte(`{"type": "object"}`))
	require.NoError(t, err)
	assert.Same(t, first, again)
	cache.Forget()
	fresh, err := cache.Compile([]byte(`{"type": "object"}`))
	require.NoError(t, err)
	assert.NotSame(t, first, fresh)
	_, err = cache.Compile([]byte("{"))
	assert.ErrorContains(t, err, "values.schema.json: ")
}
