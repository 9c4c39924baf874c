package install

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"gitops-runtime/tests/e2e/cost"
	"gitops-runtime/tests/e2e/images"
)

// Component is one workload of the runtime and its state in the cluster.
type Component struct {
	Kind, Name string
	// Image is the image of its first container.
	Image string
	// Ready and Wanted count pods.
	Ready, Wanted int32
	// Origin is where the image comes from; "" if it is not in the catalog.
	Origin images.Origin
}

// client returns a client for the cluster of a kubeconfig file.
func client(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w; make one with: make install", kubeconfig, err)
	}
	return kubernetes.NewForConfig(config)
}

// Cost measures the resource usage of the runtime's containers for a duration, and writes a table.
func (l *Local) Cost(ctx context.Context, duration time.Duration) error {
	c, err := client(l.Helm.Kubeconfig)
	if err != nil {
		return err
	}
	usages, err := cost.Measure(ctx, c, Namespace, duration, 10*time.Second)
	if err != nil {
		return err
	}
	return cost.Write(l.Out, usages)
}

// components returns the Deployments and StatefulSets of a namespace. origins maps a private image reference to its origin.
func components(ctx context.Context, c kubernetes.Interface, namespace string, origins map[string]images.Origin) ([]Component, error) {
	deployments, err := c.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list deployments of %s: %w", namespace, err)
	}
	sets, err := c.AppsV1().StatefulSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list stateful sets of %s: %w", namespace, err)
	}
	var all []Component
	for _, d := range deployments.Items {
		all = append(all, component("Deployment", d.ObjectMeta, d.Spec.Template, d.Status.ReadyReplicas, d.Spec.Replicas, origins))
	}
	for _, s := range sets.Items {
		all = append(all, component("StatefulSet", s.ObjectMeta, s.Spec.Template, s.Status.ReadyReplicas, s.Spec.Replicas, origins))
	}
	slices.SortFunc(all, func(a, b Component) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func component(kind string, meta metav1.ObjectMeta, pod corev1.PodTemplateSpec, ready int32, wanted *int32, origins map[string]images.Origin) Component {
	image := pod.Spec.Containers[0].Image
	count := int32(1)
	if wanted != nil {
		count = *wanted
	}
	return Component{Kind: kind, Name: meta.Name, Image: image, Ready: ready, Wanted: count, Origin: origins[image]}
}

// notReady returns the names of the components with pods that are not ready.
func notReady(all []Component) []string {
	var names []string
	for _, c := range all {
		if c.Ready < c.Wanted {
			names = append(names, fmt.Sprintf("%s (%d of %d)", c.Name, c.Ready, c.Wanted))
		}
	}
	return names
}

// writeStatus writes components as a table: component, image, ready, stand-in or real.
func writeStatus(out io.Writer, all []Component) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "COMPONENT\tREADY\tIMAGE\tFROM")
	for _, c := range all {
		origin := string(c.Origin)
		if origin == "" {
			origin = "unknown"
		}
		fmt.Fprintf(table, "%s\t%d/%d\t%s\t%s\n", c.Name, c.Ready, c.Wanted, c.Image, origin)
	}
	return table.Flush()
}
