package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mapping"
)

// A parsed reference that is formatted and parsed again is equal, and its target is in the registry.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"nats", "quay.io/a/b:1@" + sum, "localhost:5000/a", "[::1]:5000/a:1", "A/b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		image, err := mapping.Parse(text)
		if err != nil {
			return
		}
		again, err := mapping.Parse(image.String())
		require.NoError(t, err, text)
		require.Equal(t, image, again)
		for _, strategy := range []mapping.Strategy{mapping.HostPrefix, mapping.KeepPath, mapping.Flat} {
			mapper, err := mapping.New("reg.corp/x", strategy, nil)
			require.NoError(t, err)
			require.True(t, mapper.Private(mapper.Target(image)))
			pairs, err := mapper.Pairs([]mapping.Image{image})
			if err != nil {
				require.Greater(t, len(mapper.Target(image).Path), 200, "a short name has no target")
				continue
			}
			for _, pair := range pairs {
				_, err = mapping.Parse(pair.Target)
				require.NoError(t, err, text)
			}
		}
	})
}
