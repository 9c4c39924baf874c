package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/e2e/imageregistry"
	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/internal/progress"
	"gitops-runtime/tests/e2e/kindcluster"
)

// RegistryInCluster is the private registry's address in the cluster; RegistryOnHost is its address on this machine.
const (
	RegistryInCluster = imageregistry.InCluster
	RegistryOnHost    = imageregistry.OnHost
)

// Local is the local cluster with everything that a runtime needs: images in a private registry, and the platform.
type Local struct {
	Root     string // Root is the checkout.
	Cluster  *kindcluster.Cluster
	Catalog  *images.Catalog
	Helm     Helm
	Kubectl  addons.Kubectl
	Observer progress.Observer
	// Restricted adds values-restricted.yaml, and makes the runtime's namespace enforce the Pod Security level restricted.
	Restricted bool
	// DefaultRequests leaves the stand-ins the requests that the chart gives the programs they stand for.
	DefaultRequests bool
	// Out receives Helm's output and the status table.
	Out io.Writer
}

// New returns the local cluster of the checkout at root; its programs are in bin/, its files in .cache/. The environment variable KIND_NODE_IMAGE
// selects a published node image, for another version of Kubernetes.
func New(root string, out io.Writer) (*Local, error) {
	cache, err := kindcluster.DefaultCache()
	if err != nil {
		return nil, err
	}
	catalog, err := images.New(root, cache)
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(root, ".cache", "kubeconfig")
	observer := progress.Lines(out)
	return &Local{
		Root: root,
		Cluster: &kindcluster.Cluster{
			Root: root, Cache: cache, Kubeconfig: kubeconfig, Kind: filepath.Join(root, "bin", "kind"), NodeImage: os.Getenv("KIND_NODE_IMAGE"), Observer: observer,
		},
		Catalog:  catalog,
		Helm:     Helm{Path: filepath.Join(root, "bin", "helm"), Kubeconfig: kubeconfig, Home: filepath.Join(root, ".cache", "helm")},
		Kubectl:  addons.Kubectl{Path: filepath.Join(root, "bin", "kubectl"), Kubeconfig: kubeconfig},
		Observer: observer,
		Out:      out,
	}, nil
}

// Ready is a local cluster that is ready for an install in a mode.
type Ready struct {
	// ValueFiles are the values of the mode and those that image-override generated, for helm -f.
	ValueFiles []string
	// CAFile contains the CA certificate of the platform's front, PEM.
	CAFile string
	// Origins are the origins of the images, by private image reference.
	Origins map[string]images.Origin
}

// Prepare creates the cluster, gets the images that a mode needs, fills the private registry, and starts the platform. Existing parts are reused.
func (l *Local) Prepare(ctx context.Context, name images.Mode) (Ready, error) {
	mode, err := lookUpMode(name)
	if err != nil {
		return Ready{}, err
	}
	wanted, err := l.Catalog.ForMode(name)
	if err != nil {
		return Ready{}, err
	}
	var available []images.Image
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return l.Cluster.Start(groupCtx) })
	group.Go(func() error {
		var err error
		available, err = l.Catalog.Ensure(groupCtx, wanted, l.Observer)
		return err
	})
	if err := group.Wait(); err != nil {
		return Ready{}, err
	}
	overrides, err := l.overrideImages(ctx, name, available)
	if err != nil {
		return Ready{}, err
	}
	digests, err := l.offer(ctx, overrides)
	if err != nil {
		return Ready{}, err
	}
	// by digest, so that a changed stand-in replaces the running one
	ca, err := l.startPlatform(ctx, mode, func(source string) string {
		target := overrides.target(source)
		if digest, known := digests[target]; known {
			target += "@" + digest
		}
		return target
	})
	if err != nil {
		return Ready{}, err
	}
	return l.write(name, ca, overrides)
}

// startPlatform applies the platform's stand-in and the other objects of the mode; it returns the front's CA.
func (l *Local) startPlatform(ctx context.Context, mode mode, target func(string) string) ([]byte, error) {
	var ca []byte
	err := progress.Step(l.Observer, "platform: stand-in started", func() error {
		bundle, err := l.Kubectl.TLS(ctx)
		if err != nil {
			return err
		}
		ca = bundle.CA
		enforced, err := l.enforcesPolicies(ctx)
		if err != nil {
			return err
		}
		server, err := l.tunnelServer(ctx, target)
		if err != nil {
			return err
		}
		options := addons.Options{
			TunnelServer: server,
			Images: addons.Images{
				StandIn: target("gitops-runtime/standin:dev"),
				Nginx:   target(nginx),
				Traefik: target("docker.io/library/traefik:v3.6.12"),

				KubeRouter: target("docker.io/cloudnativelabs/kube-router:v2.1.0"),
			},
			NetworkPolicies:  !enforced,
			TLS:              bundle,
			RuntimeNamespace: Namespace,
			TunnelName:       AccountID + "-" + Name,
		}
		objects, err := objectsFor(mode, options)
		if err != nil {
			return err
		}
		definitions, err := addons.Definitions()
		if err != nil {
			return err
		}
		if err := l.Kubectl.Apply(ctx, definitions, 3*time.Minute); err != nil {
			return err
		}
		// the ingress controller, the Gateway and the mesh's gateway share a port of this machine: the objects of another mode are removed first
		if err := l.removeOthers(ctx, mode, options, objects); err != nil {
			return err
		}
		return l.Kubectl.Apply(ctx, objects, 6*time.Minute)
	})
	return ca, err
}

// enforcesPolicies reports whether the node's network plugin enforces NetworkPolicies. The plugin of kind's published images does, as DaemonSet
// kindnet; the static one of a node built from source does not.
func (l *Local) enforcesPolicies(ctx context.Context) (bool, error) {
	c, err := client(l.Helm.Kubeconfig)
	if err != nil {
		return false, err
	}
	_, err = c.AppsV1().DaemonSets("kube-system").Get(ctx, "kindnet", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for the network of kind's nodes: %w", err)
	}
	return true, nil
}

// write writes the files of an install below .cache/install.
func (l *Local) write(name images.Mode, ca []byte, overrides overrides) (Ready, error) {
	values, err := Values(name, ca, l.DefaultRequests)
	if err != nil {
		return Ready{}, err
	}
	dir := filepath.Join(l.Root, ".cache", "install")
	ready := Ready{
		ValueFiles: []string{filepath.Join(dir, "values-"+string(name)+".yaml"), overrides.valuesFile},
		CAFile:     filepath.Join(dir, "platform-ca.pem"),
		Origins:    overrides.origins,
	}
	return ready, errors.Join(
		os.MkdirAll(dir, 0o700),
		os.WriteFile(ready.ValueFiles[0], values, 0o600),
		os.WriteFile(ready.CAFile, ca, 0o600),
	)
}

// Install installs the chart into a cluster that Prepare has prepared, waits for every workload, and shows the result. extra are additional values files
// and --set of the user.
func (l *Local) Install(ctx context.Context, name images.Mode, ready Ready, valueFiles, sets []string) error {
	mode, err := lookUpMode(name)
	if err != nil {
		return err
	}
	if err := l.Kubectl.Apply(ctx, namespaceObjects(l.Restricted), 3*time.Minute); err != nil {
		return err
	}
	chart := filepath.Join(l.Root, "charts", "gitops-runtime")
	if l.Restricted {
		valueFiles = append([]string{filepath.Join(chart, "values-restricted.yaml")}, valueFiles...)
	}
	upgrade := Upgrade{
		Release: Release, Chart: chart, Namespace: Namespace,
		ValueFiles: append(append([]string{}, ready.ValueFiles...), valueFiles...), Sets: sets, Timeout: 10 * time.Minute,
	}
	fmt.Fprintf(l.Out, "helm upgrade --install %s charts/gitops-runtime -n %s (%s mode)\n", Release, Namespace, name)
	start := time.Now()
	if err := l.Helm.Upgrade(ctx, upgrade, l.Out); err != nil {
		return err
	}
	fmt.Fprintf(l.Out, "helm: done in %.0f s\n", time.Since(start).Seconds())
	if err := progress.Step(l.Observer, "runtime: every workload is ready", func() error { return l.wait(ctx, 5*time.Minute) }); err != nil {
		return err
	}
	return l.Status(ctx, mode.name, ready)
}

// Status writes the status table of the runtime, its URL, and what to try next.
func (l *Local) Status(ctx context.Context, name images.Mode, ready Ready) error {
	mode, err := lookUpMode(name)
	if err != nil {
		return err
	}
	c, err := client(l.Helm.Kubeconfig)
	if err != nil {
		return err
	}
	all, err := components(ctx, c, Namespace, ready.Origins)
	if err != nil {
		return err
	}
	fmt.Fprintln(l.Out)
	if err := writeStatus(l.Out, all); err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.Out, `
Access mode %s, public URL %s://%s
Try:
  %s
  KUBECONFIG=%s bin/kubectl get pods -n %s
  make e2e
`, mode.name, mode.Scheme, mode.Host, mode.curl(relative(l.Root, ready.CAFile), "/app-proxy/hello"), relative(l.Root, l.Helm.Kubeconfig), Namespace)
	return err
}

// relative returns a path relative to the checkout's root, or the path itself if that fails.
func relative(root, path string) string {
	if short, err := filepath.Rel(root, path); err == nil {
		return short
	}
	return path
}
