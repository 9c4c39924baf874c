// Package imageregistry runs the private container registry next to the local cluster. It does not know the images in it.
package imageregistry

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gitops-runtime/localcluster/docker"
	"gitops-runtime/localcluster/internal/archive"
	"gitops-runtime/localcluster/internal/process"
)

// Name is the registry's container, and its host name in the cluster.
const Name = "gitops-runtime-registry"

// InCluster is the registry's address for containerd in the nodes; it uses plain HTTP.
const InCluster = Name + ":5000"

// OnHost is the registry's address on this machine.
const OnHost = "127.0.0.1:5001"

// Registry is the private registry: a container with a static program, and its data in a directory of the host.
type Registry struct {
	// Root is the checkout, where the registry's source is.
	Root string
	// Data is the directory of the images; it outlives the container.
	Data string
	// Network is the Docker network of the nodes.
	Network string
	Engine  *docker.Engine
	Run     process.Runner
}

// Start makes sure that the registry runs and responds. A registry that was built from the same source is kept.
func (r Registry) Start(ctx context.Context) error {
	image, err := r.image()
	if err != nil {
		return err
	}
	state, err := r.Engine.Run(ctx, "ps", "--filter", "name=^"+Name+"$", "--filter", "network="+r.Network,
		"--format", "{{.Image}}")
	if err != nil {
		return err
	}
	if state == image && r.answers(ctx) == nil {
		return nil
	}
	if err := r.build(ctx, image); err != nil {
		return err
	}
	if err := r.Engine.Network(ctx, r.Network); err != nil {
		return err
	}
	if err := r.Engine.Remove(ctx, Name); err != nil {
		return err
	}
	if err := os.MkdirAll(r.Data, 0o755); err != nil {
		return err
	}
	_, err = r.Engine.Run(ctx, "run", "--detach", "--name", Name, "--network", r.Network, "--restart", "unless-stopped",
		"--user", fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid()), "--publish", OnHost+":5000",
		"--volume", r.Data+":/data", image)
	if err != nil {
		return err
	}
	return r.wait(ctx)
}

// Stop removes the container; the images stay.
func (r Registry) Stop(ctx context.Context) error { return r.Engine.Remove(ctx, Name) }

// image returns the name of the registry's image, whose tag is a digest of its source.
func (r Registry) image() (string, error) {
	hash := sha256.New()
	for _, pattern := range []string{"localcluster/cmd/registry/*.go", "localcluster/imageregistry/server/*.go"} {
		sources, err := filepath.Glob(filepath.Join(r.Root, pattern))
		if err != nil {
			return "", err
		}
		if len(sources) == 0 {
			return "", fmt.Errorf("no source of the registry in %s: that is not a checkout of this repository", r.Root)
		}
		for _, source := range sources {
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			text, err := os.ReadFile(source)
			if err != nil {
				return "", err
			}
			hash.Write(text)
		}
	}
	return fmt.Sprintf("gitops-runtime/registry:%x", hash.Sum(nil)[:6]), nil
}

// build builds the registry's image unless the engine has it.
func (r Registry) build(ctx context.Context, image string) error {
	if has, err := r.Engine.Has(ctx, image); err != nil || has {
		return err
	}
	dir, err := os.MkdirTemp("", "registry-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, layer := filepath.Join(dir, "registry"), filepath.Join(dir, "layer.tar")
	_, err = r.Run(ctx, process.Command{
		Name: "go",
		Args: []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./cmd/registry"},
		Env:  []string{"CGO_ENABLED=0", "GOOS=linux", "GOFLAGS=-buildvcs=false"},
		Dir:  filepath.Join(r.Root, "localcluster"),
	})
	if err != nil {
		return err
	}
	root, err := archive.Create(layer)
	if err != nil {
		return err
	}
	root.Copy("registry", 0o755, program)
	root.Dir("data", 0o777)
	if err := root.Close(); err != nil {
		return err
	}
	var out strings.Builder
	err = archive.Write(&out, archive.Image{
		Names:  []string{image},
		Layers: []string{layer},
		Config: archive.Config{Entrypoint: []string{"/registry", ":5000", "/data"}},
	})
	if err != nil {
		return err
	}
	return r.Engine.Load(ctx, strings.NewReader(out.String()))
}

// wait returns when the registry responds. If it does not within two minutes, the error contains the last lines of its log.
func (r Registry) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		err := r.answers(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			logs, logsErr := r.Engine.Run(context.WithoutCancel(ctx), "logs", "--tail", "5", Name)
			return errors.Join(fmt.Errorf("the registry %s does not answer: %w\n%s", OnHost, err, logs), logsErr)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (r Registry) answers(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+OnHost+"/v2/", nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: time.Second}).DialContext}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("http://%s/v2/ answers %s", OnHost, response.Status)
	}
	return nil
}
