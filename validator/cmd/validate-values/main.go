// Command validate-values checks the values of a GitOps runtime on a user's machine, with the cluster of a kubeconfig and charts from registries.
package main

import (
	"context"
	"fmt"
	"os"

	_ "golang.org/x/crypto/x509roots/fallback" // public CAs, if the machine has none

	"gitops-runtime/internal/interrupt"
	"gitops-runtime/internal/schemabundle"
	"gitops-runtime/validator/local"
	"gitops-runtime/validator/migrate"
	"gitops-runtime/validator/report"
	"gitops-runtime/validator/reportpage"
	"gitops-runtime/validator/validatecmd"
)

// version is the chart's version, set by the build.
var version = "devel"

func main() {
	ctx, stop := interrupt.Context(context.Background(), interrupt.Grace, os.Exit)
	system := validatecmd.Process(version)
	system.Connect, system.Registries, system.BuiltIn = local.Connect, &local.Registries{}, local.BuiltIn
	system.Migrate, system.Schema = migrate.Command, schemabundle.Of
	page, err := reportpage.New()
	if err != nil {
		fmt.Fprintln(os.Stderr, "validate-values:", err)
		os.Exit(validatecmd.ExitError)
	}
	system.Formats = map[string]report.Format{"html": page}
	code := validatecmd.Main(ctx, os.Args[1:], system)
	stop()
	os.Exit(code)
}
