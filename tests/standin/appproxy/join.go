package appproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// joinedFile is the file of certificates that the main container trusts, by NODE_EXTRA_CA_CERTS.
const joinedFile = "all.cer"

// Join implements the init container: it joins the certificates of the mounted folders into one file. A folder that is not mounted has none. The file
// is always created.
func Join(ctx context.Context, given InitSettings, log *slog.Logger) error {
	var joined bytes.Buffer
	count := 0
	for _, folder := range []string{given.GitCertificates, given.PlatformCertificates} {
		names, err := certificateFiles(folder)
		if err != nil {
			return err
		}
		for _, name := range names {
			document, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				return fmt.Errorf("reading a certificate: %w", err)
			}
			joined.Write(bytes.TrimSpace(document))
			joined.WriteByte('\n')
			count++
		}
	}
	if err := os.WriteFile(filepath.Join(given.Joined, joinedFile), joined.Bytes(), 0o644); err != nil { //nolint:gosec // public certificates
		return fmt.Errorf("writing the joined certificates: %w", err)
	}
	log.InfoContext(ctx, "joined the certificates", "files", count)
	return nil
}

// certificateFiles returns the names of a folder's files, without the hidden files of a mounted Secret.
func certificateFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing certificates: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}
