package statement

import (
	"encoding/json"
	"fmt"
	"runtime"

	"gitops-runtime/release/source"
)

// BuildType identifies the build of `make publish`; docs/releasing.md describes it.
const BuildType = "urn:gitops-runtime:make-publish:v1"

// LocalBuilder is the builder of `make publish` outside of CI.
const LocalBuilder = "urn:gitops-runtime:local-builder"

// Build describes how an artifact was built.
type Build struct {
	// Version is the version of the release, Artifact the name of the artifact below the registry.
	Version, Artifact string
	Source            source.Source
	// Builder is the identity of the builder; in CI, the workflow.
	Builder string
}

// Predicate is a predicate of SLSA provenance: https://slsa.dev/spec/v1.1/provenance#schema. It has no times and no run numbers, so that a rebuilt
// release has the same predicate.
type Predicate struct {
	BuildDefinition struct {
		BuildType            string            `json:"buildType"`
		ExternalParameters   map[string]string `json:"externalParameters"`
		InternalParameters   map[string]string `json:"internalParameters"`
		ResolvedDependencies []Resource        `json:"resolvedDependencies"`
	} `json:"buildDefinition"`
	RunDetails struct {
		Builder struct {
			ID string `json:"id"`
		} `json:"builder"`
	} `json:"runDetails"`
}

// Resource is a resource descriptor of in-toto.
type Resource struct {
	URI    string            `json:"uri"`
	Digest map[string]string `json:"digest"`
}

// Provenance returns the predicate of a build.
func (b Build) Provenance() Predicate {
	var predicate Predicate
	predicate.BuildDefinition.BuildType = BuildType
	predicate.BuildDefinition.ExternalParameters = map[string]string{"version": b.Version, "artifact": b.Artifact}
	predicate.BuildDefinition.InternalParameters = map[string]string{"go": runtime.Version()}
	uri := "git+" + b.Source.URL
	if b.Source.URL == "" {
		uri = "git:" + b.Source.Revision
	}
	predicate.BuildDefinition.ResolvedDependencies = []Resource{{URI: uri, Digest: map[string]string{"gitCommit": b.Source.Revision}}}
	predicate.RunDetails.Builder.ID = b.Builder
	return predicate
}

// CheckProvenance reads a predicate and compares it with the version of a release and the name of an artifact.
func CheckProvenance(text []byte, version, artifact string) (Predicate, error) {
	var read Predicate
	if err := json.Unmarshal(text, &read); err != nil {
		return read, fmt.Errorf("provenance: %w", err)
	}
	definition := read.BuildDefinition
	switch {
	case definition.BuildType != BuildType:
		return read, fmt.Errorf("the provenance is of a build %q instead of %s", definition.BuildType, BuildType)
	case definition.ExternalParameters["version"] != version || definition.ExternalParameters["artifact"] != artifact:
		return read, fmt.Errorf("the provenance is that of %s %s", definition.ExternalParameters["artifact"], definition.ExternalParameters["version"])
	case read.RunDetails.Builder.ID == "":
		return read, fmt.Errorf("the provenance names no builder")
	case len(definition.ResolvedDependencies) == 0 || definition.ResolvedDependencies[0].Digest["gitCommit"] == "":
		return read, fmt.Errorf("the provenance names no commit")
	}
	return read, nil
}
