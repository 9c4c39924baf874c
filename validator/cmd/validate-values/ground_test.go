//go:build !race

// These tests feed inputs to a process of its own, which is built without the race detector.

package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
)

// ground is the environment of a malicious input: a folder, and servers.
type ground struct {
	*testing.T
	folder string
	env    []string // of the program, as NAME=value
}

// write writes a text to a file below the folder, and returns its path.
func (g *ground) write(name, text string) string {
	g.Helper()
	path := filepath.Join(g.folder, name)
	testkit.WriteFile(g, path, text)
	return path
}

// values returns the arguments for a values file with this text.
func (g *ground) values(text string) []string {
	g.Helper()
	return []string{"-f", g.write("values.yaml", text)}
}

// chart returns the arguments for a chart directory with these files.
func (g *ground) chart(files ...string) []string {
	g.Helper()
	for i := 0; i < len(files); i += 2 {
		g.write(filepath.Join("chart", files[i]), files[i+1])
	}
	if len(files) == 0 || files[0] != "Chart.yaml" {
		g.write("chart/Chart.yaml", "name: gitops-runtime\nversion: 1.0.0\n")
	}
	return append(g.values("global: {runtime: {name: local}}\n"), "--chart", filepath.Join(g.folder, "chart"))
}

// packed returns the arguments for a packaged chart.
func (g *ground) packed(archive []byte) []string {
	g.Helper()
	return append(g.values("global: {runtime: {name: local}}\n"), "--chart", g.write("chart.tgz", string(archive)))
}

// serve starts a server and returns its address.
func (g *ground) serve(handler http.HandlerFunc) string {
	g.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = nil
	server.Start()
	g.Cleanup(server.Close)
	g.Cleanup(server.CloseClientConnections)
	return server.URL
}

// withPlatform returns the arguments for values with this platform URL.
func (g *ground) withPlatform(address string) []string {
	g.Helper()
	return g.values(fmt.Sprintf("global:\n  codefresh: {url: %q, allowInsecureHTTP: true, accountId: acc1, userToken: {token: canary-token}}\n"+
		"  runtime: {name: local, gitCredentials: {password: {value: canary-password}}}\n", address))
}

// platform returns the arguments for values whose platform responds to every request with this text.
func (g *ground) platform(reply string) []string {
	g.Helper()
	return g.withPlatform(g.serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(reply)) }))
}

// git returns the arguments for values whose account has a Git provider that this handler implements.
func (g *ground) git(provider string, handler http.HandlerFunc) []string {
	g.Helper()
	return g.platform(fmt.Sprintf(`{"data":{"me":{"id":"u","name":"n","activeAccount":{"id":"acc1","name":"a","admins":["u"],"gitProvider":%q,"gitApiUrl":%q}}}}`,
		provider, g.serve(handler)))
}

// entry is a file in an archive.
type entry struct {
	name string
	data []byte
	kind byte
	link string
}

// archive returns a chart archive with these entries, as `helm package` creates it.
func (g *ground) archive(entries ...entry) []byte {
	g.Helper()
	var data bytes.Buffer
	zipped := gzip.NewWriter(&data)
	packed := tar.NewWriter(zipped)
	for _, one := range entries {
		header := &tar.Header{Name: one.name, Mode: 0o644, Size: int64(len(one.data)), Typeflag: tar.TypeReg}
		if one.kind != 0 {
			header.Typeflag, header.Linkname, header.Size = one.kind, one.link, 0
		}
		require.NoError(g, packed.WriteHeader(header))
		_, err := packed.Write(one.data)
		require.NoError(g, err)
	}
	require.NoError(g, packed.Close())
	require.NoError(g, zipped.Close())
	return data.Bytes()
}

// endless responds with a body that does not end before the client closes the connection.
func endless(begin, again string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, err := w.Write([]byte(begin))
		for block := []byte(strings.Repeat(again, 1<<16/len(again)+1)); err == nil && r.Context().Err() == nil; {
			_, err = w.Write(block)
		}
	}
}
