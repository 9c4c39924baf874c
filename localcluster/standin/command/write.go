package command

import (
	"context"
	"fmt"
	"os"
)

// runWrite is the program of a workflow in a test, which writes an output.
func runWrite(_ context.Context, args []string, _ Streams) error {
	if len(args) != 2 {
		return UsageError{Message: "write: give FILE and TEXT"}
	}
	if err := os.WriteFile(args[0], []byte(args[1]), 0o644); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}
