package command

import (
	"context"
	"fmt"
	"os"

	"gitops-runtime/tests/standin/dial"
)

// runDial is what a test runs in a pod of a closed program: NetworkPolicies depend on the pod, not on the program.
func runDial(ctx context.Context, args []string, _ Streams) error {
	if len(args) != 1 {
		return UsageError{Message: "dial: give HOST:PORT"}
	}
	return dial.TCP(ctx, args[0])
}

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
