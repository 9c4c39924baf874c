// Command manual writes man pages and completions of the programs for users' machines: manual FOLDER.
package main

import (
	"fmt"
	"os"
	"time"

	images "gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/schemabundle"
	"gitops-runtime/release/manual"
	"gitops-runtime/validator/local"
	"gitops-runtime/validator/migrate"
	values "gitops-runtime/validator/validatecmd"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manual FOLDER")
		os.Exit(2)
	}
	system := values.Process("")
	system.Connect, system.Registries, system.BuiltIn, system.Migrate, system.Schema = local.Connect, &local.Registries{}, local.BuiltIn, migrate.Command, schemabundle.Of
	// no build time, so that the same sources produce the same pages
	if err := manual.Write(os.Args[1], time.Unix(0, 0).UTC(), values.Command(system), images.Command(images.Streams{Out: os.Stdout, Err: os.Stderr})); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}
