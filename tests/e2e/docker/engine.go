// Package docker provides a working Docker engine: an existing one or a private daemon. It does not know kind, nor the images of the engine.
package docker

import (
	"context"
	"fmt"
	"io"
	"strings"

	"gitops-runtime/tests/e2e/internal/process"
)

// Engine is a Docker engine, called through the docker program.
type Engine struct {
	// Host is the engine's address as in DOCKER_HOST; empty for the default of the docker program.
	Host string
	run  process.Runner
}

// At returns the engine with the given address, without checking whether it responds.
func At(host string, run process.Runner) *Engine { return &Engine{Host: host, run: run} }

// Env returns the environment variables by which programs find this engine.
func (e *Engine) Env() []string {
	if e.Host == "" {
		return nil
	}
	return []string{"DOCKER_HOST=" + e.Host}
}

// Run calls the docker program with the arguments and returns what it wrote.
func (e *Engine) Run(ctx context.Context, args ...string) (string, error) {
	return e.RunWith(ctx, nil, args...)
}

// RunWith is Run with standard input for the program.
func (e *Engine) RunWith(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	return e.run(ctx, process.Command{Name: "docker", Args: args, Env: e.Env(), Stdin: stdin})
}

// Load loads the images of a Docker archive into the engine (see package archive).
func (e *Engine) Load(ctx context.Context, images io.Reader) error {
	_, err := e.RunWith(ctx, images, "load", "--quiet")
	return err
}

// Has reports whether the engine has an image of this name.
func (e *Engine) Has(ctx context.Context, image string) (bool, error) {
	found, err := e.Run(ctx, "image", "ls", "--quiet", image)
	return found != "", err
}

// Network creates a bridge network with this name if it does not exist.
func (e *Engine) Network(ctx context.Context, name string) error {
	found, err := e.Run(ctx, "network", "ls", "--quiet", "--filter", "name=^"+name+"$")
	if err != nil || found != "" {
		return err
	}
	_, err = e.Run(ctx, "network", "create", "--driver", "bridge", name)
	return err
}

// Remove deletes a container and its anonymous volumes, running or not; one that does not exist is not an error.
func (e *Engine) Remove(ctx context.Context, container string) error {
	_, err := e.Run(ctx, "rm", "--force", "--volumes", container)
	if err != nil && strings.Contains(err.Error(), "No such container") {
		return nil
	}
	return err
}

// Answers returns nil if the engine responds, otherwise the reason.
func (e *Engine) Answers(ctx context.Context) error {
	if _, err := e.Run(ctx, "version", "--format", "{{.Server.Version}}"); err != nil {
		return fmt.Errorf("the Docker engine does not answer: %w", err)
	}
	return nil
}
