package command

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"gitops-runtime/tests/standin/gitserver"
	"gitops-runtime/tests/standin/serve"
)

func runGitServer(ctx context.Context, args []string, streams Streams) error {
	flags := flag.NewFlagSet("git-server", flag.ContinueOnError)
	address := flags.String("listen", ":8080", "address")
	root := flags.String("root", "/git", "empty folder for the repositories")
	folders := map[string]string{}
	flags.Func("repository", "NAME=FOLDER, such as apps.git=/repositories/apps; may be given several times", func(text string) error {
		name, folder, ok := strings.Cut(text, "=")
		if !ok || name == "" || folder == "" {
			return fmt.Errorf("%q is not of the form NAME=FOLDER", text)
		}
		folders[name] = folder
		return nil
	})
	if _, err := parse(flags, args); err != nil {
		return err
	}
	if len(folders) == 0 {
		return UsageError{Message: "git-server: give at least one -repository NAME=FOLDER"}
	}
	handler, err := gitserver.New(ctx, *root, folders)
	if err != nil {
		return err
	}
	return listenOn(ctx, "git-server", *address, serve.Logged(streams.log(), handler), streams)
}
