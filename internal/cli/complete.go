package cli

import "github.com/spf13/cobra"

// Complete makes shells complete a flag of a command with the values that it takes. The flag has to be registered.
func Complete(command *cobra.Command, flag string, values []string) {
	if err := command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // a flag that does not exist, or two lists of values
	}
}
