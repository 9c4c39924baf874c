// Package kindcluster creates the local Kubernetes cluster: a kind cluster of one node with a private registry. The cluster pulls images only from that
// registry, so everything in it runs air-gapped. The package does not know the charts, nor where images come from.
package kindcluster

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/e2e/docker"
	"gitops-runtime/tests/e2e/imageregistry"
	"gitops-runtime/tests/e2e/images/reach"
	"gitops-runtime/tests/e2e/internal/process"
	"gitops-runtime/tests/e2e/internal/progress"
	"gitops-runtime/tests/e2e/nodeimage"
	"gitops-runtime/tests/hostlock"
)

// Name is the name of the kind cluster of the runtime.
const Name = "gitops-runtime"

// network is the Docker network of kind's nodes.
const network = "kind"

// Cluster is the local cluster. All its files are below Cache, except Kubeconfig; the machine's Docker, kubeconfig and kind clusters are not
// changed.
type Cluster struct {
	// Name is the name of the kind cluster; empty for the runtime's.
	Name string
	// Root is the checkout.
	Root string
	// Cache is the directory of data that outlives a checkout; see DefaultCache.
	Cache string
	// Kubeconfig is the file to which the cluster's credentials are written.
	Kubeconfig string
	// Kind is the kind program; empty is bin/kind in the checkout.
	Kind string
	// KindSource is the source of kind's module; empty for the one in hack/tools/go.mod.
	KindSource string
	// Ports are mapped into the cluster; nil is the package's Ports.
	Ports []Port
	// NodeImage is a published kind node image, for a Kubernetes version of choice; empty for the project's own version.
	NodeImage string
	// Run runs programs; nil is process.Exec.
	Run process.Runner
	// Observer is notified of each step; it may be nil.
	Observer progress.Observer

	// Engine is the Docker engine that the cluster runs on; Start sets it.
	Engine *docker.Engine
}

// DefaultCache returns the directory gitops-runtime in the user's cache directory: $XDG_CACHE_HOME, else ~/.cache.
func DefaultCache() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, Name), err
}

// Start makes sure that the cluster and its registry run, and writes the kubeconfig. A healthy cluster with the same configuration is reused; any other
// with this name is deleted and created again, so Start can be called again after it was interrupted.
func (c *Cluster) Start(ctx context.Context) error {
	c.defaults()
	turn := hostlock.Lock{Path: filepath.Join(c.Cache, "cluster.lock"), Busy: "another command works on the cluster"}
	release, err := turn.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if c.Engine, err = c.finder().Find(ctx); err != nil {
		return err
	}
	if err := c.Engine.Network(ctx, network); err != nil {
		return err
	}
	image, err := c.images(ctx)
	if err != nil {
		return err
	}
	return c.ensure(ctx, image)
}

// ensure makes sure that a complete cluster with the node image exists.
func (c *Cluster) ensure(ctx context.Context, image string) error {
	wanted := fingerprint(c.name(), c.Ports, image)
	found, err := c.inspect(ctx)
	if err != nil {
		return err
	}
	if why := found.unfit(wanted); why != "" {
		if err := c.replace(ctx, found, image, why); err != nil {
			return err
		}
	} else if err := c.exportKubeconfig(ctx); err != nil {
		return err
	}
	if err := c.connectRegistry(ctx); err != nil {
		return err
	}
	if err := progress.Step(c.Observer, "wait for DNS and storage", func() error { return c.waitForServices(ctx) }); err != nil {
		return err
	}
	return c.mark(ctx, wanted)
}

// images starts the registry and gets the node image, in parallel; it returns the image's name.
func (c *Cluster) images(ctx context.Context) (string, error) {
	source := c.KindSource
	if source == "" {
		module, err := gomodule.Find(ctx, filepath.Join(c.Root, "hack", "tools"), "sigs.k8s.io/kind")
		if err != nil {
			return "", err
		}
		source = module.Dir
	}
	builder := nodeimage.Builder{
		Published: c.NodeImage,
		Programs:  filepath.Join(c.Root, "tests", "e2e", "programs"),
		Kind:      filepath.Join(source, "images", "base", "files"),
		Cache:     filepath.Join(c.Cache, "node"),
		Run:       c.Run,
		Observer:  c.Observer,
	}
	var image string
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return progress.Step(c.Observer, "start the registry "+imageregistry.OnHost, func() error { return c.registry().Start(ctx) })
	})
	group.Go(func() (err error) {
		image, err = builder.Ensure(ctx, c.Engine, reach.New(http.DefaultTransport, reach.Limit).Host)
		return err
	})
	return image, group.Wait()
}

// replace deletes the existing cluster and creates it. Creation is tried twice, since kubeadm may exceed its deadlines on a busy machine.
func (c *Cluster) replace(ctx context.Context, found state, image, why string) error {
	for attempt := 1; ; attempt++ {
		if found.exists || attempt > 1 {
			if err := progress.Step(c.Observer, "delete the cluster that "+why, func() error { return c.kindDelete(ctx) }); err != nil {
				return err
			}
		}
		if err := freePorts(ctx, c.Ports); err != nil {
			return err
		}
		err := progress.Step(c.Observer, "create the cluster "+c.name(), func() error { return c.kindCreate(ctx, image) })
		if err == nil || attempt == 2 || ctx.Err() != nil {
			return err
		}
		why = "could not be created"
	}
}

// Stop deletes the cluster. The registry keeps running, for the next cluster.
func (c *Cluster) Stop(ctx context.Context) error {
	c.defaults()
	engine, err := c.finder().Running(ctx)
	if err != nil || engine == nil {
		return err
	}
	c.Engine = engine
	return progress.Step(c.Observer, "delete the cluster "+c.name(), func() error { return c.kindDelete(ctx) })
}

// Clean deletes the cluster, the registry with its images and the private Docker daemon with its data. Built node images
// stay in the cache.
func (c *Cluster) Clean(ctx context.Context) error {
	if err := c.Stop(ctx); err != nil {
		return err
	}
	if c.Engine != nil {
		if err := progress.Step(c.Observer, "remove the registry", func() error { return c.registry().Stop(ctx) }); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(filepath.Join(c.Cache, "registry")); err != nil {
		return err
	}
	daemon := docker.Daemon{Dir: filepath.Join(c.Cache, "docker"), Run: c.Run}
	return progress.Step(c.Observer, "remove the private Docker daemon", func() error { return daemon.Remove(ctx) })
}

func (c *Cluster) defaults() {
	if c.Run == nil {
		c.Run = process.Exec
	}
	if c.Ports == nil {
		c.Ports = Ports
	}
	if c.Kind == "" {
		c.Kind = filepath.Join(c.Root, "bin", "kind")
	}
}

func (c *Cluster) name() string { return cmp.Or(c.Name, Name) }

// container is the node's container, with kind's name for it.
func (c *Cluster) container() string { return c.name() + "-control-plane" }

// Address returns the URL of the API server for pods of other clusters on this machine; its certificate has the address of the node.
func (c *Cluster) Address(ctx context.Context) (string, error) {
	address, err := c.Engine.Run(ctx, "inspect", c.container(), "--format", "{{(index .NetworkSettings.Networks \""+network+"\").IPAddress}}")
	if err != nil {
		return "", fmt.Errorf("address of the node: %w", err)
	}
	return "https://" + net.JoinHostPort(strings.TrimSpace(address), "6443"), nil
}

// patches is the folder of kubeadm's patches on this machine.
func (c *Cluster) patches() string { return filepath.Join(c.Cache, "kubeadm-patches") }

func (c *Cluster) finder() docker.Finder {
	return docker.Finder{Dir: filepath.Join(c.Cache, "docker"), Run: c.Run, Observer: c.Observer}
}

func (c *Cluster) registry() imageregistry.Registry {
	return imageregistry.Registry{
		Root: c.Root, Data: filepath.Join(c.Cache, "registry"), Network: network, Engine: c.Engine,
	}
}

// readyWithin is the maximum time until a new node is ready.
const readyWithin = 6 * time.Minute
