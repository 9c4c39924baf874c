// Command validate runs validate-values against the platform stand-in, started in this process, unless the arguments specify a platform.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gitops-runtime/internal/process"
	"gitops-runtime/tests/standin/platformapi"
	"gitops-runtime/validator/local"
	"gitops-runtime/validator/report"
	"gitops-runtime/validator/reportpage"
	"gitops-runtime/validator/validatecmd"
)

const (
	urlValue = "global.codefresh.url"
	// namespace is the namespace of the local install.
	namespace = "codefresh"
)

func main() {
	ctx, stop := process.Interruptible(context.Background(), process.Grace, os.Exit)
	defer stop()
	args := withNamespace(os.Args[1:])
	if !namesPlatform(args) {
		server, err := platformapi.Start(ctx, platformapi.Options{})
		if err != nil {
			fmt.Fprintln(os.Stderr, "validate: platform stand-in:", err)
			os.Exit(validatecmd.ExitError)
		}
		fmt.Fprintf(os.Stderr, "This is a rehearsal: a stand-in at %s answers instead of the platform of the values. It knows the account acc1 and its\n"+
			"token user-token-admin, and refuses every other token (ACC101). To ask a real platform: make validate ARGS=\"--set %s=<url>\".\n\n", server.URL, urlValue)
		// It listens on loopback, so nothing is sent over a network. It does not know the runtime of make install, which another stand-in has registered.
		args = append(args, "--set-string", urlValue+"="+server.URL, "--set", "global.codefresh.allowInsecureHTTP=true", "--skip", "RUN300")
	}
	page, err := reportpage.New()
	if err != nil {
		fmt.Fprintln(os.Stderr, "validate:", err)
		os.Exit(validatecmd.ExitError)
	}
	os.Exit(validatecmd.Main(ctx, args, validatecmd.System{
		Formats: map[string]report.Format{"html": page},
		In:      os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "devel",
		Color: validatecmd.ShowsColors(os.Stdout),
		Now:   time.Now, Getenv: os.Getenv, Connect: local.Connect, Registries: &local.Registries{},
	}))
}

// withNamespace adds the namespace of the local install if none is given.
func withNamespace(args []string) []string {
	short := func(arg string) bool { return strings.HasPrefix(arg, "-n") } // -n NS, -nNS and -n=NS
	if contains(args, "--namespace", "explain", "version", "--help", "-h") || slices.ContainsFunc(args, short) {
		return args
	}
	return append(args, "--namespace", namespace)
}

// namesPlatform reports whether a flag sets the platform's URL.
func namesPlatform(args []string) bool {
	return contains(args, "explain", "version", "--help", "-h") ||
		slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, urlValue+"=") })
}

// contains reports whether one of the words is among the arguments, alone or with a value after "=".
func contains(args []string, words ...string) bool {
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		if slices.Contains(words, name) {
			return true
		}
	}
	return false
}
