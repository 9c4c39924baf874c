package security

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/internal/network"
	"gitops-runtime/tests/golden"
)

// Stranger is a pod that is not the runtime's, as the policies see it, and what it reaches of the runtime of the first case.
type Stranger struct {
	network.Endpoint
	// Listening are all ports of the runtime, Default those that the pod reaches by default, Restricted those that it reaches with the restricted preset;
	// each as "workload port".
	Listening, Default, Restricted []string
}

// Strangers returns a pod of each kind that the policies tell apart, for the charts of the checkout at root.
func Strangers(ctx context.Context, root string) ([]Stranger, error) {
	chart, err := golden.Load(ctx, root)
	if err != nil {
		return nil, err
	}
	first := golden.Cases()[0]
	byDefault, err := rendered(chart, first)
	if err != nil {
		return nil, err
	}
	first.Files = append(slices.Clone(first.Files), restrictedNeighbors)
	restricted, err := rendered(chart, first)
	if err != nil {
		return nil, err
	}
	all := []Stranger{
		{Endpoint: network.Endpoint{Name: "a workflow's pod, in the release's namespace", Namespace: golden.Namespace, Labels: map[string]string{"workflows.argoproj.io/workflow": "w"}}},
		{Endpoint: network.Endpoint{Name: "an event source's pod, in the release's namespace", Namespace: golden.Namespace, Labels: map[string]string{"controller": "eventsource-controller"}}},
		{Endpoint: network.Endpoint{Name: "any other pod of the release's namespace", Namespace: golden.Namespace, Labels: map[string]string{"app": "stranger"}}},
		{Endpoint: network.Endpoint{Name: "a pod of another namespace", Namespace: "elsewhere", Labels: map[string]string{"app": "stranger"}}},
	}
	for i, one := range all {
		all[i].Listening = byDefault.listening(one.Endpoint, nil)
		all[i].Default = byDefault.listening(one.Endpoint, byDefault.policies)
		all[i].Restricted = restricted.listening(one.Endpoint, restricted.policies)
	}
	return all, nil
}

// listening lists the ports of workloads that a pod can reach, or all of them without policies; Jobs and CronJobs do not listen.
func (r release) listening(from network.Endpoint, policies network.Policies) []string {
	var reached []string
	for _, name := range slices.Sorted(maps.Keys(r.pods)) {
		kind, workload, _ := strings.Cut(name, "/")
		if kind == "Job" || kind == "CronJob" {
			continue
		}
		pod := r.pods[name]
		for _, label := range slices.Sorted(maps.Keys(pod.Ports)) {
			if policies.Allow(from, pod, pod.Ports[label]) {
				reached = append(reached, fmt.Sprintf("%s %d", workload, pod.Ports[label]))
			}
		}
	}
	slices.Sort(reached)
	return slices.Compact(reached)
}

// writeReach writes what strangers reach: without policies, with those that the chart creates by default, and with those of the restricted preset.
func writeReach(out *bytes.Buffer, all []Stranger) {
	fmt.Fprintf(out, `
## What a workflow's author and a stranger's pod reach

The ports of the case %s that pods reach which are not the runtime's: without NetworkPolicies, as with the published chart; with those that the chart creates by
default; and with %[2]sglobal.networkPolicy.neighbors%[2]s of %[2]svalues-restricted.yaml%[2]s. An end-to-end test connects from such pods to every port, without policies and by default. A workflow's pod
needs app-proxy, to which it reports images. What a workflow's author can do with a service account is [above](#what-each-token-is-worth):
a workflow in the release's namespace runs under any account there, so run workflows of others in a namespace of their own, or with
%[2]sworkflowRestrictions.templateReferencing: Strict%[2]s. With %[2]sglobal.networkPolicy.restrictEgress%[2]s no pod of the runtime reaches the metadata of the cloud
(169.254.169.254); the pods of users' workflows are not selected.

| who | without policies | by default | restricted |
| --- | --- | --- | --- |
`, golden.Base, "`")
	for _, one := range all {
		row(out, one.Name, fmt.Sprintf("all %d ports", len(one.Listening)), strings.Join(one.Default, ", "), strings.Join(one.Restricted, ", "))
	}
}
