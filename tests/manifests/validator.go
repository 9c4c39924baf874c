// Package manifests validates rendered objects against the OpenAPI schemas of Kubernetes, from its Go module, and of the custom resources that the
// charts install or create: unknown kinds, unknown or missing fields, wrong types. It needs no cluster and, once the modules are downloaded, no network.
package manifests

import (
	"bytes"
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"gitops-runtime/internal/gomodule"
)

const kubernetesURL = "file:///kubernetes.json"

//go:embed definitions/*.yaml
var embeddedDefinitions embed.FS

type kind struct{ apiVersion, name string }

// Validator contains the schemas. It is safe for concurrent use.
type Validator struct {
	root      string
	release   string // of Kubernetes
	locations map[kind]string

	mutex    sync.Mutex // compiler is not safe for concurrent use
	compiler *jsonschema.Compiler
}

// NewValidator reads the schemas of the checkout at root. It takes a second, so tests share one.
func NewValidator(ctx context.Context, root string) (*Validator, error) {
	v := &Validator{root: root, locations: map[kind]string{}, compiler: newCompiler()}
	if err := v.kubernetes(ctx); err != nil {
		return nil, err
	}
	gateway, err := gomodule.Find(ctx, filepath.Join(root, "tests", "e2e", "programs", "traefik"), "sigs.k8s.io/gateway-api")
	if err != nil {
		return nil, err
	}
	for _, pattern := range []string{
		filepath.Join(root, "charts", "*", "files", "crds", "*.yaml"),
		filepath.Join(root, "charts", "argo-workflows", "files", "crds", "full", "*.yaml"),
		filepath.Join(gateway.Dir, "config", "crd", "standard", "gateway.*.yaml"),
	} {
		if err := v.customResources(pattern); err != nil {
			return nil, err
		}
	}
	entries, err := embeddedDefinitions.ReadDir("definitions")
	if err != nil {
		return nil, fmt.Errorf("list definitions: %w", err)
	}
	for _, entry := range entries {
		file := "definitions/" + entry.Name()
		text, err := embeddedDefinitions.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a definition: %w", err)
		}
		if err := v.customResource(file, text); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return v, nil
}

func newCompiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft4 // OpenAPI schemas are a dialect of it
	compiler.Formats["byte"] = isBase64
	return compiler
}

func isBase64(value any) bool {
	text, ok := value.(string)
	_, err := base64.StdEncoding.DecodeString(text)
	return !ok || err == nil
}

func (v *Validator) add(url string, schema any) error {
	text, err := json.Marshal(schema)
	if err != nil {
		return fmt.Errorf("add a schema: %w", err)
	}
	if err := v.compiler.AddResource(url, bytes.NewReader(text)); err != nil {
		return fmt.Errorf("add a schema: %w", err)
	}
	return nil
}

func (v *Validator) schema(k kind) (*jsonschema.Schema, error) {
	location, known := v.locations[k]
	if !known {
		return nil, fmt.Errorf("unknown to Kubernetes %s and to the custom resources of the charts", v.release)
	}
	v.mutex.Lock()
	defer v.mutex.Unlock()
	schema, err := v.compiler.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("compile its schema: %w", err)
	}
	return schema, nil
}
