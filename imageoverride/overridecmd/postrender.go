package overridecmd

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gitops-runtime/imageoverride/postrender"
)

func postRenderCommand(streams Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "post-render image-mirror.csv < manifests",
		Short: "Replace the images of a mirror table in rendered manifests, as a Helm post-renderer",
		Example: "  helm install NAME CHART -f values-images-no-tags.yaml \\\n" +
			"    --post-renderer image-override --post-renderer-args post-render --post-renderer-args image-mirror.csv",
		Args: needs(tableArgument),
		RunE: func(command *cobra.Command, args []string) error {
			pairs, err := readPairs(args[0])
			if err != nil {
				return err
			}
			in := command.InOrStdin()
			if file, ok := in.(*os.File); ok {
				if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
					return usage{fmt.Errorf("no manifests on standard input; Helm gives them when this is its --post-renderer")}
				}
			}
			_, err = postrender.Stream(in, streams.Out, postrender.FromPairs(pairs))
			return err
		},
	}
}
