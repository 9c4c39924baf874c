package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/imageoverride/emit"
)

// crane writes a shell script of copy commands.
func crane(lines []line) (Files, error) { //nolint:unparam // the functions in formats return an error
	var script strings.Builder
	script.WriteString("#!/bin/sh\n# Copies all images, every platform. Needs crane, and `crane auth login` where registries ask for it.\nset -eu\n")
	for _, l := range lines {
		source, target := l.pair.Source, l.pair.Target
		if l.source.Digest != "" {
			source = l.source.Name() + "@" + l.source.Digest
		}
		if l.target.Tag != "" {
			target = l.target.Name() + ":" + l.target.Tag
		}
		fmt.Fprintf(&script, "crane copy %s %s\n", source, target)
	}
	return Files{"mirror-crane.sh": []byte(script.String())}, nil
}

// regsync writes the configuration of regclient's regsync.
func regsync(lines []line) (Files, error) {
	type entry struct {
		Source string `yaml:"source"`
		Target string `yaml:"target"`
		Type   string `yaml:"type"`
	}
	var content struct {
		Version int     `yaml:"version"`
		Sync    []entry `yaml:"sync"`
	}
	content.Version = 1
	for _, l := range lines {
		if l.target.Tag == "" {
			return nil, fmt.Errorf("%s has a digest and no tag to copy to; use crane or the mirror command", l.pair.Source)
		}
		source := l.source.Name() + ":" + l.source.Tag
		if l.source.Digest != "" {
			source = l.source.Name() + "@" + l.source.Digest
		}
		content.Sync = append(content.Sync, entry{Source: source, Target: l.target.Name() + ":" + l.target.Tag, Type: "image"})
	}
	data, err := emit.YAML(content)
	return Files{"regsync.yaml": data}, err
}

// skopeo writes the source file of `skopeo sync --scoped`, which puts images
// below their full source name.
func skopeo(lines []line) (Files, error) {
	below, err := prefixes(lines)
	if err != nil {
		return nil, err
	}
	destination := ""
	for _, host := range slices.Sorted(maps.Keys(below)) {
		prefix, ok := strings.CutSuffix(below[host], "/"+host)
		if !ok || destination != "" && prefix != destination {
			return nil, fmt.Errorf("images of %s go below %s, and skopeo can only put them below one place followed by %s", host, below[host], host)
		}
		destination = prefix
	}
	type registry struct {
		Images map[string][]string `yaml:"images"`
	}
	content := map[string]registry{}
	for _, l := range lines {
		if content[l.source.Host].Images == nil {
			content[l.source.Host] = registry{Images: map[string][]string{}}
		}
		version := l.source.Tag
		if l.source.Digest != "" {
			version = l.source.Digest
		}
		images := content[l.source.Host].Images
		images[l.source.Path] = append(images[l.source.Path], version)
	}
	data, err := emit.YAML(content)
	heading := fmt.Sprintf("# skopeo sync --all --preserve-digests --scoped --src yaml --dest docker skopeo.yaml %s\n", destination)
	return Files{"skopeo.yaml": append([]byte(heading), data...)}, err
}

// hosts writes containerd's registry configuration, with which nodes pull
// images with public names from the private registry.
func hosts(lines []line) (Files, error) {
	below, err := prefixes(lines)
	if err != nil {
		return nil, err
	}
	files := Files{}
	for _, host := range slices.Sorted(maps.Keys(below)) {
		server := host
		if host == "docker.io" {
			server = "registry-1.docker.io"
		}
		private, path, _ := strings.Cut(below[host], "/")
		url := "https://" + private + "/v2"
		if path != "" {
			url += "/" + path
		}
		files["certs.d/"+host+"/hosts.toml"] = []byte(fmt.Sprintf(
			"server = %q\n\n[host.%q]\n  capabilities = [\"pull\", \"resolve\"]\n  override_path = true\n", "https://"+server, url))
	}
	return files, nil
}

// annotations writes the chart annotations that list images for ArtifactHub and
// for programs that read helm.sh/images.
func annotations(lines []line) (Files, error) {
	type image struct {
		Name  string `yaml:"name"`
		Image string `yaml:"image"`
	}
	var images []image
	for _, l := range lines {
		images = append(images, image{Name: l.source.Path[strings.LastIndex(l.source.Path, "/")+1:], Image: l.pair.Source})
	}
	list, err := emit.YAML(images)
	if err != nil {
		return nil, err
	}
	data, err := emit.YAML(map[string]map[string]string{"annotations": {"artifacthub.io/images": string(list), "helm.sh/images": string(list)}})
	return Files{"chart-annotations.yaml": data}, err
}
