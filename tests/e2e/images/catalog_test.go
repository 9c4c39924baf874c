package images

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/image"

	"gitops-runtime/internal/gomodule"
)

func TestTableIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range table("ghcr.io/acme", "1.2.3") {
		_, err := name.NewTag(row.name)
		require.NoError(t, err)
		assert.False(t, seen[row.name], "%s is in the table twice", row.name)
		seen[row.name] = true
		assert.NotEmpty(t, row.recipe.origin, row.name)
		if row.recipe.origin == Pulled {
			assert.Empty(t, row.modes, "%s: an install must not need what can only be pulled", row.name)
			continue
		}
		assert.NotEmpty(t, slices.Concat(row.recipe.config.Entrypoint, row.recipe.config.Cmd), row.name)
		if row.recipe.origin == StandIn {
			assert.NotEmpty(t, row.recipe.note, row.name)
		}
	}
}

// On Debian /bin, /sbin, /lib and /lib64 are links; an entry below one would replace it with a folder.
func TestFilesOnDebianAvoidItsLinks(t *testing.T) {
	for _, row := range table("ghcr.io/acme", "1.2.3") {
		if !row.recipe.debian {
			continue
		}
		paths := []string{}
		for _, entry := range row.recipe.files {
			paths = append(paths, entry.Path)
		}
		for _, one := range row.recipe.programs {
			paths = append(paths, one.path)
		}
		for _, path := range paths {
			top := strings.Split(path, "/")[1]
			assert.NotContains(t, []string{"bin", "sbin", "lib", "lib64"}, top, "%s: %s", row.name, path)
		}
	}
}

func TestEveryProgramHasItsModuleFiles(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	for _, program := range programList(table("ghcr.io/acme", "1.2.3")) {
		for _, file := range []string{"go.mod", "go.sum"} {
			assert.FileExists(t, filepath.Join(root, program.Dir, file), program.Name)
		}
		if program.Own {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, program.Dir, "go.mod"))
		require.NoError(t, err)
		assert.True(t, slices.ContainsFunc(strings.Fields(string(text)), func(word string) bool {
			return strings.Contains(word, ".") && strings.HasPrefix(program.Package+"/", word+"/")
		}), "%s does not require a module of %s", program.Dir, program.Package)
	}
}

func TestForMode(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	catalog, err := New(root, t.TempDir())
	require.NoError(t, err)
	const frps, traefik, argocd = "ghcr.io/fatedier/frps:v0.70.0", "docker.io/library/traefik:v3.6.12", "quay.io/argoproj/argocd:v3.4.13"
	tests := map[Mode]map[string]bool{
		Tunnel:  {frps: true, traefik: false, argocd: true},
		Ingress: {frps: false, traefik: true, argocd: true},
		Gateway: {frps: false, traefik: true, argocd: true},
		Mesh:    {frps: false, traefik: false, argocd: true},
	}
	for mode, wants := range tests {
		names, err := catalog.ForMode(mode)
		require.NoError(t, err)
		for name, want := range wants {
			assert.Equal(t, want, slices.Contains(names, name), "%s in mode %s", name, mode)
		}
	}
	_, err = catalog.ForMode("tunel")
	assert.EqualError(t, err, `images: there is no mode "tunel"; the modes are tunnel, ingress, gateway, mesh`)
}

func TestAllIsWhatAnyMachineCanHave(t *testing.T) {
	catalog := &Catalog{rows: []row{{name: "quay.io/a/b:1", recipe: own(image.Installer(), "1")}, {name: "quay.io/a/c:1", recipe: onlyPulled()}}}
	assert.Equal(t, []string{"quay.io/a/b:1"}, catalog.All())
}

func TestFind(t *testing.T) {
	catalog := &Catalog{rows: []row{{name: "docker.io/library/nats:2"}, {name: "quay.io/a/b:1"}}}
	tests := map[string]struct {
		names   []string
		want    []string
		wantErr string
	}{
		"in the order of the table, each once": {
			names: []string{"quay.io/a/b:1", "nats:2", "docker.io/library/nats:2"},
			want:  []string{"docker.io/library/nats:2", "quay.io/a/b:1"},
		},
		"all unknown ones in one error": {
			names: []string{"nats:3", "quay.io/a/b:1", "quay.io/a/c:1"},
			wantErr: "images: the catalog has no row for nats:3, quay.io/a/c:1: " +
				"add one in tests/e2e/images/table.go that says how it is obtained",
		},
		"no reference": {
			names:   []string{"UPPER"},
			wantErr: `images: "UPPER" is not an image reference: could not parse reference: UPPER`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rows, err := catalog.find(test.names)
			if test.wantErr != "" {
				require.EqualError(t, err, test.wantErr)
			} else {
				require.NoError(t, err)
			}
			var got []string
			for _, row := range rows {
				got = append(got, row.name)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// A program reports the version of its module.
func TestVersionFlagsAreThoseOfTheModules(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	flag := regexp.MustCompile(`[vV](?:ersion|ERSION)=v?([0-9]+\.[0-9]+\.[0-9]+)`)
	checked := 0
	for _, program := range programList(table("ghcr.io/acme", "1.2.3")) {
		if program.Own {
			continue
		}
		for _, given := range flag.FindAllStringSubmatch(program.LDFlags, -1) {
			text, err := os.ReadFile(filepath.Join(root, program.Dir, "go.mod"))
			require.NoError(t, err)
			assert.Equal(t, requiredVersion(string(text), program.Package), "v"+given[1], program.Name)
			checked++
		}
	}
	assert.GreaterOrEqual(t, checked, 6)
}

// requiredVersion returns the version that a go.mod requires of a package's module.
func requiredVersion(goMod, ofPackage string) string {
	for module := ofPackage; module != "."; module = path.Dir(module) {
		line := regexp.MustCompile(`(?m)^\s*(?:require )?` + regexp.QuoteMeta(module) + ` (v\S+)`)
		if found := line.FindStringSubmatch(goMod); found != nil {
			return found[1]
		}
	}
	return ""
}
