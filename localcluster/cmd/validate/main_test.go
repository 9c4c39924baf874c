package main

import (
	"slices"
	"strings"
	"testing"
)

func TestWithNamespace(t *testing.T) {
	for given, want := range map[string]string{
		"-f x":             "-f x --namespace codefresh",
		"-n other":         "-n other",
		"-nother":          "-nother",
		"-n=other":         "-n=other",
		"--namespace=o":    "--namespace=o",
		"--namespace o":    "--namespace o",
		"explain RUN101":   "explain RUN101",
		"--help":           "--help",
		"version":          "version",
		"--no-cluster a.y": "--no-cluster a.y --namespace codefresh",
	} {
		if got := strings.Join(withNamespace(strings.Fields(given)), " "); got != want {
			t.Errorf("%s: got %s, want %s", given, got, want)
		}
	}
}

func TestNamesPlatform(t *testing.T) {
	for given, want := range map[string]bool{
		"--set global.codefresh.url=https://x":  true,
		"--set=global.codefresh.url=https://x":  true,
		"--set a=b,global.codefresh.url=http:x": true,
		"explain":                               true,
		"-f values.yaml":                        false,
		"--set global.codefresh.accountId=x":    false,
	} {
		if got := namesPlatform(slices.Clone(strings.Fields(given))); got != want {
			t.Errorf("%s: got %t", given, got)
		}
	}
}
