//go:build !race

// These tests feed inputs to a process of its own, which is built without the race detector.

package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
)

// archive returns an archive of alternating names and texts, as `helm package` creates it.
func archive(entries ...string) string {
	var data bytes.Buffer
	zipped := gzip.NewWriter(&data)
	packed := tar.NewWriter(zipped)
	for i := 0; i+1 < len(entries); i += 2 {
		_ = packed.WriteHeader(&tar.Header{Name: entries[i], Mode: 0o644, Size: int64(len(entries[i+1])), Typeflag: tar.TypeReg})
		_, _ = packed.Write([]byte(entries[i+1]))
	}
	_, _ = packed.Close(), zipped.Close()
	return data.String()
}

// nested returns an archive of nested archives, each with ten copies of the next level.
func nested(levels int) string {
	inner := archive("c0/Chart.yaml", meta("c0"), "c0/values.yaml", "a: "+strings.Repeat("x", 1<<20))
	for level := 1; level <= levels; level++ {
		entries := []string{fmt.Sprintf("c%d/Chart.yaml", level), meta(fmt.Sprintf("c%d", level))}
		for i := range 10 {
			entries = append(entries, fmt.Sprintf("c%d/charts/c%d-%d.tgz", level, level-1, i), inner)
		}
		inner = archive(entries...)
	}
	return inner
}

// deep returns an archive with this number of nested archives.
func deep(levels int) string {
	inner := archive("c/Chart.yaml", meta("c"))
	for range levels {
		inner = archive("c/Chart.yaml", meta("c"), "c/charts/c.tgz", inner)
	}
	return inner
}

func meta(name string) string { return "apiVersion: v2\nname: " + name + "\nversion: 1.0.0\n" }

// packed returns an input that is an archive.
func packed(name string, data string, code int, want string) input {
	return input{name, map[string]string{"c.tgz": data}, []string{"generate", "CHART/c.tgz", "--registry", "reg.corp", "-o", "out"}, code, want}
}

func archives() []input {
	const tooLarge = "have more than 64 MiB when unpacked"
	return []input{
		packed("archives within archives", nested(4), 1, tooLarge),
		packed("deeply nested archives", deep(20), 1, "more than 8 levels deep"),
		packed("an archive that unpacks to 100 MiB", archive("c/Chart.yaml", meta("c"), "c/a", strings.Repeat("a", 4<<20), "c/b", strings.Repeat("b", 100<<20)), 1, "which Helm does not allow"),
		packed("many large files", archive(slicesOf(20, 4<<20)...), 1, tooLarge),
		packed("many small files", archive(slicesOf(20_000, 1)...), 0, "0 image references"),
		packed("a file that is not an archive", "text", 1, "it is not a packaged chart"),
		packed("a truncated archive", nested(1)[:300], 1, "unexpected EOF"),
		packed("a file above the chart", archive("c/Chart.yaml", meta("c"), "c/../../x", "x"), 1, "outside the chart directory"),
		packed("a file with an absolute path", archive("c/Chart.yaml", meta("c"), "c//etc/x", "x"), 1, "outside the chart directory"),
		packed("an archive without a chart", archive("c/x", "x"), 1, "Chart.yaml file is missing"),
		packed("a damaged subchart archive", archive("c/Chart.yaml", meta("c"), "c/charts/d.tgz", "text"), 1, "charts/d.tgz: it is not a packaged chart"),
		packed("null dependencies", archive("c/Chart.yaml", meta("c")+"dependencies: [null, null]\n"), 1, "dependencies"),
	}
}

func slicesOf(count, size int) []string {
	entries := []string{"c/Chart.yaml", meta("c")}
	for i := range count {
		entries = append(entries, fmt.Sprintf("c/f%d", i), strings.Repeat("x", size))
	}
	return entries
}
