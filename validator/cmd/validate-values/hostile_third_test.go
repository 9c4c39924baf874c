//go:build !race

package main_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"filippo.io/age"
	"github.com/stretchr/testify/require"
)

// pipe creates a pipe that no program writes to or reads.
func (g *ground) pipe(name string) string {
	g.Helper()
	path := filepath.Join(g.folder, name)
	require.NoError(g, syscall.Mkfifo(path, 0o600))
	return path
}

// kubeconfig returns the arguments for a cluster that is reached with a user and a cluster of these fields.
func (g *ground) kubeconfig(user, cluster string) []string {
	g.Helper()
	return append(g.values("a: 1\n"), "--no-cluster=false", "--kubeconfig", g.write("config", "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}],\n"+
		"  clusters: [{name: k, cluster: {server: \"https://127.0.0.1:1\""+cluster+"}}], users: [{name: u, user: {"+user+"}}]}\n"))
}

// hostilePipes are pipes and devices where a program expects files, and texts without bound that messages quote.
var hostilePipes = []input{
	{"values that are a pipe", func(g *ground) []string { return []string{"-f", g.pipe("p")} }, "it does not end in time"},
	{"a file of a batch that is a pipe", func(g *ground) []string { return []string{g.pipe("p")} }, "it does not end in time"},
	{"a value that is a pipe", func(g *ground) []string { return []string{"--set-file", "a=" + g.pipe("p")} }, "it does not end in time"},
	{"a report to a pipe", func(g *ground) []string { return append(g.values("a: 1\n"), "-o", "json="+g.pipe("p")) }, "no program reads from this pipe"},
	{"an ignore file that is a pipe", func(g *ground) []string {
		args := g.chart()
		g.pipe("chart/.helmignore")
		return args
	}, ".helmignore: it is not a regular file"},
	{"an ignore file without end", func(g *ground) []string {
		args := g.chart()
		require.NoError(g, os.Symlink("/dev/zero", filepath.Join(g.folder, "chart", ".helmignore")))
		return args
	}, ".helmignore: it is not a regular file"},
	{"a token of a kubeconfig that is a pipe", func(g *ground) []string { return g.kubeconfig("tokenFile: "+g.pipe("p"), "") }, "it is not a regular file"},
	{"a token of a kubeconfig without end", func(g *ground) []string { return g.kubeconfig("tokenFile: /dev/zero", "") }, "/dev/zero: it is not a regular file"},
	{"a key of a kubeconfig that is a pipe", func(g *ground) []string {
		return g.kubeconfig("client-certificate: "+g.pipe("p")+", client-key: "+g.pipe("q"), "")
	}, "it is not a regular file"},
	{"authorities of a kubeconfig that are a pipe", func(g *ground) []string {
		return g.kubeconfig("token: canary", ", certificate-authority: "+g.pipe("p"))
	}, "it is not a regular file"},
	{"a name of very many digits", func(g *ground) []string { return g.values(runtimeNamed("0o" + strings.Repeat("7", 200_000))) }, "777..."},
	{"a port of thousands of digits", func(g *ground) []string {
		return g.values("global: {runtime: {name: a, ingressUrl: 'https://example.com:" + strings.Repeat("9", 5000) + "/'}}\ntunnel-client: {enabled: false}\n")
	}, "999..."},
	{"indexes in indexes", func(*ground) []string { return []string{"--set", "a" + strings.Repeat("[0]", 30_000) + "=1"} }, "...=...: "},
	{"a pattern of brackets", func(*ground) []string { return []string{strings.Repeat("[", 50_000)} }, "[[..."},
}

// about is the description in a backup.
const about = `{"format":1,"runtime":"r","release":%q,"namespace":"codefresh","chart":"c","version":"1.0.0","lacks":["x"]}`

// restored returns the arguments to restore a backup that these files are packed into, encrypted for its reader: everyone who knows the public key can
// make one.
func restored(files func() []entry) func(g *ground) []string {
	return func(g *ground) []string {
		key, err := age.GenerateX25519Identity()
		require.NoError(g, err)
		var sealed bytes.Buffer
		out, err := age.Encrypt(&sealed, key.Recipient())
		require.NoError(g, err)
		_, err = out.Write(g.archive(files()...))
		require.NoError(g, err)
		require.NoError(g, out.Close())
		return []string{"restore", "--dry-run", "--file", g.write("b.age", sealed.String()), "--identity", g.write("key", key.String())}
	}
}

func packedBackup(described, values, objects string) func(g *ground) []string {
	return restored(func() []entry {
		return []entry{{name: "backup.json", data: []byte(described)}, {name: "values.json", data: []byte(values)}, {name: "objects.json", data: []byte(objects)}}
	})
}

// hostileBackups are archives that somebody else made for the reader.
var hostileBackups = []input{
	{"a release that is a flag of helm", packedBackup(fmt.Sprintf(about, "--post-renderer=/bin/sh"), "{}", "[]"), "is not valid: the archive was not made by validate-values backup"},
	{"a namespace that is a path", packedBackup(strings.Replace(fmt.Sprintf(about, "r"), `"codefresh"`, `"../../x"`, 1), "{}", "[]"), "is not valid"},
	{"a version that is a flag of helm", packedBackup(strings.Replace(fmt.Sprintf(about, "r"), `"1.0.0"`, `"--debug"`, 1), "{}", "[]"), "is not valid"},
	{"names with escape characters", packedBackup(`{"format":1,"runtime":"\u001b[31m\n::error::x","release":"r","namespace":"n","chart":"\u202e\n::error::x","version":"\u009b2J","contains":{"\u001b[31m":1},`+
		`"lacks":["\n::error::x"]}`, "{}", "[]"), `\x1b[31m`},
	{"a runtime of ten megabytes", packedBackup(`{"format":1,"release":"r","namespace":"n","runtime":"`+strings.Repeat("x", 10<<20)+`"}`, "{}", "[]"), "xxx..."},
	{"a million things that it lacks", packedBackup(`{"format":1,"release":"r","namespace":"n","lacks":[`+strings.Repeat(`"x",`, 1_000_000)+`"x"]}`, "{}", "[]"), "more"},
	{"files of 200 MB", restored(func() []entry { return []entry{{name: "objects.json", data: make([]byte, 200<<20)}} }), `"objects.json" of the backup exceeds 48 MiB`},
	{"millions of objects", packedBackup(fmt.Sprintf(about, "r"), "{}", "["+strings.Repeat(`{"a":1},`, 1_500_000)+"{}]"), "MiB of memory"},
	{"deep objects", packedBackup(fmt.Sprintf(about, "r"), "{}", strings.Repeat("[", 200_000)), "exceeded max depth"},
	{"a file that does not belong there", restored(func() []entry { return []entry{{name: "../\x1b[31m\n::error::x", data: []byte("x")}} }), "which validate-values backup does not write there"},
	{"a file twice", restored(func() []entry {
		return []entry{{name: "backup.json", data: []byte("{}")}, {name: "backup.json", data: []byte("{}")}}
	}), "which validate-values backup does not write there"},
	{"a passphrase that costs four gigabytes", func(g *ground) []string {
		stanza := "-> scrypt " + strings.Repeat("A", 22) + " 22\n" + strings.Repeat("A", 43) + "\n"
		return []string{"restore", "--dry-run", "--passphrase-file", g.write("p", "canary"), "--file", g.write("b.age", "age-encryption.org/v1\n"+stanza+"--- "+strings.Repeat("A", 43)+"\nx")}
	}, "work factor too large"},
	{"an archive that is a pipe", func(g *ground) []string {
		return []string{"restore", "--dry-run", "--file", g.pipe("p"), "--identity", g.write("key", "x")}
	}, ""},
	{"names of values with escape characters, migrated", func(g *ground) []string {
		return []string{"migrate", g.write("v.yaml", "\"\\e[31m\\n::error::x\": 1\nglobal: {\"\\u202e\": 5}\n"), "-o", filepath.Join(g.folder, "out.yaml")}
	}, `\x1b[31m`},
}
