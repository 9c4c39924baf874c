package cli

import (
	"errors"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

func TestSuggestFlag(t *testing.T) {
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
		assert.EqualError(t, SuggestFlag(command, command.ParseFlags([]string{arg})), want)
	}
	assert.EqualError(t, SuggestFlag(command, errors.New("another")), "another")
}

func TestSuggestCommand(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "program"}
	for _, name := range []string{"generate", "verify", "verify-mirror"} {
		root.AddCommand(&cobra.Command{Use: name + " CHART", Run: func(*cobra.Command, []string) {}})
	}
	root.AddCommand(&cobra.Command{Use: "secret", Hidden: true, Run: func(*cobra.Command, []string) {}})
	for word, want := range map[string]string{"generat": "generate", "verfiy": "verify", "secre": "", "values.yaml": ""} {
		assert.Equal(t, want, SuggestCommand(root, word), word)
	}
}
