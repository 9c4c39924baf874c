package generate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/generate"
)

const trap = "../testdata/trap"

// shape is a way to hide an image, with the values that set it, or part of the reason why no value does.
type shape struct {
	name, image, object string
	values              string
	reason              string
}

// shapes has every image of the trap chart.
var shapes = []shape{
	{name: "implicit docker.io, library and latest", image: "nginx", object: "Pod/plain", values: "plain"},
	{name: "implicit library with a tag", image: "redis:7", object: "Pod/library", values: "library.image"},
	{name: "host with a port", image: "registry.example:5000/team/app:v1", object: "Pod/port", values: "port.registry port.repository port.tag"},
	{name: "host in two parts", image: "gcr.io/project/app:v2", object: "Pod/two-part", values: "twoPart.registry twoPart.repository twoPart.tag"},
	{name: "host that ends in a slash", image: "quay.io/slash/app:v1", object: "Pod/slash", values: "slash.registry slash.repository slash.tag"},
	{name: "digest", image: "quay.io/digest/only@sha256:" + strings.Repeat("1", 64), object: "Pod/digest", values: "digest.image"},
	{name: "tag and digest", image: "quay.io/digest/both:v3@sha256:" + strings.Repeat("2", 64), object: "Pod/both", values: "both.repository both.tag both.digest"},
	{name: "numeric tag", image: "quay.io/number/integer:20240101", object: "Pod/integer-tag", values: "integerTag.repository"},
	{name: "tag that is a float", image: "quay.io/number/float:1.29", object: "Pod/float-tag", values: "floatTag.repository floatTag.tag"},
	{name: "tag that reads like a float", image: "quay.io/number/hex:4212e77", object: "Pod/hex-tag", values: "hexTag.repository hexTag.tag"},
	{name: "dotted keys", image: "quay.io/dotted/key:v1", object: "Pod/dotted", values: `dotted\.key.image\.name`},
	{name: "null", image: "quay.io/nulled/app:v1", object: "Pod/nulled", values: "nulled.repository nulled.tag"},
	{name: "tpl", image: "quay.io/templated/app:9.9", object: "Pod/templated", values: "global.registry"},
	{name: "tpl of several lines", image: "quay.io/block/sidecar:v1", object: "Job/init", values: "block"},
	{name: "tpl of several lines with appVersion", image: "quay.io/block/other:9.9", object: "Job/init", values: "block"},
	{name: "appVersion of a subchart", image: "ghcr.io/child/app:v4.5.6", object: "Pod/trap-child", values: "trap-child.image.repository"},
	{name: "appVersion of a nested subchart", image: "quay.io/grand/child:7.8.9", object: "Pod/trap-grandchild-grand", values: "trap-child.trap-grandchild.image"},
	{name: "alias", image: "ghcr.io/other/app:v2", object: "Pod/other", values: "other.image.repository other.image.tag"},
	{name: "disabled subchart", image: "quay.io/grand/child:7.8.9", object: "Pod/switched-off-grand", values: "switched-off.image"},
	{name: "list of objects", image: "quay.io/list/second:v1", object: "Pod/listed", values: "listed[1].image"},
	{name: "same name from two registries, one by value", image: "quay.io/list/first:v1", object: "Pod/listed", values: "listed[0].image"},
	{name: "same name from two registries, one hard-coded", image: "ghcr.io/list/first:v1", object: "Pod/same-name", reason: "the template writes it itself"},
	{name: "list of images", image: "quay.io/bare/one:v1", object: "Prefetch/bare", values: "images[0]"},
	{name: "list of images, the next", image: "quay.io/bare/two:v1", object: "Prefetch/bare", values: "images[1]"},
	{name: "argument of a flag", image: "quay.io/args/helper:v1", object: "Pod/arguments", values: "arguments.helper"},
	{name: "flag with its value", image: "quay.io/args/equals:v2", object: "Pod/arguments", values: "arguments.repository arguments.tag"},
	{name: "environment", image: "quay.io/env/sidecar:v1", object: "Pod/environment", values: "environment.sidecar"},
	{name: "ConfigMap, as text and in YAML", image: "quay.io/config/map:v1", object: "ConfigMap/config", values: "config.image"},
	{name: "JSON in a string", image: "quay.io/json/text:v1", object: "ConfigMap/config", values: "json.repository json.tag"},
	{name: "script", image: "quay.io/script/run:v1", object: "ConfigMap/config", values: "script"},
	{name: "base64 of a Secret", image: "quay.io/secret/encoded:v1", object: "Secret/secret", values: "secret.image"},
	{name: "text of a Secret", image: "quay.io/secret/plain:v1", object: "Secret/secret", values: "secret.plain"},
	{name: "hard-coded in base64", image: "quay.io/secret/fixed:v1", object: "Secret/secret", reason: "the template writes it itself"},
	{name: "custom resource", image: "quay.io/custom/resource:v1", object: "EventBus/custom", values: "custom.image"},
	{name: "shared leaf", image: "quay.io/global/app:v1", object: "Pod/global", values: "global.registry"},
	{name: "image volume by the shared leaf", image: "quay.io/global/data:v1", object: "Pod/global", values: "global.registry"},
	{name: "value that also flips a condition", image: "quay.io/condition/app:v1", object: "Pod/condition", reason: "the template behaves differently when condition.image changes"},
	{name: "guard value", image: "quay.io/guarded/app:v1", object: "Pod/guarded", values: "guarded.repository"},
	{name: "tag that decides by version", image: "quay.io/semver/app:v1.28.3", object: "Pod/semver", values: "semver.repository"},
	{name: "tag that is trimmed", image: "quay.io/trimmed/app:5.0", object: "Pod/trimmed", values: "trimmed.repository"},
	{name: "tag that is a label, too", image: "quay.io/labelled/app:v6", object: "Pod/labelled", values: "labelled.repository labelled.tag"},
	{name: "strict schema", image: "quay.io/strict/app:v1", object: "Pod/strict", values: "strict.repository strict.tag"},
	{name: "hard-coded", image: "quay.io/hard/coded:v1", object: "Pod/arguments", reason: "hard.tag sets only a part of it; the template hard-codes the rest"},
	{name: "hard-coded host", image: "quay.io/split/app:v1", object: "Pod/split", reason: "sets only a part of it; the template hard-codes the rest"},
	{name: "init container of a hook", image: "redis:7", object: "Job/init", values: "library.image"},
	{name: "anchor", image: "docker.io/shared/anchor:1.0", object: "Pod/anchored", values: "anchored.repository anchored.tag"},
	{name: "very long name", image: "quay.io/long/" + strings.Repeat("abcdefghijklmnopqrstuvwxyz", 5) + ":v1", object: "Pod/long", values: "long.repository long.tag"},
}

// TestTraps: each image is set by the given values, or reported with its reason and replaced by the post-renderer.
func TestTraps(t *testing.T) {
	require.GreaterOrEqual(t, len(shapes), 30)
	result, err := generate.Run(context.Background(), generate.Options{Chart: trap, Registry: "reg.corp", Everything: true})
	require.NoError(t, err)
	reasons := map[string]string{}
	for _, left := range result.Unreached {
		reasons[left.Location.Text()+" "+left.Location.Field.Object.String()] = left.Reason
	}
	known := map[string]bool{"redis:7 Pod/environment": true, "quay.io/grand/child:7.8.9 Pod/trap-grandchild-grand": true}
	for _, one := range shapes {
		t.Run(one.name, func(t *testing.T) {
			at := one.image + " " + one.object
			known[at] = true
			var solved []string
			for _, origin := range result.Origins {
				if origin.Location.Text()+" "+origin.Location.Field.Object.String() == at {
					solved = append(solved, strings.Join(origin.Values, " "))
				}
			}
			require.NotEmpty(t, solved, "the image is not found")
			if one.reason != "" {
				assert.Contains(t, reasons[at], one.reason)
				return
			}
			assert.Contains(t, solved, one.values)
			assert.NotContains(t, reasons, at)
		})
	}
	for _, origin := range result.Origins {
		at := origin.Location.Text() + " " + origin.Location.Field.Object.String()
		assert.True(t, known[at], "%s is not in the table", at)
	}
	assert.True(t, result.Patched, "no post-renderer is written for the images that no value sets")
	require.Len(t, result.Unread, 2)
	assert.Equal(t, generate.Doubt{
		Scenario: "default", Place: "Workflow/dynamic spec.templates[0].container.image", Text: "{{inputs.parameters.image}}", Reason: "the text is not an image reference",
	}, result.Unread[0], "an image that a workflow sets at runtime is not reported")
	assert.False(t, result.Complete())
	for _, pair := range result.Mirror {
		assert.NotContains(t, pair.Source, "quay.io/never/used", "an unused image is copied")
		assert.NotContains(t, pair.Source, "quay.io/crd/", "text in a CRD is copied as an image")
	}
}
