package previewcmd_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
)

// spots are places for a credential: values by their names, which the template puts into an object. %s is the credential, which differs on both sides.
var spots = []struct{ value, template, credential string }{
	{"db.password", "env: {name: A, value: VALUE}", "plain-%s"},
	{"token", "env: {name: B, value: VALUE}", "plain-%s"},
	{"apiKey", "env: {name: C, value: VALUE}", "plain-%s"},
	{"neutral.a", "env: {name: DB_PASSWORD, value: VALUE}", "plain-%s"},
	{"neutral.b", "env: {name: GITHUB_TOKEN, value: VALUE}", "plain-%s"},
	{"neutral.c", "env: {name: AWS_SECRET_ACCESS_KEY, value: VALUE}", "plain-%s"},
	{"neutral.d", "secret: VALUE", "plain-%s"},
	{"neutral.e", "secret: VALUE", "short%s"},
	{"neutral.f", "both: VALUE", "plain-%s"},
	{"neutral.g", "arg: --password=VALUE", "plain-%s"},
	{"neutral.h", "arg: --token=VALUE", "plain-%s"},
	{"neutral.i", "config: VALUE", "https://user:%s@example.com/x"},
	{"neutral.j", "config: VALUE", "ghp_%sAbCdEfGh1234"},
	{"neutral.k", "config: VALUE", "eyJhbGciOi%s.eyJzdWIi.c2ln"},
	{"neutral.l", "config: VALUE", "AbCdEf1234567%sXyZ"},
	{"neutral.m", "config: VALUE", "password=%s"},
	{"neutral.n", "config: VALUE", "-----BEGIN PRIVATE KEY-----%s"},
	{"neutral.o", "annotation: VALUE", "glpat-%sAbCdEfGh1234"},
	{"neutral.p", "hooksecret: VALUE", "plain-%s"},
	{"credentials", "hookenv: VALUE", "plain-%s"},
}

const canaryTemplate = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example.com/web:1", args: [ARGS], env: [ENV]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config, annotations: {ANNOTATIONS}}
data: {CONFIG}
---
apiVersion: v1
kind: Secret
metadata: {name: secret}
stringData: {SECRETS}
---
apiVersion: v1
kind: Secret
metadata: {name: hook, annotations: {helm.sh/hook: pre-upgrade}}
data: {HOOKSECRETS}
---
apiVersion: batch/v1
kind: Job
metadata: {name: hook, annotations: {helm.sh/hook: pre-upgrade}}
spec: {template: {spec: {containers: [{name: a, image: a, env: [HOOKENV]}]}}}
`

// writeCanaries writes a chart and values of both sides, and returns the credentials.
func writeCanaries(t *testing.T) []string {
	t.Helper()
	parts := map[string][]string{}
	values := map[string]string{}
	var canaries []string
	for i, spot := range spots {
		path := ".Values." + spot.value
		kind, form, _ := strings.Cut(spot.template, ": ")
		quoted := strings.ReplaceAll(form, "VALUE", `{{ `+path+` }}`)
		at := fmt.Sprintf("k%d: {{ %s | quote }}", i, path)
		into := map[string][]string{
			"env": {"ENV", strings.ReplaceAll(form, "VALUE", `{{ `+path+` | quote }}`)}, "arg": {"ARGS", `"` + quoted + `"`}, "config": {"CONFIG", at}, "secret": {"SECRETS", at},
			"annotation": {"ANNOTATIONS", at}, "hooksecret": {"HOOKSECRETS", fmt.Sprintf("k%d: {{ %s | b64enc }}", i, path)}, "hookenv": {"HOOKENV", fmt.Sprintf("{name: X, value: {{ %s | quote }}}", path)},
		}
		if kind == "both" { // what is in a Secret is hidden in a ConfigMap, too
			parts["SECRETS"], kind = append(parts["SECRETS"], at), "config"
		}
		parts[into[kind][0]] = append(parts[into[kind][0]], into[kind][1])
		for _, side := range []string{"before", "after"} {
			canary := fmt.Sprintf("canary%02d%s", i, side)
			canaries = append(canaries, canary)
			keys := strings.Split(spot.value, ".")
			for depth, key := range keys[:len(keys)-1] {
				line := strings.Repeat("  ", depth) + key + ":\n"
				if !strings.Contains(values[side], line) {
					values[side] += line
				}
			}
			values[side] += fmt.Sprintf("%s%s: %q\n", strings.Repeat("  ", len(keys)-1), keys[len(keys)-1], fmt.Sprintf(spot.credential, canary))
		}
	}
	template := canaryTemplate
	for _, name := range []string{"ARGS", "HOOKENV", "ENV", "ANNOTATIONS", "CONFIG", "HOOKSECRETS", "SECRETS"} {
		template = strings.Replace(template, name, strings.Join(parts[name], ", "), 1)
	}
	testkit.WriteFile(t, "chart/Chart.yaml", "apiVersion: v2\nname: demo\nversion: 1.0.0\n")
	testkit.WriteFile(t, "chart/templates/all.yaml", template+`{{ if .Values.broken }}{{ fail (printf "what is given is wrong: %v and %s" .Values .Values.neutral.d) }}{{ end }}`)
	for side, text := range values {
		testkit.WriteFile(t, side+".yaml", text)
	}
	return canaries
}

// Forty credentials in values, Secrets, hooks and a stored release appear in no report, and in no error.
func TestNoCredentialIsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	canaries := writeCanaries(t)
	require.Len(t, canaries, 40)
	stored := func() *world {
		return &world{Kinds: map[string][]string{"v1": {"ConfigMap*"}}, Releases: []storedRelease{{Name: "demo", Chart: "chart", Values: "before.yaml", Revision: 1, Status: "deployed"}}}
	}
	formats := strings.Fields("-o text -o json=r.json -o html=r.html -o markdown=r.md -o short=r.txt --all")
	common := []string{"-n", "codefresh", "--release", "demo", "--chart", "chart"}
	for name, run := range map[string]struct {
		spec *world
		args []string
		code int
	}{
		"a release":               {stored(), []string{"-f", "after.yaml"}, 0},
		"charts":                  {nil, []string{"-f", "after.yaml", "--before", "chart", "--before-values", "before.yaml", "--no-cluster"}, 0},
		"a chart that fails":      {stored(), []string{"-f", "before.yaml", "--set", "broken=true"}, 2},
		"values of a flag":        {stored(), []string{"-f", "after.yaml", "--set", "db.password=canary-of-a-flag"}, 0},
		"a broken release":        {&world{Releases: []storedRelease{{Name: "demo", Revision: 1, Status: "deployed", Raw: base64.StdEncoding.EncodeToString([]byte(`{"name": "canary00before`))}}}, nil, 2},
		"values that are no YAML": {stored(), []string{"--set", "a[=canary-of-a-flag"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			code, out := runPreview(t, run.spec, append(append(append([]string{}, common...), formats...), run.args...)...)
			require.Equal(t, run.code, code, out)
			texts := map[string]string{"text": out}
			if code == 0 {
				require.Contains(t, out, "(hidden)")
				for _, file := range []string{"r.json", "r.html", "r.md", "r.txt"} {
					text, err := os.ReadFile(file)
					require.NoError(t, err)
					texts[file] = string(text)
				}
			}
			for format, text := range texts {
				for _, canary := range append(canaries, "canary-of-a-flag") {
					for _, form := range []string{canary, base64.StdEncoding.EncodeToString([]byte(canary)), url.QueryEscape(canary)} {
						assert.NotContains(t, text, form, format)
					}
				}
			}
		})
	}
}
