package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/imagelock"
	"gitops-runtime/hack/release/vex"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/vulnerable"
)

func vexCommand() *cobra.Command {
	var out string
	command := &cobra.Command{
		Use:   "vex",
		Short: "Write which known vulnerabilities the images of the charts have, as an OpenVEX document for scanners",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := gomodule.Root()
			if err != nil {
				return err
			}
			product, err := address.Read(root)
			if err != nil {
				return err
			}
			images, err := imagelock.Listed(root, product.Images())
			if err != nil {
				return err
			}
			lock, err := imagelock.Read(root)
			if err != nil {
				return err
			}
			known, err := vulnerable.Known()
			if err != nil {
				return err
			}
			document, err := vex.Document(known, images, lock.Images, cmp.Or(product.Supplier(), product.Module))
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
				return err
			}
			file, err := os.Create(out)
			if err != nil {
				return err
			}
			if err := document.ToJSON(file); err != nil {
				_ = file.Close()
				return fmt.Errorf("write %s: %w", out, err)
			}
			fmt.Printf("%d statements in %s\n", len(document.Statements), out)
			return file.Close()
		},
	}
	command.Flags().StringVarP(&out, "output", "o", filepath.Join("out", "gitops-runtime.openvex.json"), "output file")
	return command
}
