package mapping

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gitops-runtime/internal/cleantext"
)

// Strategy determines the paths of images in the private registry.
type Strategy string

// The strategies.
const (
	// HostPrefix keeps the source host as first path element:
	// quay.io/argoproj/argocd -> REG/quay.io/argoproj/argocd. Never collides.
	HostPrefix Strategy = "host-prefix"
	// KeepPath drops the source host: REG/argoproj/argocd.
	KeepPath Strategy = "keep-path"
	// Flat puts all images at one level, with a short hash of the source name
	// against collisions: REG/argocd-1a2b3c4d.
	Flat Strategy = "flat"
)

// Strategies returns the valid strategy names.
func Strategies() []string {
	return []string{string(HostPrefix), string(KeepPath), string(Flat)}
}

// Mapper maps images to a private registry.
type Mapper struct {
	registry string
	strategy Strategy
	table    map[string]string
}

var registryForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`)

// New creates a Mapper for a registry "host[:port][/path]". The table maps source hosts to a separate target prefix ("quay.io" ->
// "registry.corp/quay-proxy"), below which the path is kept.
func New(registry string, strategy Strategy, table map[string]string) (Mapper, error) {
	registry = strings.TrimSuffix(registry, "/")
	if err := checkRegistry(registry); err != nil {
		return Mapper{}, fmt.Errorf("--registry: %w", err)
	}
	for host, prefix := range table {
		if err := checkRegistry(prefix); err != nil {
			return Mapper{}, fmt.Errorf("--map %s=%s: %w", host, cleantext.URL(prefix), err)
		}
	}
	for _, known := range Strategies() {
		if string(strategy) == known {
			return Mapper{registry: registry, strategy: strategy, table: table}, nil
		}
	}
	return Mapper{}, fmt.Errorf("--strategy %q is unknown; choose one of %s", strategy, strings.Join(Strategies(), ", "))
}

func checkRegistry(registry string) error {
	if registry == "" {
		return fmt.Errorf("no registry given; give host[:port][/path], for instance registry.corp:5000/gitops")
	}
	if strings.Contains(registry, "@") {
		return fmt.Errorf("%q has a user or a digest in it; give host[:port][/path], and log in with `helm registry login`", cleantext.URL(registry))
	}
	if strings.Contains(registry, "://") {
		return fmt.Errorf("%q has a scheme; leave %q out", registry, registry[:strings.Index(registry, "://")+3])
	}
	host, _, _ := strings.Cut(registry, "/")
	if !registryForm.MatchString(registry) || (!strings.ContainsAny(host, ".:") && host != "localhost") {
		return fmt.Errorf("%q is not a registry; give host[:port][/path] in lower case, the host with a dot or a port", registry)
	}
	if _, port, given := strings.Cut(host, ":"); given {
		if number, err := strconv.Atoi(port); err != nil || number < 1 || number > 65535 {
			return fmt.Errorf("%q has no port %s; ports are 1 to 65535", registry, port)
		}
	}
	return nil
}

// Registry returns the private registry with its path.
func (m Mapper) Registry() string { return m.registry }

// Prefixes returns the prefixes of the names of private images, longest first.
func (m Mapper) Prefixes() []string {
	prefixes := []string{m.registry}
	for _, prefix := range m.table {
		prefixes = append(prefixes, strings.TrimSuffix(prefix, "/"))
	}
	sort.Slice(prefixes, func(a, b int) bool {
		if len(prefixes[a]) != len(prefixes[b]) {
			return len(prefixes[a]) > len(prefixes[b])
		}
		return prefixes[a] < prefixes[b]
	})
	return prefixes
}

// Private reports whether an image is at the private registry already.
func (m Mapper) Private(image Image) bool {
	return slices.ContainsFunc(m.Prefixes(), image.Within)
}

// Target returns the target of an image, with the same tag and digest; a private image is its own target.
func (m Mapper) Target(image Image) Image {
	if m.Private(image) {
		return image
	}
	prefix, path := m.registry, image.Path
	if mapped, ok := m.table[image.Host]; ok {
		prefix = strings.TrimSuffix(mapped, "/")
	} else {
		switch m.strategy {
		case HostPrefix:
			path = strings.ToLower(strings.ReplaceAll(image.Host, ":", "-")) + "/" + image.Path // a host may have capital letters, a path may not
		case Flat:
			sum := sha256.Sum256([]byte(image.Name()))
			path = image.Path[strings.LastIndex(image.Path, "/")+1:] + "-" + hex.EncodeToString(sum[:4])
		}
	}
	host, base, found := strings.Cut(prefix, "/")
	if found {
		path = base + "/" + path
	}
	return Image{Host: host, Path: path, Tag: image.Tag, Digest: image.Digest}
}

// Pair is one line of the mirror table: an image and its target.
type Pair struct {
	// Source is the reference to copy from, fully qualified, with a tag or digest.
	Source string `json:"source"`
	// Target is the reference to copy to.
	Target string `json:"target"`
}

// Pairs returns the pairs of images, sorted by source, without duplicates and
// private images. Two sources with one target are an error that names both.
func (m Mapper) Pairs(images []Image) ([]Pair, error) {
	bySource := map[string]string{}
	byTarget := map[string]string{}
	for _, image := range images {
		if m.Private(image) {
			continue
		}
		source, target := image.Pinned(), m.Target(image).Pinned()
		if _, err := Parse(target); err != nil {
			return nil, fmt.Errorf("%s has no valid target at the registry: %w; choose a shorter path, or --strategy %s", source, err, Flat)
		}
		if other, taken := byTarget[target]; taken && other != source {
			first, second := other, source
			if first > second {
				first, second = second, first
			}
			return nil, fmt.Errorf("%s and %s would both become %s; choose --strategy %s or set --map for one of the hosts", first, second, target, HostPrefix)
		}
		bySource[source], byTarget[target] = target, source
	}
	pairs := make([]Pair, 0, len(bySource))
	for source, target := range bySource {
		pairs = append(pairs, Pair{Source: source, Target: target})
	}
	sort.Slice(pairs, func(a, b int) bool { return pairs[a].Source < pairs[b].Source })
	return pairs, nil
}
