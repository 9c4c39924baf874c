package suggest

import (
	"errors"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

func TestFlag(t *testing.T) {
	t.Parallel()
	command := &cobra.Command{Use: "program"}
	command.Flags().String("registry", "", "")
	command.Flags().StringP("output", "o", "", "")
	command.Flags().String("secret", "", "")
	assert.NoError(t, command.Flags().MarkHidden("secret"))
	for arg, want := range map[string]string{
		"--registyr":  "unknown flag: --registyr; did you mean --registry?",
		"--outputt=x": "unknown flag: --outputt; did you mean --output?",
		"--secrt":     "unknown flag: --secrt",
		"--other":     "unknown flag: --other",
		"-x":          "unknown shorthand flag: 'x' in -x",
		"--registry":  "flag needs an argument: --registry",
	} {
		assert.EqualError(t, Flag(command, command.ParseFlags([]string{arg})), want)
	}
	assert.EqualError(t, Flag(command, errors.New("another")), "another")
}
