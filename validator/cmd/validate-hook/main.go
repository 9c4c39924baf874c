// Command validate-hook is validate-values as the chart's hook Jobs run it: the
// same commands, for the cluster around the pod alone. Its image holds it as
// /validate-values; docs/decisions/two-builds-of-validate-values.md says why.
package main

import (
	"context"
	"os"

	_ "golang.org/x/crypto/x509roots/fallback" // public CAs, where the image has none

	"gitops-runtime/internal/interrupt"
	"gitops-runtime/validator/validatecmd"
)

// version is set by the build, to the chart's.
var version = "devel"

func main() {
	ctx, stop := interrupt.Context(context.Background(), interrupt.Grace, os.Exit)
	system := validatecmd.Process(version)
	system.Connect = validatecmd.InPod
	code := validatecmd.Main(ctx, os.Args[1:], system)
	stop()
	os.Exit(code)
}
