// Package security generates the page for reviewers who decide whether the chart may run on their cluster: every service account with every rule
// and its reason, every port and what can reach it, every external target, every Secret and what reads it. Everything is derived from rendered
// objects; the reasons are next to the rules in the templates and are rendered as comments.
package security

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/internal/network"
	"gitops-runtime/tests/golden"
)

// release is one rendered case with NetworkPolicies.
type release struct {
	name      string
	documents []golden.Document
	pods      map[string]network.Endpoint
	policies  network.Policies
}

// releases renders every golden case of the checkout at root.
func releases(ctx context.Context, root string) ([]release, error) {
	chart, err := golden.Load(ctx, root)
	if err != nil {
		return nil, err
	}
	var all []release
	for _, of := range golden.Cases() {
		of.Files = append(slices.Clone(of.Files), restrictedNeighbors)
		made, err := rendered(chart, of)
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}

// restrictedNeighbors is a values file with the policies of values-restricted.yaml, and restricted egress.
const restrictedNeighbors = "ci/network-policy-values.yaml"

func rendered(chart golden.Chart, of golden.Case) (release, error) {
	documents, err := chart.Documents(of)
	if err != nil {
		return release{}, err
	}
	made := release{name: of.Name, documents: documents}
	if made.policies, err = network.Read(made.objects(), golden.Namespace); err != nil {
		return release{}, fmt.Errorf("case %s: %w", of.Name, err)
	}
	if made.pods, err = network.Pods(made.objects(), golden.Namespace); err != nil {
		return release{}, fmt.Errorf("case %s: %w", of.Name, err)
	}
	return made, nil
}

func (r release) objects() []unstructured.Unstructured {
	var objects []unstructured.Unstructured
	for _, document := range r.documents {
		objects = append(objects, *document.Object)
	}
	return objects
}

// occasions collects the cases in which something is found, in the order of the cases.
type occasions []string

func (o *occasions) add(name string) {
	if !slices.Contains(*o, name) {
		*o = append(*o, name)
	}
}

// of describes the cases in which something is found, given the possible ones: empty if that is all of them, otherwise the shorter list.
func (o occasions) of(possible occasions) string {
	var missing []string
	for _, name := range possible {
		if !slices.Contains(o, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	if len(missing) < len(o) {
		return "not " + strings.Join(missing, ", ")
	}
	return "only " + strings.Join(o, ", ")
}

// ordered is a map that keeps the order of its keys.
type ordered[T any] struct {
	keys   []string
	values map[string]*T
}

// at returns the value of a key, and creates it if it does not exist.
func (o *ordered[T]) at(key string) *T {
	if o.values == nil {
		o.values = map[string]*T{}
	}
	if o.values[key] == nil {
		o.values[key] = new(T)
		o.keys = append(o.keys, key)
	}
	return o.values[key]
}

// sorted returns the keys in alphabetical order.
func (o *ordered[T]) sorted() []string { return slices.Sorted(slices.Values(o.keys)) }
