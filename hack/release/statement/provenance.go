package statement

import (
	"encoding/json"
	"fmt"
	"runtime"

	"gitops-runtime/hack/release/source"
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
		uri = "git:" + b.Source.Name()
	}
	commit := map[string]string{"gitCommit": b.Source.Revision}
	if b.Source.Dirty { // no commit has this content
		predicate.BuildDefinition.InternalParameters[dirty] = "true"
		commit = nil
	}
	predicate.BuildDefinition.ResolvedDependencies = []Resource{{URI: uri, Digest: commit}}
	predicate.RunDetails.Builder.ID = b.Builder
	return predicate
}

// dirty is the internal parameter of a build from a checkout with uncommitted changes.
const dirty = "dirty"

// Commit returns the commit that the artifact was built from, empty if the content is that of no commit.
func (p Predicate) Commit() string {
	if len(p.BuildDefinition.ResolvedDependencies) == 0 {
		return ""
	}
	return p.BuildDefinition.ResolvedDependencies[0].Digest["gitCommit"]
}

// Expected is what provenance has to say.
type Expected struct {
	// Version is the version of the release, Artifact the name of the artifact below the registry.
	Version, Artifact string
	// Commit is the full commit that was released, Builder who built it; empty if any is accepted.
	Commit, Builder string
	// Dirty accepts content that is that of no commit.
	Dirty bool
}

// CheckProvenance reads a predicate and compares it with what is expected.
func CheckProvenance(text []byte, want Expected) (Predicate, error) {
	var read Predicate
	if err := json.Unmarshal(text, &read); err != nil {
		return read, fmt.Errorf("provenance: %w", err)
	}
	definition, commit, builder := read.BuildDefinition, read.Commit(), read.RunDetails.Builder.ID
	unclean := definition.InternalParameters[dirty] != ""
	switch {
	case definition.BuildType != BuildType:
		return read, fmt.Errorf("the provenance is of a build %q instead of %s", definition.BuildType, BuildType)
	case definition.ExternalParameters["version"] != want.Version || definition.ExternalParameters["artifact"] != want.Artifact:
		return read, fmt.Errorf("the provenance is that of %s %s", definition.ExternalParameters["artifact"], definition.ExternalParameters["version"])
	case builder == "":
		return read, fmt.Errorf("the provenance names no builder")
	case want.Builder != "" && builder != want.Builder:
		return read, fmt.Errorf("the provenance names the builder %q instead of %s; --builder names the one that you trust", builder, want.Builder)
	case unclean && !want.Dirty:
		return read, fmt.Errorf("it was published with --dirty, so no commit has its content; --allow-dirty accepts that")
	case unclean:
	case commit == "":
		return read, fmt.Errorf("the provenance names no commit")
	case want.Commit != "" && commit != want.Commit:
		return read, fmt.Errorf("the provenance names the commit %s instead of %s; check out the commit that was released, or name it with --commit", commit, want.Commit)
	}
	return read, nil
}
