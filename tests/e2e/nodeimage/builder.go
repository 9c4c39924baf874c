package nodeimage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/sync/errgroup"

	"gitops-runtime/tests/e2e/images/ocilayer"
	"gitops-runtime/tests/e2e/internal/process"
	"gitops-runtime/tests/e2e/internal/progress"
)

// Builder builds a node image from source. It keeps its results in a cache, under names that contain a digest of their inputs.
type Builder struct {
	// Programs is this repository's directory tests/e2e/programs.
	Programs string
	// Kind is the directory images/base/files of the module sigs.k8s.io/kind.
	Kind string
	// Published is the published node image to use, such as kindest/node:v1.33.4. If it is empty, Upstream or a built image is used.
	Published string
	// Cache is the directory of the results. It persists when a checkout is deleted.
	Cache    string
	Run      process.Runner
	Observer progress.Observer
}

// repository is the name of built images, without the tag.
const repository = "gitops-runtime/node"

// Image returns the name of the image that Archive builds. Its tag consists of the version of Kubernetes and a digest of all inputs.
func (b Builder) Image() (string, error) {
	key, err := b.key()
	if err != nil {
		return "", err
	}
	return repository + ":" + Kubernetes + "-" + key, nil
}

// Archive returns the path of a Docker archive with the image. It builds the archive unless the cache contains it.
func (b Builder) Archive(ctx context.Context) (string, error) {
	name, err := b.Image()
	if err != nil {
		return "", err
	}
	out := filepath.Join(b.Cache, strings.ReplaceAll(name[strings.LastIndex(name, "/")+1:], ":", "-")+".tar")
	if _, err := os.Stat(out); err == nil {
		return out, nil
	}
	if err := os.MkdirAll(b.Cache, 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(b.Cache, "work-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	debianLayer, proxyLayer, err := b.parts(ctx, work)
	if err != nil {
		return "", err
	}
	return out, progress.Step(b.Observer, "assemble the node image", func() error {
		node, err := b.assemble(work, debianLayer, proxyLayer)
		if err != nil {
			return err
		}
		if err := b.forget(); err != nil {
			return err
		}
		return writeArchive(out, map[string]v1.Image{name: node})
	})
}

// assemble returns the node image of the programs in work and of the Debian layers.
func (b Builder) assemble(work, debianLayer, proxyLayer string) (v1.Image, error) {
	system, err := systemImages(work, proxyLayer)
	if err != nil {
		return nil, err
	}
	images := filepath.Join(work, "images.tar")
	if err := writeArchive(images, system); err != nil {
		return nil, err
	}
	lower, err := tarball.LayerFromFile(debianLayer)
	if err != nil {
		return nil, err
	}
	upper, err := ocilayer.Lasting(nodeEntries(work, b.Kind, images))
	if err != nil {
		return nil, err
	}
	return ocilayer.Image(v1.Config{
		Entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"},
		Env:        []string{"container=docker", searchPath},
		StopSignal: "SIGRTMIN+3", // systemd's signal to halt
	}, lower, upper)
}

// forget deletes the archives of earlier images, which are no longer used.
func (b Builder) forget() error {
	archives, err := filepath.Glob(filepath.Join(b.Cache, "node-*.tar*"))
	if err != nil {
		return err
	}
	for _, archive := range archives {
		if err := os.Remove(archive); err != nil {
			return err
		}
	}
	return nil
}

// parts compiles the programs into work and returns the paths of the Debian layers. It creates both at the same time: the layers wait for a mirror,
// the compilers for a processor.
func (b Builder) parts(ctx context.Context, work string) (debianLayer, proxyLayer string, err error) {
	debianLayer = filepath.Join(b.Cache, "debian-"+digest(slices.Concat(nodePackages, []string{suite, file("customize.sh")})...)+".tar")
	proxyLayer = filepath.Join(b.Cache, "proxy-"+digest(slices.Concat(proxyPackages, []string{suite})...)+".tar")
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return b.debian(ctx, debianLayer, proxyLayer) })
	group.Go(func() error {
		for _, p := range programs {
			err := progress.Step(b.Observer, "compile "+p.name, func() error { return p.compile(ctx, b.Run, b.Programs, work) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	return debianLayer, proxyLayer, group.Wait()
}

func (b Builder) debian(ctx context.Context, nodeLayer, proxyLayer string) error {
	if exist(nodeLayer, proxyLayer) {
		return nil
	}
	d := debian{run: b.Run}
	mirror, err := d.prepare(ctx)
	if err != nil {
		return err
	}
	err = progress.Step(b.Observer, "unpack Debian packages for kube-proxy", func() error { return d.proxy(ctx, mirror, proxyLayer) })
	if err != nil {
		return err
	}
	return progress.Step(b.Observer, "install Debian packages for the node", func() error { return d.node(ctx, mirror, nodeLayer) })
}

func exist(files ...string) bool {
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	return true
}

// key returns a digest of all inputs of a node image, except the content of Debian packages, of which only the names are known.
func (b Builder) key() (string, error) {
	parts := slices.Concat([]string{runtime.GOARCH, suite, Kubernetes}, nodePackages, proxyPackages)
	for _, p := range programs {
		parts = append(parts, fmt.Sprint(p))
	}
	for _, tree := range []fs.FS{
		files, os.DirFS(filepath.Join(b.Programs, "kubernetes")), os.DirFS(filepath.Join(b.Programs, "node")), os.DirFS(b.Kind),
	} {
		err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() == "go.sum" { // go.mod determines the versions, and go may add to go.sum
				return err
			}
			text, err := fs.ReadFile(tree, path)
			parts = append(parts, path, string(text))
			return err
		})
		if err != nil {
			return "", fmt.Errorf("what the node image is made of: %w", err)
		}
	}
	return digest(parts...), nil
}

// digest returns the first twelve hexadecimal digits of a SHA-256 digest of the parts and their lengths.
func digest(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil))[:12]
}
