// Package suggest names the flag that a misspelled one was probably meant to be, which cobra does only for commands.
package suggest

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gitops-runtime/internal/schemacheck"
)

// Flag adds the most similar flag to the error of an unknown flag. Other errors are returned unchanged.
func Flag(command *cobra.Command, err error) error {
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
	if near := schemacheck.Nearest(unknown.GetSpecifiedName(), known); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}
