// Command registry is the private container registry of the local cluster: "registry ADDRESS DIRECTORY".
package main

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"gitops-runtime/localcluster/imageregistry/server"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "registry:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("got %d arguments; give the address to listen on and the directory of the data", len(args))
	}
	handler, err := server.Open(args[1])
	if err != nil {
		return err
	}
	server := &http.Server{Addr: args[0], Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}
