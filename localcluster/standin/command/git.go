package command

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"gitops-runtime/localcluster/standin/gitserver"
	"gitops-runtime/tests/standin/serve"
)

func runGitServer(ctx context.Context, args []string, streams Streams) error {
	flags := flag.NewFlagSet("git-server", flag.ContinueOnError)
	address := flags.String("listen", ":8080", "address")
	repositories := map[string]*gitserver.Repository{}
	flags.Func("repository", "NAME=FOLDER, such as apps.git=/repositories/apps; may be given several times", func(text string) error {
		name, folder, ok := strings.Cut(text, "=")
		if !ok || name == "" || folder == "" {
			return fmt.Errorf("%q is not of the form NAME=FOLDER", text)
		}
		repository, err := gitserver.ReadFolder(os.DirFS(folder))
		repositories[name] = repository
		return err
	})
	if _, err := parse(flags, args); err != nil {
		return err
	}
	if len(repositories) == 0 {
		return UsageError{Message: "git-server: give at least one -repository NAME=FOLDER"}
	}
	handler := serve.Logged(streams.log(), gitserver.New(repositories))
	return listenOn(ctx, "git-server", *address, nil, handler, streams)
}
