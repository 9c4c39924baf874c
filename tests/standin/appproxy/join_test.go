package appproxy_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/appproxy"
)

// urls replaces URL in a text.
func urls(text, url string) string { return strings.ReplaceAll(text, "URL", url) }

func TestJoin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		git, platform map[string]string
		joined        string
	}{
		"both":          {map[string]string{"git.example.com": "A\n\n", "a.example.com": "B"}, map[string]string{"ca.crt": "C", "..data": "hidden"}, "B\nA\nC\n"},
		"platform only": {nil, map[string]string{"ca.crt": "C"}, "C\n"},
		"none":          {nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			given := appproxy.InitSettings{GitCertificates: filepath.Join(folder, "git"), PlatformCertificates: filepath.Join(folder, "platform"), Joined: folder}
			for target, files := range map[string]map[string]string{given.GitCertificates: test.git, given.PlatformCertificates: test.platform} {
				if files != nil {
					require.NoError(t, os.Mkdir(target, 0o700))
				}
				for file, text := range files {
					require.NoError(t, os.WriteFile(filepath.Join(target, file), []byte(text), 0o600))
				}
			}
			require.NoError(t, appproxy.Join(t.Context(), given, slog.New(slog.DiscardHandler)))
			joined, err := os.ReadFile(filepath.Join(folder, "all.cer"))
			require.NoError(t, err)
			require.Equal(t, test.joined, string(joined))
		})
	}
}

func TestJoinFails(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.ErrorContains(t, appproxy.Join(t.Context(), appproxy.InitSettings{Joined: filepath.Join(folder, "none")}, slog.New(slog.DiscardHandler)), "writing the joined certificates: ")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o600))
	require.ErrorContains(t, appproxy.Join(t.Context(), appproxy.InitSettings{GitCertificates: filepath.Join(folder, "file"), Joined: folder}, slog.New(slog.DiscardHandler)), "listing certificates: ")
}
