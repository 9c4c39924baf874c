// Package bucket_test tests backups to a bucket with a server of S3's protocol, whose modules the root does not require.
package bucket_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/store"
)

// server is a server of S3's protocol with one bucket, which verifies signatures and can cut uploads.
type server struct {
	*httptest.Server
	backend *s3mem.Backend
	cut     atomic.Bool
	uploads atomic.Int32
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{backend: s3mem.New()}
	require.NoError(t, s.backend.CreateBucket(t.Context(), "backups"))
	answer := gofakes3.New(s.backend, gofakes3.WithV4Auth(map[string]string{"backup": "canary-of-a-secret"})).Server()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			s.uploads.Add(1)
			if s.cut.Load() {
				_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
				panic(http.ErrAbortHandler) // closes the connection
			}
		}
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) open(t *testing.T, path, secret string) store.Store {
	t.Helper()
	opened, _, err := store.Open(path, func(name string) string {
		return map[string]string{"AWS_ENDPOINT_URL_S3": s.URL, "AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "backup", "AWS_SECRET_ACCESS_KEY": secret}[name]
	})
	require.NoError(t, err)
	return opened
}

func named(day int) string {
	return store.Name("codefresh", "cf", time.Date(2026, 1, day, 2, 30, 0, 0, time.UTC))
}

// Archives are written, read, listed and removed; those of other folders are left alone.
func TestBucket(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	in, below := s.open(t, "s3://backups/runtimes/", "canary-of-a-secret"), s.open(t, "s3://backups/runtimes/below/", "canary-of-a-secret")
	require.NoError(t, below.Put(t.Context(), named(1), []byte("other")))
	large := bytes.Repeat([]byte("0123456789abcdef"), 40<<16) // 40 MiB, in one request
	for day := 1; day <= 4; day++ {
		require.NoError(t, in.Put(t.Context(), named(day), large[day:]))
	}
	assert.Equal(t, int32(5), s.uploads.Load())
	removed, err := store.Prune(t.Context(), in, named(4), 2)
	require.NoError(t, err)
	assert.Equal(t, []string{named(1), named(2)}, removed)
	newest, err := store.Newest(t.Context(), in, "s3://backups/runtimes/")
	require.NoError(t, err)
	assert.Equal(t, named(4), newest)
	content, err := in.Get(t.Context(), newest)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(large[4:], content))
	names, err := below.List(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{named(1)}, names)
}

// Each error is a sentence without credentials.
func TestBucketRefuses(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	gone := newServer(t)
	gone.Close()
	host := func(of *server) string { return of.Listener.Addr().String() }
	for name, test := range map[string]struct {
		in   store.Store
		want string
	}{
		"secret": {s.open(t, "s3://backups/x/", "another-secret"), "s3://backups/x/runtime.age at " + host(s) + ": the server rejects the credentials (SignatureDoesNotMatch)"},
		"bucket": {s.open(t, "s3://missing/x/", "canary-of-a-secret"), "s3://missing/x/runtime.age at " + host(s) + ": the bucket does not exist: create it, or correct its name"},
		"server": {gone.open(t, "s3://backups/x/", "canary-of-a-secret"), "s3://backups/x/runtime.age at " + host(gone) + ": TCP " + host(gone) + ": connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.EqualError(t, test.in.Put(t.Context(), "runtime.age", []byte("x")), "write "+test.want)
			_, err := test.in.Get(t.Context(), "runtime.age")
			assert.EqualError(t, err, "read "+test.want)
			_, err = test.in.List(t.Context())
			assert.ErrorContains(t, err, "list s3://")
			assert.NotContains(t, err.Error(), "canary-of-a-secret")
		})
	}
	_, err := s.open(t, "s3://backups/x/", "canary-of-a-secret").Get(t.Context(), "runtime.age")
	assert.EqualError(t, err, "read s3://backups/x/runtime.age at "+host(s)+": there is no such archive")
}

// After an upload that was interrupted there is no archive, and the older ones are untouched.
func TestBucketUploadIsInterrupted(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	in := s.open(t, "s3://backups/", "canary-of-a-secret")
	require.NoError(t, in.Put(t.Context(), named(1), []byte("old")))
	s.cut.Store(true)
	large := make([]byte, 20<<20)
	require.ErrorContains(t, in.Put(t.Context(), named(2), large), "write s3://backups/"+named(2)+" at ")
	assert.Equal(t, int32(4), s.uploads.Load(), "an upload is repeated twice")
	s.cut.Store(false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, in.Put(ctx, named(2), large))
	names, err := in.List(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{named(1)}, names)
	require.NoError(t, in.Put(t.Context(), named(2), large))
	content, err := in.Get(t.Context(), named(2))
	require.NoError(t, err)
	assert.Len(t, content, len(large))
}
