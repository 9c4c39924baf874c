package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mapping"
)

const sum = "sha256:1111111111111111111111111111111111111111111111111111111111111111"

func TestParse(t *testing.T) {
	cases := []struct {
		text   string
		want   mapping.Image
		pinned string
	}{
		{"nats", mapping.Image{Host: "docker.io", Path: "library/nats"}, "docker.io/library/nats:latest"},
		{"nats:2", mapping.Image{Host: "docker.io", Path: "library/nats", Tag: "2"}, "docker.io/library/nats:2"},
		{"natsio/nats:2", mapping.Image{Host: "docker.io", Path: "natsio/nats", Tag: "2"}, "docker.io/natsio/nats:2"},
		{"index.docker.io/natsio/nats", mapping.Image{Host: "docker.io", Path: "natsio/nats"}, "docker.io/natsio/nats:latest"},
		{"localhost/a:1", mapping.Image{Host: "localhost", Path: "a", Tag: "1"}, "localhost/a:1"},
		{"reg:5000/a/b:1", mapping.Image{Host: "reg:5000", Path: "a/b", Tag: "1"}, "reg:5000/a/b:1"},
		{"quay.io/a@" + sum, mapping.Image{Host: "quay.io", Path: "a", Digest: sum}, "quay.io/a@" + sum},
		{"quay.io/a:4212e77@" + sum, mapping.Image{Host: "quay.io", Path: "a", Tag: "4212e77", Digest: sum}, "quay.io/a:4212e77@" + sum},
	}
	for _, test := range cases {
		t.Run(test.text, func(t *testing.T) {
			got, err := mapping.Parse(test.text)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
			require.Equal(t, test.pinned, got.Pinned())
		})
	}
	for _, text := range []string{"", "Quay.io/A:1", "quay.io/a:", "{{inputs.image}}", "a b"} {
		_, err := mapping.Parse(text)
		require.Error(t, err, text)
	}
}

func TestTarget(t *testing.T) {
	cases := []struct {
		registry string
		strategy mapping.Strategy
		image    string
		want     string
	}{
		{"reg.corp", mapping.HostPrefix, "nats:2", "reg.corp/docker.io/library/nats:2"},
		{"reg.corp:5000/x/", mapping.HostPrefix, "quay.io/argoproj/argocd:v3", "reg.corp:5000/x/quay.io/argoproj/argocd:v3"},
		{"reg.corp", mapping.HostPrefix, "other:5000/a:1", "reg.corp/other-5000/a:1"},
		{"reg.corp/x", mapping.KeepPath, "quay.io/argoproj/argocd:v3@" + sum, "reg.corp/x/argoproj/argocd:v3@" + sum},
		{"reg.corp/x", mapping.Flat, "quay.io/argoproj/argocd:v3", "reg.corp/x/argocd-59e0d798:v3"},
		{"reg.corp/x", mapping.HostPrefix, "reg.corp/x/own/app:1", "reg.corp/x/own/app:1"},
		{"reg.corp/x", mapping.HostPrefix, "reg.corp/xy/app:1", "reg.corp/x/reg.corp/xy/app:1"},
		{"reg.corp", mapping.HostPrefix, "ghcr.io/a/b:1", "ghcr.corp/proxy/a/b:1"},
		{"reg.corp", mapping.HostPrefix, "ghcr.corp/proxy/a/b:1", "ghcr.corp/proxy/a/b:1"},
	}
	for _, test := range cases {
		t.Run(test.image, func(t *testing.T) {
			mapper, err := mapping.New(test.registry, test.strategy, map[string]string{"ghcr.io": "ghcr.corp/proxy"})
			require.NoError(t, err)
			image, err := mapping.Parse(test.image)
			require.NoError(t, err)
			target := mapper.Target(image)
			require.Equal(t, test.want, target.String())
			require.True(t, mapper.Private(target))
			require.Equal(t, target, mapper.Target(target), "the target of a target is another one")
		})
	}
}

func TestPairs(t *testing.T) {
	parse := func(texts ...string) []mapping.Image {
		var images []mapping.Image
		for _, text := range texts {
			image, err := mapping.Parse(text)
			require.NoError(t, err)
			images = append(images, image)
		}
		return images
	}
	prefixed, err := mapping.New("reg.corp", mapping.HostPrefix, nil)
	require.NoError(t, err)
	pairs, err := prefixed.Pairs(parse("quay.io/b:1", "nats", "docker.io/library/nats:latest", "reg.corp/own:1"))
	require.NoError(t, err)
	require.Equal(t, []mapping.Pair{
		{Source: "docker.io/library/nats:latest", Target: "reg.corp/docker.io/library/nats:latest"},
		{Source: "quay.io/b:1", Target: "reg.corp/quay.io/b:1"},
	}, pairs)

	kept, err := mapping.New("reg.corp", mapping.KeepPath, nil)
	require.NoError(t, err)
	_, err = kept.Pairs(parse("quay.io/a/b:1", "ghcr.io/a/b:1"))
	require.EqualError(t, err, "ghcr.io/a/b:1 and quay.io/a/b:1 would both become reg.corp/a/b:1; choose --strategy host-prefix or set --map for one of the hosts")
}

func TestNewRefuses(t *testing.T) {
	cases := map[string]string{
		"":           "--registry: no registry given; give host[:port][/path], for instance registry.corp:5000/gitops",
		"oci://r.io": `--registry: "oci://r.io" has a scheme; leave "oci://" out`,
		"Reg.corp":   `--registry: "Reg.corp" is not a registry; give host[:port][/path] in lower case, the host with a dot or a port`,
		"r.io:99999": `--registry: "r.io:99999" has no port 99999; ports are 1 to 65535`,
		"registry":   `--registry: "registry" is not a registry; give host[:port][/path] in lower case, the host with a dot or a port`,
		"r.io/a//b":  `--registry: "r.io/a//b" is not a registry; give host[:port][/path] in lower case, the host with a dot or a port`,
	}
	for registry, want := range cases {
		_, err := mapping.New(registry, mapping.HostPrefix, nil)
		require.EqualError(t, err, want)
	}
	_, err := mapping.New("r.io", mapping.HostPrefix, map[string]string{"quay.io": "q"})
	require.EqualError(t, err, `--map quay.io=q: "q" is not a registry; give host[:port][/path] in lower case, the host with a dot or a port`)
}
