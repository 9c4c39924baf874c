//go:build e2e

package e2e_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// variable parses an environment variable; the default is usual.
func variable[T any](t *testing.T, name string, usual T, parse func(string) (T, error)) T {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	value, err := parse(text)
	require.NoError(t, err, "the environment variable %s", name)
	return value
}
