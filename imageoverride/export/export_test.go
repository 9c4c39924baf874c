package export_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/export"
	"gitops-runtime/imageoverride/mapping"
)

const sum = "sha256:1111111111111111111111111111111111111111111111111111111111111111"

// pairs returns the mapping of images to a registry.
func pairs(t *testing.T, strategy mapping.Strategy, texts ...string) []mapping.Pair {
	t.Helper()
	mapper, err := mapping.New("r.io/x", strategy, nil)
	require.NoError(t, err)
	var images []mapping.Image
	for _, text := range texts {
		image, err := mapping.Parse(text)
		require.NoError(t, err)
		images = append(images, image)
	}
	made, err := mapper.Pairs(images)
	require.NoError(t, err)
	return made
}

func TestWrite(t *testing.T) {
	images := []string{"nats:2", "nats:3", "quay.io/a/b:v1@" + sum}
	cases := []struct {
		format   string
		strategy mapping.Strategy
		want     map[string]string
	}{
		{"crane", mapping.Flat, map[string]string{"mirror-crane.sh": `#!/bin/sh
# Copies all images, every platform. Needs crane, and ` + "`crane auth login`" + ` where registries ask for it.
set -eu
crane copy docker.io/library/nats:2 r.io/x/nats-939a39b5:2
crane copy docker.io/library/nats:3 r.io/x/nats-939a39b5:3
crane copy quay.io/a/b@` + sum + ` r.io/x/b-b47b588b:v1
`}},
		{"regsync", mapping.HostPrefix, map[string]string{"regsync.yaml": `version: 1
sync:
  - source: docker.io/library/nats:2
    target: r.io/x/docker.io/library/nats:2
    type: image
  - source: docker.io/library/nats:3
    target: r.io/x/docker.io/library/nats:3
    type: image
  - source: quay.io/a/b@` + sum + `
    target: r.io/x/quay.io/a/b:v1
    type: image
`}},
		{"skopeo", mapping.HostPrefix, map[string]string{"skopeo.yaml": `# skopeo sync --all --preserve-digests --scoped --src yaml --dest docker skopeo.yaml r.io/x
docker.io:
  images:
    library/nats:
      - "2"
      - "3"
quay.io:
  images:
    a/b:
      - ` + sum + `
`}},
		{"hosts", mapping.HostPrefix, map[string]string{
			"certs.d/docker.io/hosts.toml": "server = \"https://registry-1.docker.io\"\n\n[host.\"https://r.io/v2/x/docker.io\"]\n  capabilities = [\"pull\", \"resolve\"]\n  override_path = true\n",
			"certs.d/quay.io/hosts.toml":   "server = \"https://quay.io\"\n\n[host.\"https://r.io/v2/x/quay.io\"]\n  capabilities = [\"pull\", \"resolve\"]\n  override_path = true\n",
		}},
		{"annotations", mapping.HostPrefix, map[string]string{"chart-annotations.yaml": `annotations:
  artifacthub.io/images: |
    - name: nats
      image: docker.io/library/nats:2
    - name: nats
      image: docker.io/library/nats:3
    - name: b
      image: quay.io/a/b:v1@` + sum + `
  helm.sh/images: |
    - name: nats
      image: docker.io/library/nats:2
    - name: nats
      image: docker.io/library/nats:3
    - name: b
      image: quay.io/a/b:v1@` + sum + `
`}},
	}
	for _, test := range cases {
		t.Run(test.format, func(t *testing.T) {
			files, err := export.Write(test.format, pairs(t, test.strategy, images...))
			require.NoError(t, err)
			got := map[string]string{}
			for name, data := range files {
				got[name] = string(data)
			}
			require.Equal(t, test.want, got)
		})
	}
}

func TestRefusals(t *testing.T) {
	cases := []struct {
		format   string
		strategy mapping.Strategy
		image    string
		want     string
	}{
		{"skopeo", mapping.Flat, "nats:2", "format skopeo cannot express this mapping: docker.io/library/nats:2 goes to r.io/x/nats-939a39b5:2, which is not its path below one place for all of docker.io; generate with --strategy host-prefix"},
		{"skopeo", mapping.KeepPath, "nats:2", "format skopeo cannot express this mapping: images of docker.io go below r.io/x, and skopeo can only put them below one place followed by docker.io"},
		{"hosts", mapping.Flat, "nats:2", "format hosts cannot express this mapping: docker.io/library/nats:2 goes to r.io/x/nats-939a39b5:2, which is not its path below one place for all of docker.io; generate with --strategy host-prefix"},
		{"regsync", mapping.HostPrefix, "nats@" + sum, "format regsync cannot express this mapping: docker.io/library/nats@" + sum + " has a digest and no tag to copy to; use crane or the mirror command"},
		{"other", mapping.HostPrefix, "nats:2", `--format "other" is unknown; choose one of annotations, crane, hosts, regsync, skopeo`},
	}
	for _, test := range cases {
		_, err := export.Write(test.format, pairs(t, test.strategy, test.image))
		require.EqualError(t, err, test.want)
	}
}
