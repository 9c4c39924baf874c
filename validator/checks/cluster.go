package checks

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// oldest is the oldest Kubernetes version that serves every API version the
// chart renders.
var oldest = [2]int{1, 23}

// majorMinor matches the major and the minor number of a version; a vendor's suffix may follow.
var majorMinor = regexp.MustCompile(`^v?([0-9]+)\.([0-9]+)`)

func numbers(version string) ([2]int, bool) {
	found := majorMinor.FindStringSubmatch(version)
	if found == nil {
		return [2]int{}, false
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	return [2]int{major, minor}, true
}

func older(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }

func checkVersion(ctx context.Context, d *state) engine.Outcome {
	if d.Cluster == nil {
		return lacks(needsCluster)
	}
	version, err := d.Cluster.Version(ctx)
	if err != nil {
		return found(unknown("CLU100", helmvalues.Place{}, "The cluster's version", missing(err)))
	}
	parsed, ok := numbers(version)
	switch {
	case !ok:
		return found(unknown("CLU100", helmvalues.Place{}, "The cluster's version", fmt.Sprintf("the server calls itself %q", version)))
	case older(parsed, oldest):
		return found(findings.New("CLU101", helmvalues.Place{}, version, fmt.Sprintf("%d.%d", oldest[0], oldest[1])))
	}
	return found()
}

// Allocatable resources that one node needs for the runtime's largest pods.
var (
	enoughCPU    = resource.MustParse("2")
	enoughMemory = resource.MustParse("5000M")
)

func checkNodes(ctx context.Context, d *state) engine.Outcome {
	if cannot, ok := d.reach(); !ok {
		return cannot
	}
	nodes, err := d.Cluster.Nodes(ctx)
	if err != nil {
		return found(unknown("CLU200", helmvalues.Place{}, "The size of the nodes", missing(err)))
	}
	return found(append(largeEnough(nodes), d.noRoom(ctx, nodes)...)...)
}

// largeEnough returns a finding if no node offers what the runtime's largest pods need.
func largeEnough(nodes []cluster.Node) []findings.Finding {
	largest, offered := "none is known", resource.Quantity{}
	for _, node := range nodes {
		cpu, memory, readable := offer(node)
		switch {
		case !readable:
			continue
		case cpu.Cmp(enoughCPU) >= 0 && memory.Cmp(enoughMemory) >= 0:
			return nil
		case memory.Cmp(offered) > 0:
			offered = memory
			largest = fmt.Sprintf("%s with %s CPU and %s", node.Metadata.Name, cpu.String(), memory.String())
		}
	}
	return []findings.Finding{findings.New("CLU201", helmvalues.Place{}, largest)}
}

func offer(node cluster.Node) (cpu, memory resource.Quantity, readable bool) {
	cpu, err := resource.ParseQuantity(node.Status.Allocatable["cpu"])
	if err != nil {
		return cpu, memory, false
	}
	memory, err = resource.ParseQuantity(node.Status.Allocatable["memory"])
	return cpu, memory, err == nil
}
