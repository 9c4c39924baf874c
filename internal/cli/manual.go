package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// ManualCommand returns a hidden command that writes what is packed with a program for users' machines: man pages and shell completions.
func ManualCommand() *cobra.Command {
	return &cobra.Command{
		Use: "manual FOLDER", Short: "Write man pages and completions", Hidden: true, Args: cobra.ExactArgs(1),
		// no build time, so that the same sources produce the same pages
		RunE: func(command *cobra.Command, args []string) error {
			return WriteManual(args[0], time.Unix(0, 0).UTC(), command.Root())
		},
	}
}

// WriteManual writes man pages into folder/man, and completions into folder/completions; at is the time in the man pages.
func WriteManual(folder string, at time.Time, programs ...*cobra.Command) error {
	man, completions := filepath.Join(folder, "man"), filepath.Join(folder, "completions")
	for _, dir := range []string{man, completions} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for _, program := range programs {
		program.InitDefaultCompletionCmd()
		program.DisableAutoGenTag = true
		header := &doc.GenManHeader{Section: "1", Source: "gitops-runtime", Manual: "Commands", Date: &at}
		if err := doc.GenManTree(program, header, man); err != nil {
			return fmt.Errorf("man pages of %s: %w", program.Name(), err)
		}
		if err := writeCompletions(completions, program); err != nil {
			return fmt.Errorf("completions of %s: %w", program.Name(), err)
		}
	}
	return nil
}

func writeCompletions(folder string, program *cobra.Command) error {
	for ending, generate := range map[string]func(io.Writer) error{
		"bash": func(out io.Writer) error { return program.GenBashCompletionV2(out, true) },
		"zsh":  program.GenZshCompletion,
		"fish": func(out io.Writer) error { return program.GenFishCompletion(out, true) },
		"ps1":  program.GenPowerShellCompletionWithDesc,
	} {
		file, err := os.Create(filepath.Join(folder, program.Name()+"."+ending))
		if err != nil {
			return err
		}
		if err := generate(file); err != nil {
			_ = file.Close()
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}
