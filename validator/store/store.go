// Package store stores the archives of backups in a folder, or in a bucket with the S3 protocol. An archive is stored completely or not at all. The package does
// not know what archives contain.
package store

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Store is a folder or a bucket.
type Store interface {
	// Put stores an archive; if it fails, the archive does not exist.
	Put(ctx context.Context, name string, content []byte) error
	// Get reads an archive.
	Get(ctx context.Context, name string) ([]byte, error)
	// List returns the names of the archives, without those in folders below.
	List(ctx context.Context) ([]string, error)
	// Remove removes an archive.
	Remove(ctx context.Context, name string) error
}

// MaxArchive is the maximum size of an archive in bytes, encrypted and decrypted.
const MaxArchive = 48 << 20

// Open returns the store of a path, and the name of the archive in it: s3://bucket/folder/name or folder/name. The name is empty for a path that ends with a
// slash, whose archives have the names of Name.
func Open(path string, getenv func(string) string) (Store, string, error) {
	if rest, is := strings.CutPrefix(path, "s3://"); is {
		bucket, key, slash := strings.Cut(rest, "/")
		if bucket == "" || !slash {
			return nil, "", fmt.Errorf("%s names no archive: give s3://BUCKET/NAME, or s3://BUCKET/FOLDER/ for archives by time", path)
		}
		at := strings.LastIndex(key, "/") + 1
		opened, err := openBucket(bucket, key[:at], getenv)
		return opened, key[at:], err
	}
	at := strings.LastIndex(path, "/") + 1
	return folder(cmp.Or(path[:at], ".")), path[at:], nil
}

// stamp is the form of the time in names, which sorts archives by age, and stamped matches the names.
const stamp = "20060102T150405Z"

var stamped = regexp.MustCompile(`^(.+)-[0-9]{8}T[0-9]{6}Z\.age$`)

// Name returns the name of the archive of a release that was made at a time.
func Name(namespace, release string, made time.Time) string {
	return fmt.Sprintf("%s-%s-%s.age", namespace, release, made.UTC().Format(stamp))
}

// Newest returns the name of the newest archive of a store, whose path messages name.
func Newest(ctx context.Context, in Store, path string) (string, error) {
	names, err := in.List(ctx)
	if err != nil {
		return "", err
	}
	newest := map[string]string{}
	for _, name := range names {
		if match := stamped.FindStringSubmatch(name); match != nil {
			newest[match[1]] = max(newest[match[1]], name)
		}
	}
	switch len(newest) {
	case 0:
		return "", fmt.Errorf("%s: there is no archive", path)
	case 1:
		for _, name := range newest {
			return name, nil
		}
	}
	var all []string
	for _, name := range newest {
		all = append(all, name)
	}
	slices.Sort(all)
	return "", fmt.Errorf("%s: there are archives of several runtimes: name one, such as %s", path, strings.Join(all, " or "))
}

// Prune removes the oldest archives of the release of an archive until a number of them is left, and returns the names of those that it has removed.
func Prune(ctx context.Context, in Store, name string, keep int) ([]string, error) {
	own := stamped.FindStringSubmatch(name)
	names, err := in.List(ctx)
	if err != nil || own == nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(each string) bool {
		match := stamped.FindStringSubmatch(each)
		return match == nil || match[1] != own[1]
	})
	slices.Sort(names)
	var removed []string
	for _, each := range names[:max(0, len(names)-keep)] {
		if err := in.Remove(ctx, each); err != nil {
			return removed, err
		}
		removed = append(removed, each)
	}
	return removed, nil
}
