//go:build !race

// These tests feed inputs to a process of its own, which is built without the race detector.

package main_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/hostile"
)

// silent starts a server that sends no response.
func silent(t *testing.T) (host string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server detects a closed connection only after it has read the body
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return strings.TrimPrefix(server.URL, "http://")
}

// stages are long-running stages of a run, during which a signal arrives. The folder contains a chart.
var stages = map[string]func(t *testing.T, folder string) []string{
	"values from a server": func(t *testing.T, _ string) []string {
		return []string{"generate", "chart", "--registry", "reg.corp", "-f", "http://" + silent(t)}
	},
	"values from a pipe": func(t *testing.T, folder string) []string {
		require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
		return []string{"generate", "chart", "--registry", "reg.corp", "-f", "pipe"}
	},
	"a chart from a registry": func(t *testing.T, _ string) []string {
		host := silent(t)
		return []string{"generate", "oci://" + host + "/x:1.0.0", "--plain-http", host, "--registry", "reg.corp"}
	},
	"a slow template": func(t *testing.T, folder string) []string {
		write(t, filepath.Join(folder, "chart/templates/t.yaml"), `{{ $x := repeat 20000000 "x" }}{{ range until 5000 }}{{ $y := sha256sum $x }}{{ end }}`)
		return []string{"generate", "chart", "--registry", "reg.corp"}
	},
	"a copy": func(t *testing.T, folder string) []string {
		host := silent(t)
		write(t, filepath.Join(folder, "table.csv"), "source_image,target_image\n"+host+"/a:1,"+host+"/b:1\n")
		return []string{"mirror", "table.csv", "--plain-http", host}
	},
	"a check of the mirror": func(t *testing.T, folder string) []string {
		host := silent(t)
		write(t, filepath.Join(folder, "table.csv"), "source_image,target_image\n"+host+"/a:1,"+host+"/b:1\n")
		return []string{"verify-mirror", "table.csv", "--plain-http", host}
	},
}

// SIGINT and SIGTERM end the program within a second at any stage; a second signal ends it immediately.
func TestSecurityReview7Signals(t *testing.T) {
	program := hostile.Build(t, ".")
	for stage, busy := range stages {
		for _, signals := range [][]syscall.Signal{{syscall.SIGINT}, {syscall.SIGTERM}, {syscall.SIGTERM, syscall.SIGINT}} {
			t.Run(fmt.Sprint(signals, " during ", stage), func(t *testing.T) {
				fastest := time.Hour
				for try := 0; try < 5 && fastest > time.Second; try++ { // slower tries are due to other processes
					folder := t.TempDir()
					write(t, filepath.Join(folder, "chart/Chart.yaml"), "apiVersion: v2\nname: a\nversion: 0.1.0\n")
					end := hostile.Interrupt(t, program, folder, busy(t, folder), signals...)
					assert.Contains(t, []int{1, 2, 128 + int(syscall.SIGINT), 128 + int(syscall.SIGTERM)}, end.Code, end.Text)
					fastest = min(fastest, end.Took)
				}
				assert.LessOrEqual(t, fastest, time.Second)
			})
		}
	}
}

// An export, a lock file and a journal are not written through symbolic links.
func TestSecurityReview11OutputsFollowLinks(t *testing.T) {
	program := hostile.Build(t, ".")
	for link, args := range map[string][]string{
		"out/image-list.txt":  {"generate", "chart", "--registry", "reg.corp"},
		"out/mirror-crane.sh": {"export", "table.csv", "--format", "crane"},
		"table.csv.journal":   {"mirror", "table.csv"},
		"image-lock.json":     {"lock", "table.csv"},
	} {
		t.Run(link, func(t *testing.T) {
			folder := t.TempDir()
			write(t, filepath.Join(folder, "chart/Chart.yaml"), "apiVersion: v2\nname: a\nversion: 0.1.0\n")
			write(t, filepath.Join(folder, "table.csv"), "source_image,target_image\n")
			write(t, filepath.Join(folder, "victim"), "keep")
			require.NoError(t, os.MkdirAll(filepath.Join(folder, "out"), 0o755))
			require.NoError(t, os.Symlink(filepath.Join(folder, "victim"), filepath.Join(folder, link)))
			end := hostile.Run(t, program, folder, args...)
			assert.Equal(t, 1, end.Code, end.Text)
			text, err := os.ReadFile(filepath.Join(folder, "victim"))
			require.NoError(t, err)
			assert.Equal(t, "keep", string(text))
		})
	}
}
