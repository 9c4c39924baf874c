package overridecmd

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gitops-runtime/imageoverride/export"
	"gitops-runtime/internal/cli"
	"gitops-runtime/internal/outfile"
)

func exportCommand(streams Streams) *cobra.Command {
	var format, folder string
	command := &cobra.Command{
		Use:   "export image-mirror.csv --format " + strings.Join(export.Formats(), "|"),
		Short: "Write a mirror table for crane, regsync, skopeo, containerd or Chart.yaml",
		Args:  needs(tableArgument),
		RunE: func(_ *cobra.Command, args []string) error {
			if format == "" {
				return usage{fmt.Errorf("--format is missing; choose one of %s", strings.Join(export.Formats(), ", "))}
			}
			if !slices.Contains(export.Formats(), format) {
				return usage{fmt.Errorf("--format %q is unknown; choose one of %s", format, strings.Join(export.Formats(), ", "))}
			}
			pairs, err := readPairs(args[0])
			if err != nil {
				return err
			}
			files, err := export.Write(format, pairs)
			if err != nil {
				return err
			}
			return writeAll(streams, folder, files)
		},
	}
	command.Flags().StringVar(&format, "format", "", strings.Join(export.Formats(), ", "))
	cli.Complete(command, "format", export.Formats())
	command.Flags().StringVarP(&folder, "output", "o", "out", "output folder")
	return command
}

func writeAll(streams Streams, folder string, files export.Files) error {
	names := slices.Sorted(maps.Keys(files))
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("output folder %s is a file; name another with -o", folder)
	}
	p := printer{out: streams.Out}
	for _, name := range names {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("output folder %s cannot be created: %s", filepath.Dir(path), outfile.Cause(err))
		}
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		if err := outfile.Write(path, files[name], mode); err != nil {
			return err
		}
		p.line("%s", path)
	}
	return p.err
}
