// Package helmrender renders charts as `helm install --dry-run` does, without a cluster and with Helm's own packages. It does not know where charts
// and values come from. Helm's package action would do the same, but link everything that an installation needs; tests/e2e/upstream also renders
// with that package and compares the results.
package helmrender

import (
	"fmt"
	"path"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	helmtime "helm.sh/helm/v3/pkg/time"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/valueschema"
)

// Options are the inputs of a render besides the chart and its values.
type Options struct {
	// Name and Namespace are those of the release.
	Name, Namespace string
	// KubeVersion is the version that templates see; helmchart.TestedKubernetes when empty.
	KubeVersion string
	// APIVersions are the API versions that the cluster serves in addition to those of Kubernetes.
	APIVersions []string
	// Upgrade renders as `helm upgrade` does instead of `helm install`.
	Upgrade bool
	// Lookup answers the function lookup of templates; without it, lookup finds nothing, as in `helm template`.
	Lookup engine.ClientProvider
	// Schemas caches the schemas that other renders compiled; nil compiles them for this render.
	Schemas *valueschema.Cache
}

// Capabilities returns what templates know about the cluster: its version and its API versions.
func (o Options) Capabilities() (*chartutil.Capabilities, error) {
	text := o.KubeVersion
	if text == "" {
		text = helmchart.TestedKubernetes
	}
	version, err := chartutil.ParseKubeVersion(text)
	if err != nil {
		return nil, fmt.Errorf("version %s of Kubernetes: %w", text, err)
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *version
	capabilities.APIVersions = append(capabilities.APIVersions, o.APIVersions...)
	return capabilities, nil
}

// Prepare validates the values against the schemas and returns the chart with the dependencies that they enable, which must not be changed, and the
// values of templates. The given values are not changed.
func (c *Chart) Prepare(values map[string]any, options Options) (*chart.Chart, chartutil.Values, error) {
	of, err := c.Enabled(values)
	if err != nil {
		return nil, nil, err
	}
	capabilities, err := options.Capabilities()
	if err != nil {
		return nil, nil, err
	}
	if constraint := of.Metadata.KubeVersion; constraint != "" && !chartutil.IsCompatibleRange(constraint, capabilities.KubeVersion.String()) {
		return nil, nil, fmt.Errorf("chart requires kubeVersion: %s which is incompatible with Kubernetes %s", constraint, capabilities.KubeVersion.String())
	}
	release := chartutil.ReleaseOptions{Name: options.Name, Namespace: options.Namespace, Revision: 1, IsInstall: !options.Upgrade, IsUpgrade: options.Upgrade}
	scope, err := chartutil.ToRenderValuesWithSchemaValidation(of, values, release, capabilities, true)
	if err != nil {
		return nil, nil, err
	}
	if err := Validate(options.Schemas, of, scope["Values"].(chartutil.Values)); err != nil {
		// the message of chartutil.ToRenderValues
		return nil, nil, fmt.Errorf("values don't meet the specifications of the schema(s) in the following chart(s):\n%w", err)
	}
	return of, scope, nil
}

// Release returns the release that `helm install --dry-run` would return; its chart must not be changed.
func (c *Chart) Release(values map[string]any, options Options) (*release.Release, error) {
	of, scope, err := c.Prepare(values, options)
	if err != nil {
		return nil, err
	}
	texts, err := render(of, scope, options.Lookup)
	if err != nil {
		return nil, err
	}
	now := helmtime.Time{Time: time.Now()}
	rendered := &release.Release{
		Name: options.Name, Namespace: options.Namespace, Chart: of, Config: values, Version: 1,
		Info: &release.Info{FirstDeployed: now, LastDeployed: now, Status: release.StatusPendingInstall, Description: "Dry run complete", Notes: notes(of, texts)},
	}
	var manifests []releaseutil.Manifest
	var specs definitions
	if rendered.Hooks, manifests, err = releaseutil.SortManifests(specs.cut(texts), nil, releaseutil.InstallOrder); err != nil {
		return nil, err
	}
	for _, hook := range rendered.Hooks {
		hook.Manifest = specs.restore(hook.Manifest)
	}
	var text strings.Builder
	for _, manifest := range manifests {
		fmt.Fprintf(&text, "---\n# Source: %s\n%s\n", manifest.Name, specs.restore(manifest.Content))
	}
	rendered.Manifest = text.String()
	return rendered, nil
}

func render(of *chart.Chart, scope chartutil.Values, lookup engine.ClientProvider) (map[string]string, error) {
	if lookup == nil {
		return engine.Render(of, scope)
	}
	return engine.RenderWithClientProvider(of, scope, lookup)
}

// notes removes the notes from the rendered texts, and returns those of the chart itself.
func notes(of *chart.Chart, texts map[string]string) string {
	const file = "NOTES.txt"
	own := texts[path.Join(of.Name(), "templates", file)]
	for name := range texts {
		if strings.HasSuffix(name, file) {
			delete(texts, name)
		}
	}
	return own
}
