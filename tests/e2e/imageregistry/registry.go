// Package imageregistry runs the private container registry next to the local cluster. It does not know the images in it.
package imageregistry

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"gitops-runtime/tests/e2e/docker"
	"gitops-runtime/tests/e2e/images/gobuild"
	"gitops-runtime/tests/e2e/images/ocilayer"
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
	text, err := os.ReadFile(filepath.Join(r.Root, "tests", "e2e", "cmd", "registry", "main.go"))
	if err != nil {
		return "", fmt.Errorf("%s is not a checkout of this repository: %w", r.Root, err)
	}
	return fmt.Sprintf("gitops-runtime/registry:%x", sha256.Sum256(text))[:len("gitops-runtime/registry:")+12], nil
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
	program := filepath.Join(dir, "registry")
	source := gobuild.Program{Name: "registry", Dir: "tests/e2e", Package: "./cmd/registry", Own: true}
	if err := (gobuild.Toolchain{Root: r.Root}).Build(ctx, source, program); err != nil {
		return err
	}
	layer, err := ocilayer.Lasting([]ocilayer.Entry{{Path: "/registry", Mode: 0o755, HostFile: program}, {Path: "/data", Dir: true, Mode: 0o777}})
	if err != nil {
		return err
	}
	built, err := ocilayer.Image(v1.Config{Entrypoint: []string{"/registry", ":5000", "/data"}}, layer)
	if err != nil {
		return err
	}
	tag, err := name.NewTag(image)
	if err != nil {
		return err
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(tarball.Write(tag, built, writer)) }()
	return r.Engine.Load(ctx, reader)
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
