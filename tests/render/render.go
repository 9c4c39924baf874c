// Package render renders the project's charts with the helm program, as users do, and reads the result as typed objects.
package render

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gruntwork-io/terratest/modules/helm"
	"github.com/gruntwork-io/terratest/modules/k8s"
	"github.com/gruntwork-io/terratest/modules/logger"
	"github.com/gruntwork-io/terratest/modules/testing"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/gomodule"
)

// KubeVersion is the version of Kubernetes that charts are rendered for.
const KubeVersion = "1.34.4"

// Release is what is rendered.
type Release struct {
	Chart string // Chart is a folder of charts/.
	// Name and Namespace are "cf" and "codefresh" when empty.
	Name, Namespace string
	// Files are values files of the chart's ci/ folder, without the ending -values.yaml.
	Files []string
	// Set and SetJSON are as helm's --set and --set-json.
	Set, SetJSON map[string]string
	// Args are further arguments, such as --is-upgrade.
	Args []string
}

// Object is one rendered object.
type Object = unstructured.Unstructured

// Objects renders the release and returns its objects in Helm's order, hooks included.
func (r Release) Objects(t testing.TestingT) []Object {
	text, err := r.Text(t)
	if err != nil {
		t.Fatalf("%s: %v", r.Chart, err)
	}
	objects, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", r.Chart, err)
	}
	return objects
}

// Text is what `helm template` prints. The error holds Helm's own words.
func (r Release) Text(t testing.TestingT) (string, error) {
	root, err := gomodule.Root()
	if err != nil {
		return "", err
	}
	chart := filepath.Join(root, "charts", r.Chart)
	options := &helm.Options{
		SetValues:      r.Set,
		SetJSONValues:  r.SetJSON,
		KubectlOptions: k8s.NewKubectlOptions("", "", orDefault(r.Namespace, "codefresh")),
		Logger:         logger.Discard,
	}
	for _, file := range r.Files {
		options.ValuesFiles = append(options.ValuesFiles, filepath.Join(chart, "ci", file+"-values.yaml"))
	}
	args := append([]string{"--kube-version", KubeVersion}, r.Args...)
	out, stderr, err := helm.RenderTemplateAndGetStdOutErrContextE(t, context.Background(), options, chart, orDefault(r.Name, "cf"), nil, args...)
	if err != nil {
		return "", fmt.Errorf("helm template %s: %s", r.Chart, strings.TrimSpace(stderr))
	}
	return out, nil
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

// Parse reads YAML documents; empty ones are left out.
func Parse(text string) ([]Object, error) {
	var objects []Object
	for _, document := range strings.Split("\n"+text, "\n---") {
		var fields map[string]any
		if err := yaml.Unmarshal([]byte(document), &fields); err != nil {
			return nil, fmt.Errorf("a rendered document is no YAML: %w:\n%s", err, document)
		}
		if len(fields) > 0 {
			objects = append(objects, Object{Object: fields})
		}
	}
	return objects, nil
}

// Find returns the object of a kind and name, or nil.
func Find(objects []Object, kind, name string) *Object {
	for i := range objects {
		if objects[i].GetKind() == kind && objects[i].GetName() == name {
			return &objects[i]
		}
	}
	return nil
}

// Names lists "Kind/name" of the objects whose kind is one of kinds; of all without kinds.
func Names(objects []Object, kinds ...string) []string {
	names := []string{}
	for _, object := range objects {
		for _, kind := range append([]string{}, kinds...) {
			if object.GetKind() == kind {
				names = append(names, kind+"/"+object.GetName())
			}
		}
	}
	return names
}

// As converts an object into a typed one, such as appsv1.Deployment. Unknown fields are an error.
func As[T any](object *Object) (T, error) {
	var typed T
	if object == nil {
		return typed, fmt.Errorf("the object was not rendered")
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &typed, true)
	return typed, err
}
