package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gitops-runtime/hack/release/image"
	"gitops-runtime/hack/release/source"
	"gitops-runtime/hack/release/version"
	"gitops-runtime/internal/gomodule"
)

func imageCommand() *cobra.Command {
	var folder, architecture string
	command := &cobra.Command{
		Use:   "image [NAME...]",
		Short: "Write the images of the programs as files for docker load and podman load",
		Long:  "Builds the images that publish would push, for one architecture, without a registry and without signatures. Without a name it builds all.",
		RunE: func(command *cobra.Command, names []string) error {
			programs, err := named(names)
			if err != nil {
				return err
			}
			root, err := gomodule.Root()
			if err != nil {
				return err
			}
			current, err := version.Read(root)
			if err != nil {
				return err
			}
			from, err := source.Read(command.Context(), root, "", true)
			if err != nil {
				return err
			}
			for _, program := range programs {
				built, err := image.Make(command.Context(), image.Go(root, filepath.Join(root, ".cache", "release")), program, from, current, architecture)
				if err != nil {
					return err
				}
				file := filepath.Join(folder, program.Name+"-"+architecture+".tar")
				tag, err := built.WriteArchive(file, program, architecture, current)
				if err != nil {
					return err
				}
				fmt.Printf("%s is %s: docker load -i %s\n", file, tag, file)
			}
			return nil
		},
	}
	command.Flags().StringVarP(&folder, "output", "o", filepath.Join("out", "programs"), "folder to write to")
	command.Flags().StringVar(&architecture, "architecture", runtime.GOARCH, "architecture of the programs, one of "+strings.Join(image.Architectures(), ", "))
	return command
}

// named returns the programs of these names; without names, all programs.
func named(names []string) ([]image.Program, error) {
	if len(names) == 0 {
		return image.Programs(), nil
	}
	var found []image.Program
	for _, name := range names {
		all := image.Programs()
		at := slices.IndexFunc(all, func(program image.Program) bool { return program.Name == name })
		if at < 0 {
			var known []string
			for _, each := range all {
				known = append(known, each.Name)
			}
			return nil, fmt.Errorf("there is no image %q; name one of %s", name, strings.Join(known, ", "))
		}
		found = append(found, all[at])
	}
	return found, nil
}
