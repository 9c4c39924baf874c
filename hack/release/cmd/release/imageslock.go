package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/imagelock"
	"gitops-runtime/internal/gomodule"
)

func imagesLockCommand() *cobra.Command {
	var flags common
	command := &cobra.Command{
		Use:   "images-lock",
		Short: "Ask the registries for the digests of all images of other projects that the charts install, and write them to the checkout",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
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
			access, err := flags.access()
			if err != nil {
				return err
			}
			lock, err := imagelock.Resolve(command.Context(), access, images, time.Now())
			if err != nil {
				return err
			}
			if err := lock.Write(root); err != nil {
				return err
			}
			fmt.Printf("%d images in %s\n", len(lock.Images), imagelock.File)
			return nil
		},
	}
	flags.registries.Register(command.Flags())
	return command
}
