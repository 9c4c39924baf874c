package publish

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/artifact"
	"gitops-runtime/hack/release/chartpack"
	"gitops-runtime/hack/release/image"
	"gitops-runtime/hack/release/plugin"
	"gitops-runtime/hack/release/statement"
)

// image publishes the image of a program.
func (r *run) image(ctx context.Context, program image.Program) error {
	built, err := image.Make(ctx, r.Compile, program, r.Source, r.Version, image.Architectures()...)
	if err != nil {
		return err
	}
	described, written, err := r.put(ctx, program.Name, built.Index)
	if err != nil {
		return err
	}
	r.digests[program.Name] = described.Digest.String()
	parts, err := statement.ModulesOf(slices.Sorted(maps.Values(built.Files)))
	if err != nil {
		return err
	}
	parts = statement.WithLicenses(parts, r.licenses)
	parts = append(parts, statement.Part{
		Name: "gitops-runtime", Version: r.Version, Purpose: "APPLICATION", License: "Apache-2.0", PURL: "pkg:golang/" + r.Address.Module + "@" + r.Version,
	})
	whole := statement.Part{Name: program.Name, Version: r.Version, Purpose: "CONTAINER", License: "Apache-2.0", PURL: r.oci(program.Name, described.Digest)}
	return r.finish(ctx, whole, described, parts, written)
}

// chart publishes a chart of the checkout.
func (r *run) chart(ctx context.Context, named string) error {
	packed, err := chartpack.Pack(ctx, filepath.Join(r.Root, "charts", named), chartpack.Place{
		Registry: r.Registry, Digests: r.digests, Locked: r.Locked, Address: r.Address, Revision: r.Source.Revision,
	})
	if err != nil {
		return err
	}
	if packed.Metadata.Version != r.Version {
		return fmt.Errorf("chart %s has the version %s instead of %s: make generate", named, packed.Metadata.Version, r.Version)
	}
	annotations := artifact.Annotations(named, packed.Metadata.Description, r.Version, r.Source.Name(), r.Source.URL, r.Source.Time)
	provenance, err := r.provenance(named, packed.Metadata, packed.Content)
	if err != nil {
		return err
	}
	pushed, err := artifact.Chart(packed.Metadata, packed.Content, provenance, annotations)
	if err != nil {
		return err
	}
	described, written, err := r.put(ctx, named, pushed)
	if err != nil {
		return err
	}
	parts, err := partsOf(packed.Metadata, r.Registry)
	if err != nil {
		return fmt.Errorf("chart %s: %w", named, err)
	}
	whole := statement.Part{Name: named, Version: r.Version, Purpose: "APPLICATION", License: "Apache-2.0", PURL: r.oci(named, described.Digest)}
	return r.finish(ctx, whole, described, parts, written)
}

// plugin publishes a plugin of Helm.
func (r *run) plugin(ctx context.Context, one plugin.Plugin) error {
	packed, metadata, err := plugin.Pack(r.Root, one)
	if err != nil {
		return err
	}
	if metadata["version"] != r.Version {
		return fmt.Errorf("plugin %s has the version %v instead of %s: make generate", one.Name, metadata["version"], r.Version)
	}
	annotations := artifact.Annotations(one.Name, one.Description, r.Version, r.Source.Name(), r.Source.URL, r.Source.Time)
	// Helm 4 verifies the file by the name in plugin.yaml, whatever its repository: it calls it so before it installs it.
	provenance, err := r.provenance(fmt.Sprint(metadata["name"]), metadata, packed)
	if err != nil {
		return err
	}
	pushed, err := artifact.Plugin(r.file(one.Name), packed, provenance, annotations)
	if err != nil {
		return err
	}
	described, written, err := r.put(ctx, one.Name, pushed)
	if err != nil {
		return err
	}
	whole := statement.Part{Name: one.Name, Version: r.Version, Purpose: "APPLICATION", License: "Apache-2.0", PURL: r.oci(one.Name, described.Digest)}
	return r.finish(ctx, whole, described, nil, written)
}

// file returns the name of the file of a packed chart or plugin.
func (r *run) file(named string) string { return named + "-" + r.Version + ".tgz" }

// provenance returns the content of the provenance file of a packed chart or plugin; nil without a key for them.
func (r *run) provenance(named string, metadata any, packed []byte) ([]byte, error) {
	if r.Clearsigner == nil {
		return nil, nil
	}
	text, err := r.Clearsigner.Provenance(r.file(named), metadata, packed, r.Source.Time)
	if err != nil {
		return nil, fmt.Errorf("provenance file of %s: %w", named, err)
	}
	return text, nil
}

// oci returns the package URL of an artifact in the registry: https://github.com/package-url/purl-spec/blob/main/types-doc/oci-definition.md
func (r *run) oci(named string, digest v1.Hash) string {
	return fmt.Sprintf("pkg:oci/%s@%s?repository_url=%s&tag=%s", named, url.QueryEscape(digest.String()), url.QueryEscape(r.Registry+"/"+named), r.Version)
}

// supplierOf returns who publishes an image; "" for the images of the release, which are at own.
func supplierOf(repository, own string) string {
	if strings.HasPrefix(repository, own+"/") {
		return ""
	}
	return statement.Namespace(repository)
}

// partsOf returns the charts and images that a chart installs; own is the registry of the release.
func partsOf(metadata *chart.Metadata, own string) ([]statement.Part, error) {
	var parts []statement.Part
	for _, dependency := range metadata.Dependencies {
		parts = append(parts, statement.Part{
			Name: dependency.Name, Version: dependency.Version, Purpose: "APPLICATION", License: "Apache-2.0", PURL: "pkg:helm/" + dependency.Name + "@" + dependency.Version,
		})
	}
	var images []struct{ Name, Image string }
	if err := yaml.Unmarshal([]byte(metadata.Annotations["artifacthub.io/images"]), &images); err != nil {
		return nil, fmt.Errorf("annotation artifacthub.io/images: %w", err)
	}
	for _, one := range images {
		whole, digest, _ := strings.Cut(one.Image, "@")
		repository, tag := whole, ""
		if colon := strings.LastIndex(whole, ":"); colon > strings.LastIndex(whole, "/") { // the other colon precedes a port
			repository, tag = whole[:colon], whole[colon+1:]
		}
		locator := "pkg:oci/" + repository[strings.LastIndex(repository, "/")+1:]
		if digest != "" {
			locator += "@" + url.QueryEscape(digest)
		}
		parts = append(parts, statement.Part{
			Name: repository, Version: tag, Purpose: "CONTAINER", Supplier: supplierOf(repository, own), PURL: locator + "?repository_url=" + url.QueryEscape(repository) + "&tag=" + tag,
		})
	}
	return parts, nil
}

// finish attaches the statements about an artifact and reports it.
func (r *run) finish(ctx context.Context, whole statement.Part, described v1.Descriptor, parts []statement.Part, written bool) error {
	whole.Supplier = cmp.Or(r.Address.Supplier(), r.Registry)
	for i, part := range parts {
		parts[i].Supplier = cmp.Or(part.Supplier, whole.Supplier)
	}
	document, err := statement.Document(whole, described.Digest.Hex, parts, r.Source.Time)
	if err != nil {
		return fmt.Errorf("SBOM of %s: %w", whole.Name, err)
	}
	build := statement.Build{Version: r.Version, Artifact: whole.Name, Source: r.Source, Builder: r.Builder}
	predicates := map[string]any{statement.Signature: struct{}{}, statement.SBOM: document, statement.Provenance: build.Provenance()}
	attached, err := r.attached(ctx, whole.Name, described)
	if err != nil {
		return err
	}
	for _, kind := range statement.Types() {
		text, err := statement.About(r.Registry+"/"+whole.Name, described.Digest.Hex, kind, predicates[kind])
		if err != nil {
			return err
		}
		if r.has(ctx, attached, text, kind, described.Digest.Hex) {
			continue
		}
		written = true
		if err := r.attach(ctx, whole.Name, described, kind, text); err != nil {
			return err
		}
	}
	r.report(whole.Name, described.Digest, written)
	return nil
}
