// Package suggest names the flag that a misspelled one was probably meant to be, which cobra does for commands alone.
package suggest

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gitops-runtime/internal/schemacheck"
)

// Flag adds to the error of an unknown flag the one that is nearest to it. Other errors stay as they are.
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
