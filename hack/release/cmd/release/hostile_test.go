//go:build !race

// These tests feed inputs to a process of its own, which is built without the race detector.

package main_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
	"gitops-runtime/tests/hostile"
)

// ground is a small checkout in which the program runs.
type ground struct {
	*testing.T
	folder string
}

// write writes a file of the checkout, and returns its path.
func (g *ground) write(name, text string) string {
	g.Helper()
	path := filepath.Join(g.folder, name)
	testkit.WriteFile(g, path, text)
	return path
}

// link replaces a file of the checkout by a link, pipe by a pipe.
func (g *ground) link(name, to string) {
	g.Helper()
	path := filepath.Join(g.folder, name)
	require.NoError(g, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(g, os.RemoveAll(path))
	require.NoError(g, os.Symlink(to, path))
}

func (g *ground) pipe(name string) string {
	g.Helper()
	path := filepath.Join(g.folder, name)
	require.NoError(g, os.RemoveAll(path))
	require.NoError(g, syscall.Mkfifo(path, 0o600))
	return path
}

// input is something malicious; its function prepares it and returns the arguments.
type input struct {
	name string
	make func(g *ground) []string
	want string // part of the output
}

// TestHostileInputs: each run ends with an error or the output of the table, within the limits, and prints nothing unescaped.
func TestHostileInputs(t *testing.T) {
	const name = "release"
	program, worst, counts := hostile.Build(t, "."), hostile.Worst{}, map[string]int{}
	for kind, list := range map[string][]input{
		"checkouts": checkouts(), "tables": tables(), "programs": programs(), "command lines": commandLines(), "registries": registries(), "signers": signers(),
		"answers of cosign": cosigns(),
	} {
		counts[kind] = len(list)
		for _, one := range list {
			t.Run(kind+"/"+one.name, func(t *testing.T) {
				g := &ground{t, t.TempDir()}
				g.write("go.mod", "module example.com/a\n")
				g.write("address.yaml", "module: example.com/a\n")
				g.write("VERSION", "1.0.0\n")
				g.write("charts/one/Chart.yaml", "apiVersion: v2\nname: one\nversion: 1.0.0\n")
				end := hostile.Run(t, program, g.folder, one.make(g)...)
				hostile.Decent(t, end)
				assert.Contains(t, end.Text, one.want)
				t.Logf("exit %d, %d MiB, %s: %s", end.Code, end.Memory>>20, end.Took, hostile.Clip(strings.TrimSpace(end.Text)))
				worst.Add(kind, end)
			})
		}
	}
	worst.Log(t, name)
	hostile.Listed(t, name, counts)
}

// copies is a text in which aliases stand for 180 MB.
func copies() string {
	return "a: &a " + strings.Repeat("x", 30_000) + "\nb: [" + strings.Repeat("*a, ", 6000) + "]\n"
}

const (
	tooManyCopies = "the aliases in the files read for one run stand for more than 8 MiB"
	tooDeep       = "nest more than 100 levels deep"
	notRegular    = "it is not a regular file"
	escapes       = "\x1b[31m\n::error::x"
)

// checkouts returns checkouts of strangers, whose known vulnerabilities are written.
func checkouts() []input {
	vex := []string{"vex"}
	file := func(title, name, text, want string) input {
		return input{title, func(g *ground) []string { g.write(name, text); return vex }, want}
	}
	place := func(title, name, to, want string) input {
		return input{title, func(g *ground) []string { g.link(name, to); return vex }, want}
	}
	deep := "a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	chart := "apiVersion: v2\nname: one\nversion: 1.0.0\nannotations:\n  artifacthub.io/images: |\n    "
	return []input{
		file("copies in the address", "address.yaml", copies(), "address.yaml: "+tooManyCopies),
		file("a deep address", "address.yaml", deep, "address.yaml: its maps and lists "+tooDeep),
		file("an address with an unknown field", "address.yaml", "module: a\n\"\\e[31m\\n::error::x\": 1\n", "unknown field"),
		file("a password in the repository", "address.yaml", "module: example.com/a\nrepository: http://me:canary@example.com/a\n", "is not a URL"),
		file("a password in the registry", "address.yaml", "module: example.com/a\nregistry: me:canary@example.com/a\n", "is not a place in a registry"),
		file("a module of a megabyte", "address.yaml", "module: "+strings.Repeat("a/", 500_000)+"\n", "address.yaml: module"),
		place("an address without end", "address.yaml", "/dev/zero", "address.yaml: open"),
		{"an address that is a pipe", func(g *ground) []string { g.pipe("address.yaml"); return vex }, notRegular},
		place("a Chart.yaml without end", "charts/one/Chart.yaml", "/dev/zero", notRegular),
		file("copies in Chart.yaml", "charts/one/Chart.yaml", copies(), "charts/one/Chart.yaml: "+tooManyCopies),
		file("copies in an annotation", "charts/one/Chart.yaml", chart+strings.ReplaceAll(copies(), "\n", "\n    "), "artifacthub.io/images: "+tooManyCopies),
		file("copies in the lock of images", "hack/release/image-lock.yaml", copies(), "image-lock.yaml: "+tooManyCopies),
		file("a lock with escape characters", "hack/release/image-lock.yaml", "images: {\"\\e[31m\\n::error::x\": x}\n", "the digest of"),
		place("a lock that is a link to itself", "hack/release/image-lock.yaml", "image-lock.yaml", "image-lock.yaml: "),
		{"a version that is a pipe", func(g *ground) []string { g.pipe("VERSION"); return verifying("127.0.0.1:1/x") }, notRegular},
		{"a version of a megabyte", func(g *ground) []string {
			g.write("VERSION", strings.Repeat("1", 1_000_000))
			return verifying("127.0.0.1:1/x")
		}, "which is not a semantic version"},
		{"a version with escape characters", func(g *ground) []string { g.write("VERSION", escapes); return verifying("127.0.0.1:1/x") }, "which is not a semantic version"},
	}
}

// tables returns tables of facts to compare.
func tables() []input {
	const head = "scenario\tkind\tobject\tcontainer\taspect\tkey\tvalue\n"
	const row = "tunnel\tPod\ta\tb\timage\tc\tquay.io/a/b:1\n"
	two := func(title, before, after, want string) input {
		return input{title, func(g *ground) []string { return []string{"follow", g.write("a.tsv", before), g.write("b.tsv", after)} }, want}
	}
	rows := func(format string, count int) string {
		var text strings.Builder
		text.WriteString(head)
		for i := range count {
			fmt.Fprintf(&text, format, i)
		}
		return text.String()
	}
	return []input{
		{"a device", func(*ground) []string { return []string{"follow", "/dev/zero", "/dev/zero"} }, notRegular},
		{"a pipe", func(g *ground) []string { return []string{"follow", g.pipe("a.tsv"), g.pipe("a.tsv")} }, notRegular},
		{"a folder", func(g *ground) []string { return []string{"follow", g.folder, g.folder} }, notRegular},
		two("another head with escape characters", escapes, head, "is not a table of facts"),
		two("a row of another length", head+row, head+escapes, "columns instead of 7"),
		two("no rows", head, head+row, "has no facts"),
		two("a line of two megabytes", head+strings.Repeat("a", 2<<20), head+row, "token too long"),
		two("aspects with escape characters", head+row, head+row+"tunnel\tPod\ta\tb\t\x1b[31m::x\t##[error]\t::error::x\n", `\x1b[31m`),
		two("values with escape characters", head+row, head+"tunnel\tPod\ta\tb\tenv\t\u202ec\t\u009b2J\n", "A person has to look"),
		two("bytes that are not text", head+row, head+"\xff\x00\xfe\t\x01\t\x02\t\x03\tenv\t\x04\t\x05\n", "A person has to look"),
		two("the same row very often", head+strings.Repeat(row, 300_000), head+strings.Repeat(row, 300_000), "of CPU time"),
		two("very many rows", rows("tunnel\tPod\ta%d\tb\tenv\tc\td\n", 300_000), head+row, ""),
		two("very many objects of closed programs", rows("tunnel\tPod\ta%d\tb\timage\tc\tquay.io/codefresh/a:1\n", 50_000), head+row, "of CPU time"),
	}
}

// programs returns files that are said to be programs, whose components are listed.
func programs() []input {
	sbom := func(g *ground, file string) []string {
		return []string{"sbom", file, "--name", "a", "--version", "1.0.0", "--created", "2026-01-02T15:04:05Z", "-o", filepath.Join(g.folder, "out.json")}
	}
	file := func(title, text, want string) input {
		return input{title, func(g *ground) []string { return sbom(g, g.write("program", text)) }, want}
	}
	const unread = "read the modules in"
	elf := func(change func([]byte)) string {
		head := make([]byte, 64, 1<<20)
		copy(head, "\x7fELF\x02\x01\x01")
		binary.LittleEndian.PutUint16(head[16:], 2)  // executable
		binary.LittleEndian.PutUint16(head[18:], 62) // amd64
		binary.LittleEndian.PutUint32(head[20:], 1)
		binary.LittleEndian.PutUint16(head[52:], 64)
		change(head)
		return string(head[:cap(head)])
	}
	info := func(length ...byte) string {
		return elf(func(head []byte) {
			binary.LittleEndian.PutUint64(head[32:], 64) // program headers
			binary.LittleEndian.PutUint16(head[54:], 56)
			binary.LittleEndian.PutUint16(head[56:], 1)
			whole := head[:cap(head)]
			binary.LittleEndian.PutUint32(whole[64:], 1)    // load
			binary.LittleEndian.PutUint32(whole[68:], 6)    // writable
			binary.LittleEndian.PutUint64(whole[72:], 4096) // offset
			binary.LittleEndian.PutUint64(whole[80:], 4096)
			binary.LittleEndian.PutUint64(whole[96:], 1<<19)
			binary.LittleEndian.PutUint64(whole[104:], 1<<19)
			copy(whole[4096:], "\xff Go buildinf:\x08\x02")
			copy(whole[4096+32:], length)
		})
	}
	return []input{
		{"a device", func(g *ground) []string { return sbom(g, "/dev/zero") }, notRegular},
		{"a pipe", func(g *ground) []string { return sbom(g, g.pipe("program")) }, notRegular},
		{"a folder", func(g *ground) []string { return sbom(g, g.folder) }, notRegular},
		file("an empty file", "", unread),
		file("a script", "#!/bin/sh\necho "+escapes, unread),
		file("an ELF file that is only its head", "\x7fELF\x02\x01\x01", unread),
		file("65,535 sections at the end of the file", elf(func(head []byte) {
			binary.LittleEndian.PutUint64(head[40:], 1<<20-64)
			binary.LittleEndian.PutUint16(head[58:], 64)
			binary.LittleEndian.PutUint16(head[60:], 65535)
		}), unread),
		file("65,535 segments", elf(func(head []byte) {
			binary.LittleEndian.PutUint64(head[32:], 1<<62)
			binary.LittleEndian.PutUint16(head[54:], 56)
			binary.LittleEndian.PutUint16(head[56:], 65535)
		}), unread),
		file("a version of 2^63 bytes", info(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f), unread),
		file("a version of a gigabyte", info(0xff, 0xff, 0xff, 0xff, 0x03), unread),
		file("a Mach-O file for many processors", "\xca\xfe\xba\xbe\xff\xff\xff\xff"+strings.Repeat("\xff", 4096), unread),
		file("a PE file whose head is behind its end", "MZ"+strings.Repeat("\x00", 58)+"\xff\xff\xff\x7f"+strings.Repeat("\x00", 4096), unread),
		{"a name with escape characters", func(g *ground) []string { return sbom(g, filepath.Join(g.folder, escapes)) }, "no such file"},
		{"a time with escape characters", func(g *ground) []string { return []string{"sbom", "x", "--created", escapes} }, "--created: write a time"},
	}
}

// verifying returns the arguments to verify what is at a place, with a program that accepts every signature.
func verifying(place string, more ...string) []string {
	return append([]string{"verify", place, "--public-key", "k", "--offline", "--commit", strings.Repeat("a", 40), "--cosign", "./cosign"}, more...)
}

func commandLines() []input {
	line := func(title, want string, args ...string) input {
		return input{title, func(*ground) []string { return args }, want}
	}
	long := strings.Repeat("a", 100_000)
	return []input{
		line("a place with a password", "is not a place in a registry", verifying("me:canary@127.0.0.1:1/x")...),
		line("a URL with a password", "is not a place in a registry", verifying("https://me:canary@127.0.0.1:1/x")...),
		line("a place with escape characters", "is not a place in a registry", verifying(escapes)...),
		line("a very long place", "is not a place in a registry", verifying(long)...),
		line("another place with a password", "is not a place in a registry", verifying("127.0.0.1:1/x", "--from", "me:canary@x")...),
		line("a version that is a path", "127.0.0.1:1/x", verifying("127.0.0.1:1/x", "--version", "../../1.0.0")...),
		line("a version with escape characters", "127.0.0.1:1/x", verifying("127.0.0.1:1/x", "--version", escapes)...),
		line("a builder of a hundred kilobytes", "127.0.0.1:1", verifying("127.0.0.1:1/x", "--builder", long)...),
		line("authorities without end", "it is larger than 1 MiB", verifying("127.0.0.1:1/x", "--ca-file", "/dev/zero")...),
		line("logins without end", "/dev/zero", verifying("127.0.0.1:1/x", "--registry-config", "/dev/zero")...),
		line("an unknown command with escape characters", "unknown command", escapes),
		line("an unknown flag with escape characters", "unknown flag", "verify", "--"+escapes),
	}
}

// cosigns returns programs that are not cosign.
func cosigns() []input {
	script := func(title, text, want string) input {
		return input{title, func(g *ground) []string {
			require.NoError(g, os.WriteFile(filepath.Join(g.folder, "cosign"), []byte("#!/bin/sh\n"+text), 0o700)) //nolint:gosec // a program
			return verifying(g.registry(answers{accepted: true}))
		}, want}
	}
	return []input{
		script("output without end", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done\n", "has no valid signature"),
		script("a line without end", "while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done\n", "has no valid signature"),
		script("escape characters", `printf 'Error: \033[31m\r::error::x\n'; exit 1`, `\x1b[31m`),
		script("a command of a pipeline", "echo 'Error: ##vso[x]::error::x'; exit 1", "has no valid signature"),
		script("a signal", "kill -9 $$", "signal: killed"),
		{"a program that cannot run", func(g *ground) []string {
			g.write("cosign", "x")
			return verifying(g.registry(answers{accepted: true}))
		}, "permission denied"},
		{"no program", func(g *ground) []string { return verifying(g.registry(answers{accepted: true})) }, "no such file"},
	}
}
