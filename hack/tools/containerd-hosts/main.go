// Command containerd-hosts prints where containerd pulls the images of registries from, by its folder of hosts.toml:
// "containerd-hosts FOLDER REGISTRY...". The reader is containerd's own.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/containerd/containerd/remotes/docker/config"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "containerd-hosts:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("got %d arguments; give the folder and at least one registry", len(args))
	}
	configure := config.ConfigureHosts(context.Background(), config.HostOptions{HostDir: config.HostDirFromRoot(args[0])})
	for _, registry := range args[1:] {
		hosts, err := configure(registry)
		if err != nil {
			return fmt.Errorf("%s: %w", registry, err)
		}
		for _, host := range hosts {
			fmt.Printf("%s %s://%s%s\n", registry, host.Scheme, host.Host, host.Path)
		}
	}
	return nil
}
