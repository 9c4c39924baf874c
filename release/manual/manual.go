// Package manual writes the files that are packed with the programs for users' machines: man pages, and shell completions.
package manual

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Write writes man pages into folder/man, and completions into folder/completions; at is the time in the man pages.
func Write(folder string, at time.Time, programs ...*cobra.Command) error {
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
		if err := complete(completions, program); err != nil {
			return fmt.Errorf("completions of %s: %w", program.Name(), err)
		}
	}
	return nil
}

func complete(folder string, program *cobra.Command) error {
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
