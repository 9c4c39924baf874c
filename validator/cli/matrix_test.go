package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// providers are the Git servers of the page, by the name in the files of their
// cases, with the kind that the platform calls them and the path of their API.
var providers = map[string]struct{ kind, path string }{
	"github":            {"GITHUB", ""},
	"github-enterprise": {"GITHUB", "/api/v3"},
	"gitlab":            {"GITLAB", "/api/v4"},
	"bitbucket":         {"BITBUCKET", "/2.0"},
	"bitbucket-server":  {"BITBUCKET_SERVER", ""},
	"gerrit":            {"GERRIT", ""},
}

// situations are what a provider can be in, with what the run then says. A
// token that has expired is refused, or tells the end of its life.
var situations = map[string]string{
	"401":       `exit 3\n.* fail: GIT301 .*\n`,
	"403":       `exit 5\n.* inconclusive: GIT300 .* answers HTTP 403\.\n`,
	"404":       `exit 5\n.* inconclusive: GIT300 .* answers HTTP 404\.\n`,
	"429":       `exit 5\n.* inconclusive: GIT300 .* answers HTTP 429\.\n`,
	"503":       `exit 5\n.* inconclusive: GIT300 .* answers HTTP 503\.\n`,
	"timeout":   `exit 5\n.* inconclusive: GIT300 .*\n`,
	"untrusted": `exit 3\n.* fail: GIT306 .*\n`,
	"scopes":    `exit 3\n.* fail: GIT302 .*\n`,
	"expired":   `exit 3\n.* fail: GIT30[13] .*\n`,
	"fine":      `exit 0\n`,
}

// exceptions say why a provider has no such situation; the case stands for that.
var exceptions = map[string]string{
	"gerrit scopes": `exit 0\n`, // an HTTP password has all rights of its account
}

// Every provider is seen in every situation.
func TestEveryProviderInEverySituation(t *testing.T) {
	if len(providers) != 6 || len(situations) != 10 {
		t.Fatalf("%d providers, %d situations", len(providers), len(situations))
	}
	for name, provider := range providers {
		for situation, want := range situations {
			t.Run(name+" "+situation, func(t *testing.T) {
				file := filepath.Join("testdata", "cases", fmt.Sprintf("git-%s-%s.txt", name, situation))
				if _, err := os.Stat(file); err != nil {
					t.Fatal("there is no case")
				}
				one := readCase(t, file)
				var world worldSpec
				if err := yaml.UnmarshalStrict([]byte(one.get("world")), &world); err != nil {
					t.Fatal(err)
				}
				if world.Provider == nil || *world.Provider != provider.kind || strings.TrimPrefix(world.GitURL, "{git}") != provider.path {
					t.Errorf("%s is not about this provider", file)
				}
				if world.GitHost == nil || world.GitHost.Kind != provider.kind {
					t.Errorf("%s does not have the server reply as this provider does", file)
				}
				if other, known := exceptions[name+" "+situation]; known {
					want = other
				}
				if !regexp.MustCompile("^" + want + "$").MatchString(one.get("want")) {
					t.Errorf("%s says\n%s", file, one.get("want"))
				}
			})
		}
	}
}

// Twelve independent faults give twelve findings in one run.
func TestTwelveFaults(t *testing.T) {
	one := readCase(t, filepath.Join("testdata", "cases", "report-many.txt"))
	found := regexp.MustCompile(`(?m)^  (FAIL|WARN)  [A-Z]{3}[0-9]{3} `).FindAllString(one.get("want"), -1)
	if len(found) < 12 {
		t.Errorf("%d findings: %v", len(found), found)
	}
}
