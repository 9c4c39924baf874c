// Command validate-values checks the values of a GitOps runtime on a user's machine, with the cluster of a kubeconfig and charts from registries.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	_ "golang.org/x/crypto/x509roots/fallback" // public CAs, if the machine has none

	"gitops-runtime/internal/cli"
	"gitops-runtime/internal/process"
	"gitops-runtime/internal/valueschema"
	"gitops-runtime/validator/backupcmd"
	"gitops-runtime/validator/doctor"
	"gitops-runtime/validator/doctorcmd"
	"gitops-runtime/validator/local"
	"gitops-runtime/validator/migrate"
	"gitops-runtime/validator/previewcmd"
	"gitops-runtime/validator/report"
	"gitops-runtime/validator/reportpage"
	"gitops-runtime/validator/validatecmd"
)

// version is the chart's version, set by the build; cli.Version has that of a program that go install built.
var version = "devel"

// limits are many times what a run needs. Each argument may be a file of a long list.
var limits = process.Limits{Soft: 120 << 20, Memory: 200 << 20, CPU: 4500 * time.Millisecond}

// largeLimits are for commands that read a whole release with its definitions: preview, whose two sides have the time of a run each, and those of a
// running runtime, which read what their user may read in the cluster.
var largeLimits = map[string]process.Limits{
	"preview": {Soft: 100 << 20, Memory: 220 << 20, CPU: 2 * limits.CPU},
	"doctor":  running, "backup": running, "restore": running,
}

var running = process.Limits{Soft: 100 << 20, Memory: 220 << 20, CPU: time.Minute}

func main() {
	limits := limits
	if len(os.Args) > 1 {
		if large, is := largeLimits[os.Args[1]]; is {
			limits = large
			debug.SetGCPercent(200) // within the soft limit; renders allocate much
		}
	}
	extend := validatecmd.Watch(limits)
	extend(time.Duration(len(os.Args)) * 50 * time.Millisecond)
	ctx, stop := process.Interruptible(context.Background(), process.Grace, os.Exit)
	system := validatecmd.Process(cli.Version(version))
	system.Connect, system.Registries, system.BuiltIn = local.Connect, &local.Registries{}, local.BuiltIn
	system.Migrate, system.Preview, system.Schema, system.Manual = migrate.Command, previewcmd.Command, valueschema.Bundle, cli.ManualCommand
	page, err := reportpage.New()
	if err != nil {
		fmt.Fprintln(os.Stderr, "validate-values:", err)
		os.Exit(validatecmd.ExitError)
	}
	system.Further = []func(validatecmd.System, *int) *cobra.Command{doctorcmd.Command, backupcmd.Backup, backupcmd.Restore}
	system.Running = doctor.Table(doctor.Subject{})
	system.Formats = map[string]report.Format{"html": page}
	code := validatecmd.Main(ctx, os.Args[1:], system)
	stop()
	os.Exit(code)
}
