package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/findings"
)

const (
	surgePath = "global.surgeOnUpgrade"
	router    = "internal-router"
)

// room is an amount of CPU and memory.
type room struct{ cpu, memory resource.Quantity }

func (r *room) add(other room) {
	r.cpu.Add(other.cpu)
	r.memory.Add(other.memory)
}

func (r *room) sub(other room) {
	r.cpu.Sub(other.cpu)
	r.memory.Sub(other.memory)
}

func (r *room) holds(other room) bool {
	return r.cpu.Cmp(other.cpu) >= 0 && r.memory.Cmp(other.memory) >= 0
}

// noRoom returns a finding if the pods that an upgrade starts before it ends their predecessors do not fit on the nodes. Without room they stay Pending
// while the old ones hold it, and Helm waits until its timeout.
func (d *state) noRoom(ctx context.Context, nodes []cluster.Node) []findings.Finding {
	present, err := d.Cluster.DeploymentsIn(ctx, d.Namespace)
	if err != nil {
		return []findings.Finding{unknown("CLU200", helmvalues.Place{}, "Which pods the upgrade replaces", missing(err))}
	}
	if !slices.ContainsFunc(present, isAppProxy) {
		return nil // a new runtime
	}
	pods, err := d.Cluster.Pods(ctx)
	if err != nil {
		return []findings.Finding{unknown("CLU200", helmvalues.Place{}, "How much room the nodes have", missing(err))}
	}
	surge, free := d.Values.Bool(surgePath, false), freeRoom(nodes, pods)
	var needed room
	var pending []string
	for _, workload := range present {
		if !surge && workload.Metadata.Name != router || workload.Metadata.Labels[partOf] == "" || !d.owns(workload, nil) {
			continue
		}
		pod := requestsOf(workload.Spec.Template.Spec)
		needed.add(pod)
		if !place(free, pod) {
			pending = append(pending, workload.Metadata.Name)
		}
	}
	if len(pending) == 0 {
		return nil
	}
	fix := "add a node, or end other pods"
	if surge {
		fix += ", or --set " + surgePath + "=false, which ends each pod before its successor starts"
	}
	slices.Sort(pending)
	amount := fmt.Sprintf("%s CPU and %s", needed.cpu.String(), needed.memory.String())
	return []findings.Finding{findings.New("CLU202", d.place(surgePath), amount, strings.Join(pending, ", ")).WithFix("%s", fix)}
}

// freeRoom returns what the pods on each schedulable node leave of it.
func freeRoom(nodes []cluster.Node, pods []cluster.Pod) []*room {
	var free []*room
	for _, node := range nodes {
		cpu, memory, readable := offer(node)
		if !readable || node.Spec.Unschedulable {
			continue
		}
		left := &room{cpu, memory}
		for _, pod := range pods {
			if pod.Spec.NodeName == node.Metadata.Name && pod.Status.Phase != "Succeeded" && pod.Status.Phase != "Failed" {
				left.sub(requestsOf(pod.Spec))
			}
		}
		free = append(free, left)
	}
	return free
}

// place takes the room of a pod from the first node that has it, and reports whether there is one.
func place(free []*room, pod room) bool {
	for _, node := range free {
		if node.holds(pod) {
			node.sub(pod)
			return true
		}
	}
	return false
}

// requestsOf returns what the scheduler counts for a pod: the sum of its containers or, if larger, its largest init container. Quantities that cannot be
// parsed count as none.
func requestsOf(pod cluster.PodSpec) room {
	var sum room
	for _, container := range pod.Containers {
		sum.add(requests(container))
	}
	for _, container := range pod.InitContainers {
		one := requests(container)
		if one.cpu.Cmp(sum.cpu) > 0 {
			sum.cpu = one.cpu
		}
		if one.memory.Cmp(sum.memory) > 0 {
			sum.memory = one.memory
		}
	}
	return sum
}

func requests(container cluster.Container) room {
	cpu, _ := resource.ParseQuantity(container.Resources.Requests["cpu"])
	memory, _ := resource.ParseQuantity(container.Resources.Requests["memory"])
	return room{cpu, memory}
}
