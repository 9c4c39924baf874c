// Package image builds the images of the product's own programs: each contains one static program and the public CAs, from scratch. Releases contain
// these images, and the local cluster runs images with the same content.
package image

import (
	"context"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/crypto/x509roots/fallback/bundle"

	"gitops-runtime/hack/release/artifact"
	"gitops-runtime/hack/release/source"
)

// Program is a program with its own image.
type Program struct {
	// Name is the name of the image below the registry's path.
	Name string
	// Package is the Go package that is compiled, Path the path of the program in the image.
	Package, Path string
	Description   string
	WorkingDir    string
}

// Programs returns all programs with images.
func Programs() []Program { return []Program{Installer(), Values(), Override()} }

// Installer returns validate-values as the chart's hooks run it.
func Installer() Program {
	return Program{
		Name: "gitops-runtime-installer", Package: "./validator/cmd/validate-hook", Path: "/validate-values",
		Description: "Checks the values of a GitOps runtime before it is installed", WorkingDir: "/",
	}
}

// Values returns validate-values as users run it, for the CronJobs of doctor and backup.
func Values() Program {
	return Program{
		Name: "validate-values", Package: "./validator/cmd/validate-values", Path: "/validate-values",
		Description: "Examines and saves a GitOps runtime", WorkingDir: "/",
	}
}

// Override returns image-override.
func Override() Program {
	return Program{
		Name: "image-override", Package: "./imageoverride/cmd/image-override", Path: "/image-override",
		Description: "Points every image of a Helm chart at a private registry, and proves it", WorkingDir: "/files",
	}
}

// Config returns the configuration of the program's containers.
func (p Program) Config() v1.Config {
	return v1.Config{
		User: "65532:65532", Entrypoint: []string{p.Path}, WorkingDir: p.WorkingDir,
		Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
	}
}

// Architectures returns the architectures of every image.
func Architectures() []string { return []string{"amd64", "arm64"} }

// Compiler compiles the program for Linux and an architecture, and returns its file.
type Compiler func(ctx context.Context, program Program, architecture, version string) (string, error)

// Go returns a compiler that runs the go command in the checkout at root, and writes programs to a folder.
func Go(root, folder string) Compiler {
	return func(ctx context.Context, program Program, architecture, version string) (string, error) {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", err
		}
		out := filepath.Join(folder, program.Name+"-linux-"+architecture)
		command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version="+version, "-o", out, program.Package)
		command.Dir = root
		// The lowest level of each architecture, independent of the build machine's settings.
		command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+architecture, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off")
		if output, err := command.CombinedOutput(); err != nil {
			return "", fmt.Errorf("compile %s for linux/%s: %w: %s", program.Package, architecture, err, strings.TrimSpace(string(output)))
		}
		return out, nil
	}
}

// Made is a built image with its programs.
type Made struct {
	Index v1.ImageIndex
	// Files are the compiled programs by architecture.
	Files map[string]string
}

// Make compiles a program for the architectures and packs it.
func Make(ctx context.Context, compile Compiler, program Program, from source.Source, version string, architectures ...string) (Made, error) {
	made := Made{Files: map[string]string{}}
	packed := artifact.Image{
		Created:     from.Time,
		Annotations: artifact.Annotations(program.Name, program.Description, version, from.Name(), from.URL, from.Time),
		Config:      program.Config(),
	}
	authorities := artifact.File{Path: AuthoritiesPath, Mode: 0o644, Content: []byte(Authorities())}
	for _, architecture := range architectures {
		file, err := compile(ctx, program, architecture, version)
		if err != nil {
			return Made{}, err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return Made{}, err
		}
		made.Files[architecture] = file
		packed.Platforms = append(packed.Platforms, artifact.Platform{
			OS: "linux", Architecture: architecture,
			Layers: [][]artifact.File{{authorities}, {{Path: program.Path, Mode: 0o755, Content: content}}},
		})
	}
	index, err := packed.Index()
	if err != nil {
		return Made{}, fmt.Errorf("image %s: %w", program.Name, err)
	}
	made.Index = index
	return made, nil
}

// AuthoritiesPath is the path of the public CA certificates in images.
const AuthoritiesPath = "/etc/ssl/certs/ca-certificates.crt"

// Authorities returns the public CA certificates that Mozilla trusts, in PEM format.
func Authorities() string {
	var text strings.Builder
	for root := range bundle.Roots() {
		text.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
	}
	return text.String()
}
