package generate_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/mapping"
)

// The witness finds images without the packages of the tool. It parses manifests with another library, knows the fields in which Kubernetes and Argo
// run images, and splits any other string into words: a word is an image if it contains a registry, or a repository of a values.yaml.

// scalars returns the strings of manifests by "Kind/name path". The base64 data of Secrets is decoded.
func scalars(t *testing.T, manifests string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, document := range strings.Split("\n"+manifests, "\n---") {
		if strings.Contains(document, "\nkind: CustomResourceDefinition\n") {
			continue // long, and only text
		}
		object := read(t, document)
		if object.scalars == nil {
			continue
		}
		name := object.name
		for all[name+" kind"] != "" { // a duplicate object
			name += "'"
		}
		for path, text := range object.scalars {
			all[name+" "+path] = text
		}
	}
	return all
}

// witnessed has the strings of an object by path.
type witnessed struct {
	name    string
	scalars map[string]string
}

// readBefore caches the objects of documents, most of which are the same in many renders.
var readBefore sync.Map

func read(t *testing.T, document string) witnessed {
	t.Helper()
	if known, ok := readBefore.Load(document); ok {
		return known.(witnessed)
	}
	var object map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(document), &object))
	var made witnessed
	if object != nil {
		kind, _ := object["kind"].(string)
		metadata, _ := object["metadata"].(map[string]any)
		made = witnessed{fmt.Sprint(kind, "/", metadata["namespace"], "/", metadata["name"]), map[string]string{}}
		flatten("", object, kind == "Secret", made.scalars)
	}
	readBefore.Store(document, made)
	return made
}

func flatten(at string, node any, secret bool, into map[string]string) {
	switch typed := node.(type) {
	case map[string]any:
		for key, value := range typed {
			if text, ok := value.(string); ok && secret && at == "data" {
				if plain, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(plain) {
					value = string(plain)
				}
			}
			next := key
			if at != "" {
				next = at + "." + key
			}
			flatten(next, value, secret, into)
		}
	case []any:
		for i, value := range typed {
			flatten(fmt.Sprintf("%s[%d]", at, i), value, secret, into)
		}
	case nil:
	default:
		into[at] = fmt.Sprint(typed)
	}
}

var (
	// runs matches the paths of images that Kubernetes, Argo Events and Argo Workflows run.
	runs = regexp.MustCompile(`(?i)((containers\[\d+\]|sidecars\[\d+\]|container|script)\.image|[a-z]*Image|image\.reference)$`)
	word = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._:/@-]*[A-Za-z0-9]`)
	// hosted matches a reference with a registry and a tag or digest.
	hosted = regexp.MustCompile(`^((?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?|[a-z0-9.-]+:\d+|localhost)/[a-z0-9./_-]+(:[\w][\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$`)
)

// repositories returns the repositories in values files of the charts, for references without a registry.
func repositories(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../../charts/*/values.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	named := regexp.MustCompile(`(?m)(?:repository|[iI]mage): *"?([a-z0-9][a-z0-9./_-]*)(?::[\w.-]+)?"?\s*$`)
	all := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range named.FindAllStringSubmatch(string(data), -1) {
			all[found[1]] = true
		}
	}
	require.Greater(t, len(all), 10)
	return all
}

// images returns the references in a string.
func images(path, text string, repositories map[string]bool) []string {
	field := strings.HasSuffix(path, "mage") || strings.HasSuffix(path, "image.reference")
	if field && runs.MatchString(path) && !strings.ContainsAny(text, " \n{") && text != "" {
		return []string{text}
	}
	if !strings.ContainsAny(text, ":@") { // neither tag nor digest
		return nil
	}
	var all []string
	for _, at := range word.FindAllStringIndex(text, -1) {
		found := text[at[0]:at[1]]
		if strings.HasPrefix(text[at[1]:], "://") || strings.HasSuffix(text[:at[0]], "//") || strings.Contains(found, "://") {
			continue
		}
		parts := hosted.FindStringSubmatch(found)
		name, tag, _ := strings.Cut(found, ":")
		if parts != nil && parts[2]+parts[3] != "" || repositories[name] && tag != "" {
			all = append(all, found)
		}
	}
	return all
}

// full returns a reference with the default registry and library of container runtimes.
func full(text string) string {
	host, rest, found := strings.Cut(text, "/")
	switch {
	case !found:
		return "docker.io/library/" + text
	case !strings.ContainsAny(host, ".:") && host != "localhost":
		return "docker.io/" + text
	case host == "docker.io" && !strings.Contains(rest, "/"):
		return "docker.io/library/" + rest
	}
	return text
}

// testimony is the result of comparing two renders of the same values, without and with the overrides.
type testimony struct {
	// seen is the number of references outside the registry in the first render.
	seen int
	// wrong has the references that are not replaced by their targets, and all other changes except checksums.
	wrong []string
}

func testify(t *testing.T, before, after string, pairs []mapping.Pair, repositories map[string]bool) testimony {
	t.Helper()
	target := map[string]string{}
	for _, pair := range pairs {
		target[pair.Source] = pair.Target
	}
	var said testimony
	was, is := scalars(t, before), scalars(t, after)
	for path, text := range was {
		want := text
		for _, image := range images(path, text, repositories) {
			if strings.HasPrefix(image, private+"/") {
				continue
			}
			said.seen++
			if target[full(image)] == "" {
				said.wrong = append(said.wrong, fmt.Sprintf("%s: the mirror has no %s", path, image))
				continue
			}
			if want == image {
				want = target[full(image)]
				continue
			}
			want = regexp.MustCompile(`(^|[^\w./:-])`+regexp.QuoteMeta(image)+`($|[^\w/:@-])`).ReplaceAllString(want, "${1}"+target[full(image)]+"${2}")
		}
		got, still := is[path]
		if still && (got == want || strings.Contains(path, "checksum")) {
			continue
		}
		said.wrong = append(said.wrong, fmt.Sprintf("%s: %q instead of %q", path, got, want))
	}
	for path, text := range is {
		if _, known := was[path]; !known {
			said.wrong = append(said.wrong, fmt.Sprintf("%s: %q is new", path, text))
		}
		for _, image := range images(path, text, repositories) {
			if !strings.HasPrefix(image, private+"/") {
				said.wrong = append(said.wrong, fmt.Sprintf("%s: %s is outside", path, image))
			}
		}
	}
	sort.Strings(said.wrong)
	return said
}

// TestWitness: the witness reports wrong references and other changes.
func TestWitness(t *testing.T) {
	known := map[string]bool{"nats": true}
	const before = "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{image: busybox, args: ['--a=quay.io/a/b:1', plain]}]}\n---\n" +
		"kind: ConfigMap\nmetadata: {name: c}\ndata: {x: 'image: nats:2', y: 'see https://quay.io/a:1'}\n---\n" +
		"kind: Secret\nmetadata: {name: s}\ndata: {x: cXVheS5pby9hL2I6MQ==}\n"
	pairs := []mapping.Pair{
		{Source: "docker.io/library/busybox", Target: private + "/busybox"}, {Source: "quay.io/a/b:1", Target: private + "/a/b:1"},
		{Source: "docker.io/library/nats:2", Target: private + "/nats:2"},
	}
	after := strings.NewReplacer("busybox", private+"/busybox", "quay.io/a/b:1", private+"/a/b:1", "nats:2", private+"/nats:2",
		"cXVheS5pby9hL2I6MQ==", base64.StdEncoding.EncodeToString([]byte(private+"/a/b:1"))).Replace(before)
	require.Equal(t, testimony{seen: 4}, testify(t, before, after, pairs, known))
	require.Equal(t, []string{
		`ConfigMap/<nil>/c data.x: "image: nats:2" instead of "image: registry.corp:5000/gitops/nats:2"`,
		`ConfigMap/<nil>/c data.x: nats:2 is outside`,
	}, testify(t, before, strings.Replace(after, private+"/nats:2", "nats:2", 1), pairs, known).wrong)
	require.Equal(t, []string{`Pod/<nil>/p spec.containers[0].args[1]: "other" instead of "plain"`},
		testify(t, before, strings.Replace(after, "plain", "other", 1), pairs, known).wrong)
	require.Len(t, testify(t, before, before, nil, known).wrong, 8, "every reference is reported without a mapping")
}
