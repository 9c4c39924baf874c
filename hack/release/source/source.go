// Package source describes the sources of a release: the commit of the checkout, its time, and the repository's URL.
package source

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Source describes the sources of a release.
type Source struct {
	// Revision is the commit.
	Revision string
	// Dirty is true if the checkout had changes that were not committed: the content is then not that of the commit.
	Dirty bool
	// Time is the time of the commit; everything that is published has this time, so that the same commit produces the same bytes.
	Time time.Time
	// URL is the public URL of the repository, https://host/path; empty if it was not given and the clone has no such origin.
	URL string
}

// Read reads the state of the checkout at root from Git. Uncommitted changes are an error unless dirty is set.
func Read(ctx context.Context, root, url string, dirty bool) (Source, error) {
	changes, err := git(ctx, root, "status", "--porcelain")
	if err != nil {
		return Source{}, err
	}
	if changes != "" && !dirty {
		return Source{}, errors.New("the checkout has changes that are not committed, so that the build could not be reproduced; commit them, or publish anyway with --dirty")
	}
	log, err := git(ctx, root, "log", "-1", "--format=%H %ct")
	if err != nil {
		return Source{}, err
	}
	revision, seconds, _ := strings.Cut(log, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return Source{}, fmt.Errorf("read the time of commit %s: %w", revision, err)
	}
	if url == "" {
		// a clone may have no origin
		origin, _ := git(ctx, root, "remote", "get-url", "origin")
		url = public(origin)
	}
	return Source{Revision: revision, Dirty: changes != "", Time: time.Unix(at, 0).UTC(), URL: url}, nil
}

// Name returns the commit, with a suffix if the content differs from it.
func (s Source) Name() string {
	if s.Dirty {
		return s.Revision + "-dirty"
	}
	return s.Revision
}

// public returns the URL of an origin without credentials; empty for an origin that is not an https:// URL.
func public(origin string) string {
	rest, found := strings.CutPrefix(origin, "https://")
	if !found {
		return ""
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = rest[at+1:]
	}
	return "https://" + strings.TrimSuffix(rest, ".git")
}

func git(ctx context.Context, root string, arguments ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, arguments...)...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("git %s in %s: %w: %s", arguments[0], root, err, strings.TrimSpace(string(failed.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w", arguments[0], root, err)
	}
	return strings.TrimSpace(string(out)), nil
}
