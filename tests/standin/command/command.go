// Package command is the command line of the stand-in program: one binary that implements each server that a test cluster lacks.
package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path"
	"slices"
	"strings"

	"gitops-runtime/tests/standin/settings"
)

// Streams are the environment and the outputs of a command.
type Streams struct {
	LookupEnv settings.Lookup
	Out       io.Writer
	Err       io.Writer
}

func (s Streams) log() *slog.Logger { return slog.New(slog.NewTextHandler(s.Err, nil)) }

// UsageError is an invalid command line; the program then exits with 2.
type UsageError struct{ Message string }

func (u UsageError) Error() string { return u.Message }

type command struct {
	name    string
	aliases []string // aliases are file names that start the command, as in the images of the real programs
	about   string
	run     func(ctx context.Context, args []string, streams Streams) error
}

func commands() []command {
	return []command{
		{"platform", nil, "the control plane: GraphQL, events, frp server plugin", runPlatform},
		{"app-proxy", nil, "cap-app-proxy: registers the runtime, keeps Argo CD's token, echoes requests", runAppProxy},
		{"app-proxy-init", []string{"init.sh"}, "cap-app-proxy-init: joins certificates", runAppProxyInit},
		{"leader-elector", nil, "the leader elector of app-proxy: holds a Lease or waits for it", runElector},
		{"argocd-extras", nil, "cf-argocd-extras: argo-gateway or event-reporter, by BINARY_NAME", runArgoCDExtras},
		{"gitops-operator", nil, "codefresh-gitops-operator: polls the platform for the work of promotions", runOperator},
		{"nats-exporter", nil, "prometheus-nats-exporter: listens on its port", runExporter},
		{"git-server", nil, "a Git server over HTTP for folders of files", runGitServer},
		{"health", nil, "a program that only answers probes", runHealth},
		{"dial", nil, "tries to connect to HOST:PORT, for tests of NetworkPolicies", runDial},
		{"write", nil, "a step of a workflow: writes FILE with TEXT", runWrite},
	}
}

// Run runs the command that arguments name. arguments[0] is the program's path: if its last part is a command's name or alias, that command runs with
// all other arguments. The error of a failed command is one sentence.
func Run(ctx context.Context, arguments []string, streams Streams) error {
	if len(arguments) == 0 {
		return UsageError{Message: usage()}
	}
	if found, ok := find(path.Base(arguments[0])); ok {
		return found.run(ctx, arguments[1:], streams)
	}
	if len(arguments) < 2 {
		return UsageError{Message: usage()}
	}
	found, ok := find(arguments[1])
	if !ok {
		return UsageError{Message: fmt.Sprintf("there is no command %q\n%s", arguments[1], usage())}
	}
	return found.run(ctx, arguments[2:], streams)
}

func find(name string) (command, bool) {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name || slices.Contains(c.aliases, name) })
	if i < 0 {
		return command{}, false
	}
	return all[i], true
}

func usage() string {
	var text strings.Builder
	text.WriteString("usage: standin COMMAND [FLAGS]\n")
	for _, c := range commands() {
		fmt.Fprintf(&text, "  %-15s %s\n", c.name, c.about)
	}
	return strings.TrimRight(text.String(), "\n")
}

// parse parses flags and returns the remaining arguments; an invalid flag is a UsageError.
func parse(flags *flag.FlagSet, args []string) ([]string, error) {
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); err != nil {
		return nil, UsageError{Message: fmt.Sprintf("%s: %v", flags.Name(), err)}
	}
	return flags.Args(), nil
}
