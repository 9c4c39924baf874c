package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/store"
)

func none(string) string { return "" }

func at(day int) string {
	return store.Name("codefresh", "cf", time.Date(2026, 1, day, 2, 30, 0, 0, time.UTC))
}

// A folder keeps the newest archives of a release, and nothing else in it is touched.
func TestFolder(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	opened, name, err := store.Open(path+"/", none)
	require.NoError(t, err)
	assert.Empty(t, name)
	_, err = store.Newest(t.Context(), opened, "x/")
	assert.EqualError(t, err, "x/: there is no archive")
	assert.Equal(t, "codefresh-cf-20260103T023000Z.age", at(3))
	others := []string{"notes.txt", "other-cf-20200101T000000Z.age", "codefresh-cf-1.age"}
	for _, each := range others {
		require.NoError(t, os.WriteFile(filepath.Join(path, each), []byte("x"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(path, at(1)), 0o700))
	for day := 2; day <= 9; day++ {
		require.NoError(t, opened.Put(t.Context(), at(day), []byte(at(day))))
	}
	removed, err := store.Prune(t.Context(), opened, at(9), 3)
	require.NoError(t, err)
	assert.Equal(t, []string{at(2), at(3), at(4), at(5), at(6)}, removed)
	names, err := opened.List(t.Context())
	require.NoError(t, err)
	assert.ElementsMatch(t, append(slices.Clone(others), at(7), at(8), at(9)), names)
	_, err = store.Newest(t.Context(), opened, "x/")
	assert.EqualError(t, err, "x/: there are archives of several runtimes: name one, such as codefresh-cf-20260109T023000Z.age or other-cf-20200101T000000Z.age")
	require.NoError(t, opened.Remove(t.Context(), others[1]))
	newest, err := store.Newest(t.Context(), opened, "x/")
	require.NoError(t, err)
	assert.Equal(t, at(9), newest)
	content, err := opened.Get(t.Context(), newest)
	require.NoError(t, err)
	assert.Equal(t, at(9), string(content))
	info, err := os.Stat(filepath.Join(path, at(9)))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestOpen(t *testing.T) {
	t.Parallel()
	keys := map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "canary"}
	with := func(name, value string) map[string]string {
		return map[string]string{name: value, "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "canary"}
	}
	const noServer = "AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL is not a URL of a server, such as https://minio.example.com:9000"
	for path, test := range map[string]struct {
		env        map[string]string
		name, want string
	}{
		"runtime.age":                 {nil, "runtime.age", ""},
		"a/b/runtime.age":             {nil, "runtime.age", ""},
		"s3://backups/runtime.age":    {keys, "runtime.age", ""},
		"s3://backups/a/":             {keys, "", ""},
		"s3://backups":                {keys, "", "s3://backups names no archive: give s3://BUCKET/NAME, or s3://BUCKET/FOLDER/ for archives by time"},
		"s3://b/x":                    {keys, "x", `"b" is not the name of a bucket: Bucket name cannot be shorter than 3 characters`},
		"s3:///a":                     {keys, "", "s3:///a names no archive: give s3://BUCKET/NAME, or s3://BUCKET/FOLDER/ for archives by time"},
		"s3://backups/x":              {nil, "x", "no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or give the service account a role of AWS"},
		"s3://backups/role":           {map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn"}, "role", ""},
		"s3://backups/path":           {with("AWS_ENDPOINT_URL_S3", "https://e.example.com/s3"), "path", noServer},
		"s3://backups/with-password":  {with("AWS_ENDPOINT_URL", "https://user:canary@e.example.com"), "with-password", noServer},
		"s3://backups/another-scheme": {with("AWS_ENDPOINT_URL", "ftp://e.example.com"), "another-scheme", noServer},
	} {
		_, name, err := store.Open(path, func(name string) string { return test.env[name] })
		assert.Equal(t, test.name, name, path)
		if test.want == "" {
			assert.NoError(t, err, path)
			continue
		}
		assert.EqualError(t, err, test.want, path)
	}
}

// unremovable is a store from which nothing can be removed.
type unremovable struct{ store.Store }

func (unremovable) Remove(context.Context, string) error { return errors.New("denied") }

func TestPruneFails(t *testing.T) {
	t.Parallel()
	opened, _, err := store.Open(t.TempDir()+"/", none)
	require.NoError(t, err)
	for day := 1; day <= 3; day++ {
		require.NoError(t, opened.Put(t.Context(), at(day), nil))
	}
	removed, err := store.Prune(t.Context(), unremovable{opened}, at(3), 1)
	assert.EqualError(t, err, "denied")
	assert.Empty(t, removed)
	gone, _, err := store.Open("missing/runtime.age", none)
	require.NoError(t, err)
	_, err = gone.List(t.Context())
	assert.EqualError(t, err, "missing/: no such file")
	_, err = gone.Get(t.Context(), "runtime.age")
	assert.EqualError(t, err, "missing/runtime.age: no such file")
	assert.Error(t, gone.Put(t.Context(), "runtime.age", nil))
	assert.EqualError(t, gone.Remove(t.Context(), "runtime.age"), "missing/runtime.age: no such file")
}
