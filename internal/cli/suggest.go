// Package cli has what both programs add to cobra: the flag or command that a misspelled one was probably meant to be, and the name of a kubectl plugin.
package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gitops-runtime/internal/valueschema"
)

// SuggestCommand returns the most similar subcommand, "" if none is similar.
func SuggestCommand(command *cobra.Command, name string) string {
	var known []string
	for _, each := range command.Commands() {
		if each.IsAvailableCommand() {
			known = append(known, each.Name())
		}
	}
	return valueschema.Nearest(name, known)
}

// SuggestFlag adds, as cobra does only for commands, the most similar flag to the error of an unknown flag. Other errors are returned unchanged.
func SuggestFlag(command *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 3 {
		return err
	}
	var known []string
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			known = append(known, flag.Name)
		}
	})
	if near := valueschema.Nearest(unknown.GetSpecifiedName(), known); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}
