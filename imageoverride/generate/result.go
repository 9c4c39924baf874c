package generate

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gitops-runtime/imageoverride/emit"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/proof"
	"gitops-runtime/imageoverride/solve"
	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/outfile"
)

// The output files, with the names that the published utility uses.
const (
	ListFile     = "image-list.txt"
	MirrorFile   = "image-mirror.csv"
	NoTagsFile   = "values-images-no-tags.yaml"
	WithTagsFile = "values-images-with-tags.yaml"
	// PatchFile is a kustomize component for images that no value reaches; it exists only if there are such images.
	PatchFile      = "kustomization-images.yaml"
	filePermission = 0o644
)

// Result contains the findings and the proof of one run.
type Result struct {
	// Mirror are the images to copy, sorted by source.
	Mirror []mapping.Pair
	// Files are the contents to write, by file name.
	Files map[string][]byte
	// Values are the overrides as values to merge over those of the user.
	Values map[string]any
	// Rendered are the user's values of each scenario by name, including the scenarios that Options.Everything adds.
	Rendered map[string]map[string]any
	// Images counts image locations over all scenarios.
	Images int
	// Unreached are images that no value reaches.
	Unreached []solve.Unreached
	// Outside are images that the proof found outside, by scenario.
	Outside []Left
	// Patched reports whether the post-renderer, or PatchFile, redirects all of
	// Outside to the registry.
	Patched bool
	// Changes are fields without an image that the overrides change.
	Changes []proof.Change
	// Unread are image fields without a readable reference, Suspected are texts that may be images.
	Unread, Suspected []Doubt
	// Switches are values that are changed, since the chart refuses images at another registry otherwise.
	Switches []solve.Override
	// Warnings are about values and about files of an earlier run.
	Warnings []string
	// Apart are switches that stay off with Options.Everything.
	Apart []Apart
	// KubeVersion is the Kubernetes version that templates saw.
	KubeVersion string
	// RemoteSchemas are addresses that schemas refer to, which were not fetched.
	RemoteSchemas []string
	// NameOnly are repositories to which a program adds the tag, so that the mirror table does not have it.
	NameOnly []string
	// Unseen are template lines that mention images and were not rendered in any scenario, as "template:line".
	Unseen []string
	// Unpinned are images that DigestsFile leaves without their digest.
	Unpinned []Unpinned
	// Origins are the values that produce each image.
	Origins []solve.Origin
}

// Left is an image that is outside in one scenario.
type Left struct {
	Scenario string
	proof.Outside
}

// Complete reports whether every image is at the registry and in the mirror table, nothing is in doubt,
// and nothing else changed.
func (r Result) Complete() bool {
	return len(r.NameOnly) == 0 && len(r.Outside) == 0 && len(r.Unread) == 0 && len(r.Suspected) == 0 && len(r.Changes) == 0
}

// Write writes the files, all or none, into a folder, which it creates if necessary. It returns the path of the values file to install with.
func (r Result) Write(folder string) (valuesFile string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("output folder %s cannot be created: %w", folder, err)
	}
	names := slices.Sorted(maps.Keys(r.Files))
	pending := map[string]*outfile.File{}
	defer func() {
		for _, file := range pending {
			err = errors.Join(err, file.Abandon())
		}
	}()
	for _, name := range names {
		file, err := outfile.Create(filepath.Join(folder, name), filePermission)
		if err != nil {
			return "", err
		}
		pending[name] = file
		if _, err := file.Write(r.Files[name]); err != nil {
			return "", fmt.Errorf("%s cannot be written: %w", name, err)
		}
	}
	for _, name := range names {
		file := pending[name]
		delete(pending, name)
		if err := file.Finish(); err != nil {
			return "", err
		}
	}
	if _, ok := r.Files[PatchFile]; !ok {
		// An earlier run wrote it, and it is no longer needed.
		if err := ignoreAbsent(os.Remove(filepath.Join(folder, PatchFile))); err != nil {
			return "", fmt.Errorf("%s cannot be removed: %w", PatchFile, err)
		}
	}
	return filepath.Join(folder, NoTagsFile), nil
}

func ignoreAbsent(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// earlier contains the output of an earlier run.
type earlier struct {
	files map[string][]byte
	pairs []mapping.Pair
}

// maxEarlier is the maximum size of a file of an earlier run, and of a values file, in bytes.
const maxEarlier = 16 << 20

func readEarlier(folder string) (earlier, error) {
	before := earlier{files: map[string][]byte{}}
	if folder == "" {
		return before, nil
	}
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return before, fmt.Errorf("output folder %s is a file; name another with -o", folder)
	}
	for _, name := range []string{NoTagsFile, WithTagsFile, DigestsFile} {
		data, err := outfile.ReadRegular(filepath.Join(folder, name), maxEarlier)
		if ignoreAbsent(err) != nil {
			return before, fmt.Errorf("output folder %s: %s: %s", folder, name, outfile.Reason(err))
		}
		if err := budget.New(budget.Default()).YAML(filepath.Join(folder, name), data); err != nil {
			return before, err
		}
		before.files[name] = data
	}
	path := filepath.Join(folder, MirrorFile)
	file, err := outfile.Open(path)
	if ignoreAbsent(err) != nil {
		return before, fmt.Errorf("output folder %s: %s: %s", folder, MirrorFile, outfile.Reason(err))
	} else if err != nil {
		return before, nil
	}
	defer func() { _ = file.Close() }()
	before.pairs, err = emit.ReadMirror(path, file)
	return before, err
}
