package debian

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/internal/archivetest"
)

// machine is a machine with some programs; it returns text or an error for each call and records the calls.
type machine struct {
	programs []string
	answer   string
	err      error
	uid      int
	calls    []string
}

func (m *machine) commands() Commands {
	return Commands{
		Output: func(_ context.Context, name string, args ...string) ([]byte, error) {
			m.calls = append(m.calls, name+" "+strings.Join(args, " "))
			return []byte(m.answer), m.err
		},
		LookPath: func(name string) (string, error) {
			for _, program := range m.programs {
				if program == name {
					return "/usr/bin/" + name, nil
				}
			}
			return "", exec.ErrNotFound
		},
		UID: func() int { return m.uid },
	}
}

const (
	main     = "deb http://mirror/debian stable main"
	security = "deb http://mirror/security stable-security main"
)

func TestSources(t *testing.T) {
	tests := map[string]struct {
		machine machine
		want    []string
		wantErr string
	}{
		"each once": {
			machine: machine{programs: []string{"apt-get"}, answer: main + "\n" + main + "\n" + security + "\n"},
			want:    []string{main, security},
		},
		"no Debian": {
			wantErr: "images with Debian programs (nginx, redis, argocd) are built on Debian, and this machine has no apt-get: " +
				"use a machine with Debian, or one that reaches the image registries: executable file not found in $PATH",
		},
		"no lists yet": {
			machine: machine{programs: []string{"apt-get"}},
			wantErr: "apt knows no Debian mirror yet: run apt-get update as root, and see that /etc/apt names one",
		},
		"apt fails": {
			machine: machine{programs: []string{"apt-get"}, err: errors.New("broken lists")},
			wantErr: "asking apt for the Debian mirror: broken lists",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := test.machine.commands().Sources(context.Background())
			if test.wantErr != "" {
				require.EqualError(t, err, test.wantErr)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestNetworkIsWhatAptUses(t *testing.T) {
	dump := `Acquire "";
Acquire::Retries "3";
Acquire::http "";
Acquire::http::Proxy "http://proxy:3128/";
Acquire::http::Proxy::internal "DIRECT";
Acquire::https::CaInfo "/etc/ssl/proxy.pem";
`
	with := machine{answer: dump}
	got, err := with.commands().Network(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []string{
		`Acquire::http::Proxy "http://proxy:3128/";`,
		`Acquire::http::Proxy::internal "DIRECT";`,
		`Acquire::https::CaInfo "/etc/ssl/proxy.pem";`,
	}, got)
	assert.Equal(t, []string{"apt-config dump Acquire"}, with.calls)

	broken := machine{err: errors.New("no apt")}
	_, err = broken.commands().Network(context.Background())
	assert.EqualError(t, err, "asking apt for its proxy: no apt")
}

func TestKeyLeavesTheMirrorOut(t *testing.T) {
	key := func(packages []string, sources ...string) string {
		text, err := RootFS{Packages: packages}.Key(sources)
		require.NoError(t, err)
		return text
	}
	assert.Equal(t, key([]string{"git"}, main), key([]string{"git"}, "deb http://another/debian stable main"))
	assert.NotEqual(t, key([]string{"git"}, main), key([]string{"git"}, main, security))
	assert.NotEqual(t, key([]string{"git"}, main), key([]string{"nginx"}, main))
	assert.Equal(t, []string{"stable main", "stable-security main"}, Suites([]string{main, security, "nonsense"}))
}

func TestPrepare(t *testing.T) {
	tests := map[string]struct {
		machine machine
		calls   []string
		said    []string
		wantErr string
	}{
		"there":   {machine: machine{programs: []string{"mmdebstrap"}}},
		"no root": {machine: machine{uid: 1000}, wantErr: "mmdebstrap is needed to build the images with Debian programs: run `apt-get install mmdebstrap` as root"},
		"as root": {calls: []string{update, install}, said: []string{"installing the Debian package mmdebstrap"}},
		"in vain": {
			machine: machine{err: errors.New("no network")}, calls: []string{update},
			said: []string{"installing the Debian package mmdebstrap"}, wantErr: "installing mmdebstrap: no network",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var said []string
			err := test.machine.commands().Prepare(context.Background(), func(line string) { said = append(said, line) })
			if test.wantErr != "" {
				require.EqualError(t, err, test.wantErr)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, test.calls, test.machine.calls)
			assert.Equal(t, test.said, said)
		})
	}
}

const (
	update  = "env DEBIAN_FRONTEND=noninteractive apt-get --quiet update"
	install = "env DEBIAN_FRONTEND=noninteractive apt-get --quiet install --yes --no-install-recommends mmdebstrap"
)

func TestFilterDropsFixesAndAdds(t *testing.T) {
	var from, to bytes.Buffer
	writer := tar.NewWriter(&from)
	for _, each := range []struct{ name, content, link string }{
		{"./", "", ""},
		{"./etc/passwd", "root:x:0:0\n", ""},
		{"./etc/group", "root:x:0:\n", ""},
		{"./etc/resolv.conf", "nameserver 192.0.2.1\n", ""},
		{"./usr/bin/git", "git", ""},
		{"./usr/bin/git-upload-pack", "", "./usr/bin/git"},
		{"./usr/share/doc/git/README", "long", ""},
		{"./usr/share/doc/git/copyright", "GPL", ""},
		{"./var/log/", "", ""},
		{"./var/log/dpkg.log", "today", ""},
		{"./dev/null", "", ""},
	} {
		header := &tar.Header{Name: each.name, Mode: 0o644, Size: int64(len(each.content)), Uname: "someone"}
		switch {
		case strings.HasSuffix(each.name, "/"):
			header.Typeflag = tar.TypeDir
		case each.link != "":
			header.Typeflag, header.Linkname = tar.TypeLink, each.link
		}
		require.NoError(t, writer.WriteHeader(header))
		_, err := io.WriteString(writer, each.content)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	base := RootFS{Users: []string{"argocd:x:999:999"}, Groups: []string{"argocd:x:999:"}}
	require.NoError(t, base.filter(&from, &to))
	assert.Equal(t, []string{
		"f 644 0:0 etc/passwd root:x:0:0\nargocd:x:999:999\n",
		"f 644 0:0 etc/group root:x:0:\nargocd:x:999:\n",
		"f 644 0:0 usr/bin/git git",
		"h 644 0:0 usr/bin/git-upload-pack = usr/bin/git",
		"f 644 0:0 usr/share/doc/git/copyright GPL",
		"d 644 0:0 var/log/",
	}, archivetest.Listing(t, &to))
}

func TestFilterOfNothing(t *testing.T) {
	assert.EqualError(t, RootFS{}.filter(strings.NewReader(""), io.Discard), "the stream is empty")
}

func TestWriteWithoutMmdebstrap(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	assert.ErrorIs(t, RootFS{}.Write(context.Background(), []string{main}, nil, io.Discard), exec.ErrNotFound)
}
