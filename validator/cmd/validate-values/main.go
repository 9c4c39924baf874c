// Command validate-values checks the values of a GitOps runtime on a user's machine, with the cluster of a kubeconfig and charts from registries.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
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
var limits = process.Limits{Soft: 120 << 20, Memory: 200 << 20, CPU: 5 * time.Second}

// large are the commands that read a whole release with its definitions: preview, which renders charts several times, and those of a running runtime.
var large = []string{"preview", "doctor", "backup", "restore"}

// largeLimits are for these commands.
var largeLimits = process.Limits{Soft: 100 << 20, Memory: 400 << 20, CPU: time.Minute}

func main() {
	limits := limits
	if len(os.Args) > 1 && slices.Contains(large, os.Args[1]) {
		limits = largeLimits
		debug.SetGCPercent(200) // within the soft limit; renders allocate much
	}
	extend := process.Watch(limits, func(what string) {
		fmt.Fprintf(os.Stderr, "validate-values: this run takes more than %s, which no values need; look for aliases, long texts or deep nesting in the files\n", what)
		os.Exit(validatecmd.ExitError)
	})
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
