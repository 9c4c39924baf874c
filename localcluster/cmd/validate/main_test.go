package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
		assert.Equal(t, want, strings.Join(withNamespace(strings.Fields(given)), " "), given)
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
		assert.Equal(t, want, namesPlatform(slices.Clone(strings.Fields(given))), given)
	}
}
