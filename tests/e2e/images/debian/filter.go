package debian

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"gitops-runtime/tests/e2e/images/ocilayer"
)

// dropped contains folders whose contents containers do not need; the empty folders are kept.
var dropped = []string{
	"/dev", "/var/cache", "/var/log", "/var/lib/apt", "/run", "/tmp",
	"/usr/share/locale", "/usr/share/man", "/usr/share/info", "/usr/share/lintian", "/usr/share/doc",
	"/etc/init.d", "/etc/systemd", "/usr/lib/systemd", "/etc/redis", "/var/lib/redis",
	"/etc/rc0.d", "/etc/rc1.d", "/etc/rc2.d", "/etc/rc3.d", "/etc/rc4.d", "/etc/rc5.d", "/etc/rc6.d", "/etc/rcS.d",
}

// droppedFiles are specific to the machine that built the file system.
var droppedFiles = map[string]bool{
	"/etc/resolv.conf": true, "/etc/hostname": true, "/etc/machine-id": true, "/etc/.pwd.lock": true,
}

// keep reports whether the layer includes a path. It includes the licenses of packages.
func keep(name string) bool {
	if droppedFiles[name] {
		return false
	}
	for _, dir := range dropped {
		if strings.HasPrefix(name, dir+"/") {
			return strings.HasPrefix(name, "/usr/share/doc/") && path.Base(name) == "copyright"
		}
	}
	return true
}

// filter copies a tar stream without dropped files, with fixed times and with the users and groups added.
func (r RootFS) filter(from io.Reader, to io.Writer) error {
	in, out := tar.NewReader(from), tar.NewWriter(to)
	entries := 0
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		name := path.Clean("/" + header.Name)
		if name == "/" || !keep(name) {
			continue
		}
		if err := r.copyEntry(in, out, header, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		entries++
	}
	if entries == 0 {
		return errors.New("the stream is empty")
	}
	// mmdebstrap's last blocks follow the end of the archive; it waits until they are read.
	if _, err := io.Copy(io.Discard, from); err != nil {
		return err
	}
	return out.Close()
}

func (r RootFS) copyEntry(in io.Reader, out *tar.Writer, header *tar.Header, name string) error {
	ocilayer.FixHeader(header)
	header.Name = strings.TrimPrefix(name, "/")
	if header.Typeflag == tar.TypeDir {
		header.Name += "/"
	}
	if header.Typeflag == tar.TypeLink {
		header.Linkname = strings.TrimPrefix(path.Clean("/"+header.Linkname), "/")
	}
	var content = in
	switch name {
	case "/etc/passwd":
		content = appended(in, header, r.Users)
	case "/etc/group":
		content = appended(in, header, r.Groups)
	}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(out, content)
	return err
}

func appended(in io.Reader, header *tar.Header, lines []string) io.Reader {
	var extra bytes.Buffer
	for _, line := range lines {
		extra.WriteString(line + "\n")
	}
	header.Size += int64(extra.Len())
	return io.MultiReader(in, &extra)
}
