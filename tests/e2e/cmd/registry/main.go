// Command registry is the private container registry of the local cluster: "registry ADDRESS DIRECTORY". It keeps the content of images in the
// directory and their names in memory: after a restart, the next push sends only the names again.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintf(os.Stderr, "registry: got %d arguments; give the address to listen on and the directory of the data\n", len(os.Args)-1)
		os.Exit(2)
	}
	handler, err := serve(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "registry:", err)
		os.Exit(1)
	}
	server := &http.Server{Addr: os.Args[1], Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintln(os.Stderr, "registry:", server.ListenAndServe())
	os.Exit(1)
}

// serve returns the registry's handler. Once the data is deleted, every request fails, so that the local cluster starts the registry anew.
func serve(data string) (http.Handler, error) {
	blobs := filepath.Join(data, "blobs")
	if err := os.MkdirAll(blobs, 0o755); err != nil {
		return nil, err
	}
	images := registry.New(registry.WithBlobHandler(registry.NewDiskBlobHandler(blobs)), registry.Logger(log.New(io.Discard, "", 0)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(blobs); err != nil {
			http.Error(w, fmt.Sprintf("the registry's data is gone: %v", err), http.StatusInternalServerError)
			return
		}
		images.ServeHTTP(w, r)
	}), nil
}
