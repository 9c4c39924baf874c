package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"gitops-runtime/hack/release/follow"
	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/outfile"
)

func followCommand() *cobra.Command {
	var folder string
	command := &cobra.Command{
		Use:   "follow BEFORE.tsv AFTER.tsv",
		Short: "Classify what a newer published chart changes",
		Long: `Compares two tables of facts of the published chart and classifies each difference: other images only, values, or variables, permissions and objects that a
person has to look at. Prints the report; --output also writes it, the image set and the classified differences. An aspect that it does not know is an error.`,
		Args: cobra.ExactArgs(2),
		RunE: func(command *cobra.Command, files []string) error {
			var tables [2][]follow.Row
			for i, name := range files {
				file, err := outfile.Open(name)
				if err != nil {
					return err
				}
				tables[i], err = follow.Read(name, file)
				_ = file.Close()
				if err != nil {
					return err
				}
			}
			before, after := filepath.Base(files[0]), filepath.Base(files[1])
			all := follow.Compare(tables[0], tables[1])
			if folder != "" {
				if err := follow.Write(folder, before, after, tables[1], all); err != nil {
					return err
				}
			}
			fmt.Fprint(command.OutOrStdout(), cleantext.Block(follow.Report(before, after, all)))
			if left := follow.Unclassified(all); len(left) > 0 {
				return errors.New("hack/release/follow does not know these aspects: " + fmt.Sprint(left))
			}
			return nil
		},
	}
	command.Flags().StringVarP(&folder, "output", "o", "", "folder to write images.tsv, differences.tsv and report.md to")
	return command
}
