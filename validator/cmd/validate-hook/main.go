// Command validate-hook is validate-values as the chart's hook Jobs run it: the same commands, but only for the cluster of the pod. Its image contains
// it as /validate-values; docs/decisions/two-builds-of-validate-values.md explains why.
package main

import (
	"context"
	"os"
	"time"

	_ "golang.org/x/crypto/x509roots/fallback" // public CAs, if the image has none

	"gitops-runtime/internal/process"
	"gitops-runtime/validator/validatecmd"
)

// version is the chart's version, set by the build.
var version = "devel"

// limits are below the memory that the chart gives the hook's pod, so that a run ends with a message before the kernel ends it.
var limits = process.Limits{Soft: 36 << 20, Memory: 44 << 20, CPU: 4500 * time.Millisecond}

func main() {
	validatecmd.Watch(limits)
	ctx, stop := process.Interruptible(context.Background(), process.Grace, os.Exit)
	system := validatecmd.Process(version)
	system.Connect = validatecmd.InPod
	code := validatecmd.Main(ctx, os.Args[1:], system)
	stop()
	os.Exit(code)
}
