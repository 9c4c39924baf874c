package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/contract/facts"
	"gitops-runtime/tests/render"
)

// factsOf reads facts, one a line: kind/object, container, aspect, key = value.
func factsOf(t *testing.T, text string) facts.Facts {
	t.Helper()
	all := facts.Facts{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		left, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
		require.True(t, ok, line)
		words := strings.SplitN(left, " ", 4)
		require.Len(t, words, 4, line)
		kind, name, _ := strings.Cut(words[0], "/")
		all[facts.Fact{Object: facts.Object{Kind: kind, Name: name}, Container: words[1], Aspect: words[2], Key: words[3]}] = value
	}
	return all
}

// pod returns a workload with one container, whose fields are given as YAML.
func pod(name, container, image, more string) string {
	return "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: " + name + "}\nspec: {template: {spec: {serviceAccountName: " + name +
		", volumes: [{name: v, secret: {secretName: s, optional: true}}, {name: p, projected: {sources: [{secret: {name: s}}, {configMap: {name: m}}]}}, {name: e, emptyDir: {}}]" +
		", containers: [{name: " + container + ", image: \"" + image + "\", " + more + "}]}}}\n"
}

// A case of the rules: one fact of the contract, what else the contract has, and the chart's manifests.
func TestRules(t *testing.T) {
	t.Parallel()
	const (
		closed = "quay.io/codefresh/cf-argocd-extras:1"
		other  = "docker.io/library/nginx:1"
		mine   = "Deployment/w c "
	)
	env := func(entries string) string { return pod("w", "c", other, "env: ["+entries+"]") }
	for name, test := range map[string]struct {
		fact, beside, have string
		want               Judgment
	}{
		"the same":                                  {mine + "env A = literal:x", "", env("{name: A, value: x}"), Judgment{Satisfied, "literal:x"}},
		"another value":                             {mine + "env A = literal:x", "", env("{name: A, value: z}"), Judgment{Different, "literal:z"}},
		"no variable":                               {mine + "env A = literal:x", "", env(""), Judgment{Outcome: Missing}},
		"false is not nothing":                      {mine + "env A = literal:false", "", env(""), Judgment{Outcome: Missing}},
		"0 is not empty":                            {mine + "env A = literal:0", "", env("{name: A, value: ''}"), Judgment{Different, "literal:"}},
		"no object":                                 {"Deployment/z c env A = literal:x", "", env(""), Judgment{Outcome: NoObject}},
		"another kind that runs pods":               {"StatefulSet/w - object apiVersion = apps/v1", "", env(""), Judgment{Different, "Deployment/w"}},
		"another API version":                       {"Deployment/w - object apiVersion = apps/v2", "", env(""), Judgment{Different, "apps/v1"}},
		"the same object":                           {"Deployment/w - object apiVersion = apps/v1", "", env(""), Judgment{Satisfied, "apps/v1"}},
		"no container":                              {"Deployment/w d env A = literal:x", "", env(""), Judgment{Missing, "no such container"}},
		"a container of another name":               {"Deployment/w d env A = literal:x", "Deployment/w d image main = library/nginx:2", env("{name: A, value: x}"), Judgment{Satisfied, "literal:x"}},
		"the only container has another image":      {"Deployment/w d env A = literal:x", "Deployment/w d image main = busybox", env("{name: A, value: x}"), Judgment{Satisfied, "literal:x"}},
		"tuning":                                    {mine + "resources limits.cpu = 1", "", env(""), Judgment{Outcome: Ignored}},
		"an empty value instead of none":            {mine + "env A = configMapKeyRef:m/k:optional", "ConfigMap/m - data other = x", env("{name: A}"), Judgment{Different, "literal:"}},
		"an optional key that is not set":           {mine + "env A = configMapKeyRef:m/k:optional", "ConfigMap/m - data other = x", env(""), Judgment{Outcome: Missing}},
		"an optional key that is set":               {mine + "env A = configMapKeyRef:m/k:optional", "ConfigMap/m - data k = x", env(""), Judgment{Outcome: Missing}},
		"a literal instead of a key":                {mine + "env A = configMapKeyRef:m/k", "ConfigMap/m - data k = x", env("{name: A, value: x}"), Judgment{Equivalent, "literal:x"}},
		"a key instead of a literal":                {mine + "env A = literal:x", "", env("{name: A, valueFrom: {configMapKeyRef: {name: m, key: k}}}") + "---\nkind: ConfigMap\nmetadata: {name: m}\ndata: {k: x}\n", Judgment{Equivalent, "configMapKeyRef:m/k"}},
		"a required key that does not exist":        {mine + "env A = literal:x", "", env("{name: A, valueFrom: {configMapKeyRef: {name: m, key: k}}}") + "---\nkind: ConfigMap\nmetadata: {name: m}\ndata: {}\n", Judgment{Different, "configMapKeyRef:m/k"}},
		"a Secret that each chart creates":          {mine + "env A = secretKeyRef:t/k:optional", "Secret/t - object apiVersion = v1", env("{name: A, valueFrom: {secretKeyRef: {name: o, key: p}}}") + "---\nkind: Secret\nmetadata: {name: o}\n", Judgment{Equivalent, "secretKeyRef:o/p"}},
		"a Secret that is not created here":         {mine + "env A = secretKeyRef:t/k", "Secret/t - object apiVersion = v1", env("{name: A, valueFrom: {secretKeyRef: {name: o, key: k}}}"), Judgment{Different, "secretKeyRef:o/k"}},
		"another key of the same Secret":            {mine + "env A = secretKeyRef:t/k", "Secret/t - object apiVersion = v1", env("{name: A, valueFrom: {secretKeyRef: {name: t, key: p}}}") + "---\nkind: Secret\nmetadata: {name: t}\n", Judgment{Different, "secretKeyRef:t/p"}},
		"an optional Secret of a program":           {mine + "env A = secretKeyRef:t/k", "", env("{name: A, valueFrom: {secretKeyRef: {name: t, key: k, optional: true}}}"), Judgment{Different, "secretKeyRef:t/k:optional"}},
		"the cluster's domain and the default port": {mine + "env A = literal:http://s.NAMESPACE.svc.cluster.local:80/x", "", env("{name: A, value: 'http://s/x'}"), Judgment{Equivalent, "literal:http://s/x"}},
		"another port":                              {mine + "env A = literal:http://s:81", "", env("{name: A, value: 'http://s'}"), Judgment{Different, "literal:http://s"}},
		"the chart's version":                       {mine + "env A = literal:0.30.0", "", env("{name: A, value: 1.2.0}"), Judgment{Different, "literal:{chartVersion}"}},
		"more addresses without a proxy":            {mine + "env NO_PROXY = literal:a,b", "", env("{name: NO_PROXY, value: 'b,c,a'}"), Judgment{Equivalent, "literal:b,c,a"}},
		"fewer addresses without a proxy":           {mine + "env NO_PROXY = literal:a,b", "", env("{name: NO_PROXY, value: a}"), Judgment{Different, "literal:a"}},
		"a file at another path":                    {mine + "env A = literal:/x/f", mine + "mount /x = secret:s[k=f]:ro", pod("w", "c", other, "env: [{name: A, value: /y/k}], volumeMounts: [{name: v, mountPath: /y}]"), Judgment{Equivalent, "literal:/y/k"}},
		"another file":                              {mine + "env A = literal:/x/f", mine + "mount /x = secret:s[k=f]:ro", pod("w", "c", other, "env: [{name: A, value: /y/f}], volumeMounts: [{name: v, mountPath: /y}]"), Judgment{Different, "literal:/y/f"}},
		"an image of another registry and tag":      {mine + "image main = quay.io/library/nginx:2", "", env(""), Judgment{Satisfied, other}},
		"another image":                             {mine + "image main = quay.io/library/redis", "", env(""), Judgment{Different, other}},
		"a port of another name":                    {mine + "port http = 80/TCP", "", pod("w", "c", other, "ports: [{name: web, containerPort: 80}]"), Judgment{Equivalent, "named web"}},
		"no port":                                   {mine + "port http = 80/TCP", "", pod("w", "c", other, "ports: [{name: web, containerPort: 81}]"), Judgment{Outcome: Missing}},
		"a probe at another port":                   {mine + "probe liveness = httpGet /h on 80", "", pod("w", "c", other, "livenessProbe: {httpGet: {path: /h, port: 81}}"), Judgment{Equivalent, "httpGet /h on 81"}},
		"a closed program's probe at another port":  {mine + "probe liveness = httpGet /h on 80", mine + "image main = " + closed, pod("w", "c", closed, "livenessProbe: {httpGet: {path: /h, port: 81}}"), Judgment{Different, "httpGet /h on 81"}},
		"another probe":                             {mine + "probe liveness = httpGet /h on 80", "", pod("w", "c", other, "livenessProbe: {tcpSocket: {port: 80}}"), Judgment{Different, "tcp on 80"}},
		"another port behind a Service":             {"Service/w - servicePort 80 = name=http target=8080 protocol=TCP", "", "kind: Service\nmetadata: {name: w}\nspec: {ports: [{name: http, port: 80, targetPort: 1}]}", Judgment{Equivalent, "name=http target=1 protocol=TCP"}},
		"another port of a closed program":          {"Service/w - servicePort 80 = name=http target=8080 protocol=TCP", mine + "image main = " + closed, "kind: Service\nmetadata: {name: w}\nspec: {ports: [{name: http, port: 80, targetPort: 1}]}", Judgment{Different, "name=http target=1 protocol=TCP"}},
		"another type of Service":                   {"Service/w - servicePort (type) = ClusterIP", "", "kind: Service\nmetadata: {name: w}\nspec: {type: NodePort}", Judgment{Different, "NodePort"}},
		"a headless Service":                        {"Service/w - servicePort (clusterIP) = None", "", "kind: Service\nmetadata: {name: w}\nspec: {}", Judgment{Outcome: Missing}},
		"a projected volume":                        {mine + "mount /x = configMap:m:ro", "", pod("w", "c", other, "volumeMounts: [{name: p, mountPath: /x, readOnly: true}]"), Judgment{Equivalent, "projected:secret:s+configMap:m:ro"}},
		"a volume that may be written":              {mine + "mount /x = secret:s:optional:ro", "", pod("w", "c", other, "volumeMounts: [{name: v, mountPath: /x}]"), Judgment{Equivalent, "secret:s:optional:rw"}},
		"a folder that may not be written":          {mine + "mount /x = emptyDir::rw", "", pod("w", "c", other, "volumeMounts: [{name: e, mountPath: /x, readOnly: true}]"), Judgment{Different, "emptyDir::ro"}},
		"a volume of something else":                {mine + "mount /x = secret:t:ro", "", pod("w", "c", other, "volumeMounts: [{name: v, mountPath: /x, readOnly: true}]"), Judgment{Different, "secret:s:optional:ro"}},
		"a Secret that does not exist":              {mine + "mount /x = secret:t:optional:ro", "", env(""), Judgment{Outcome: Missing}},
		"a required Secret":                         {mine + "mount /x = secret:t:ro", "", env(""), Judgment{Outcome: Missing}},
		"a volume that no container mounts":         {"Deployment/w - mount (not mounted) x = emptyDir:", "", env(""), Judgment{Outcome: Ignored}},
		"a mount to which a variable points":        {mine + "mount /x = configMap:z:ro", mine + "env A = literal:/x/f", env("{name: A, value: /x/f}"), Judgment{Outcome: Missing}},
		"a word at another place":                   {mine + "arg args[0] = run", "", pod("w", "c", other, "args: [--x, --y, run]") /* the last is y's value */, Judgment{Outcome: Missing}},
		"a command instead of an argument":          {mine + "arg args[0] = run", "", pod("w", "c", other, "command: [run]"), Judgment{Equivalent, "at another place"}},
		"the value of another flag":                 {mine + "arg --x = 1", "", pod("w", "c", other, "args: [--y=1]"), Judgment{Outcome: Missing}},
		"another script":                            {mine + "arg args[0] = (script)", "", pod("w", "c", other, "args: ['a']"), Judgment{Ignored, "a"}},
		"a restriction that is off by default":      {mine + "securityContext readOnlyRootFilesystem = false", "", env(""), Judgment{Outcome: Satisfied}},
		"escalation is not off by default":          {mine + "securityContext allowPrivilegeEscalation = false", "", env(""), Judgment{Outcome: Missing}},
		"no key":                                    {"ConfigMap/m - data k = x", "", "kind: ConfigMap\nmetadata: {name: m}\ndata: {}", Judgment{Outcome: Missing}},
		"an empty key":                              {"ConfigMap/m - data k = 0", "", "kind: ConfigMap\nmetadata: {name: m}\ndata: {k: ''}", Judgment{Different, ""}},
		"a version":                                 {"ConfigMap/m - data k: x.version = 1", "", "kind: ConfigMap\nmetadata: {name: m}\ndata: {k: \"x:\\n  version: v2\\n\"}", Judgment{Satisfied, "v2"}},
		"what is not a version":                     {"ConfigMap/m - data version = 1", "", "kind: ConfigMap\nmetadata: {name: m}\ndata: {version: none}", Judgment{Different, "none"}},
		"another optional key that is not set":      {mine + "env A = configMapKeyRef:m/k:optional", "ConfigMap/m - data other = x", env("{name: A, valueFrom: {configMapKeyRef: {name: m, key: l, optional: true}}}") + "---\nkind: ConfigMap\nmetadata: {name: m}\n", Judgment{Different, "configMapKeyRef:m/l:optional"}},
		"an empty value that is missing":            {mine + "env A = literal:", "", env(""), Judgment{Outcome: Missing}},
		"an empty value from an optional key":       {mine + "env A = literal:", "", env("{name: A, valueFrom: {configMapKeyRef: {name: m, key: l, optional: true}}}") + "---\nkind: ConfigMap\nmetadata: {name: m}\n", Judgment{Equivalent, "configMapKeyRef:m/l:optional"}},
		"a ConfigMap whose keys are literals":       {"ConfigMap/z - data k = x", mine + "env A = configMapKeyRef:z/k", env("{name: A, value: x}"), Judgment{Outcome: NoObject}},
		"a ConfigMap that is not read":              {"ConfigMap/z - data k = x", "", env(""), Judgment{Outcome: NoObject}},
		"a route":                                   {"ConfigMap/m - data nginx: route / = return 404", "", "kind: ConfigMap\nmetadata: {name: m}\ndata: {c: \"server {\\n location / { return 404; }\\n}\"}", Judgment{Satisfied, "return 404"}},
		"another route":                             {"ConfigMap/m - data nginx: route / = return 405", "", "kind: ConfigMap\nmetadata: {name: m}\ndata: {c: \"server {\\n location / { return 404; }\\n}\"}", Judgment{Different, "return 404"}},
		"no configuration of nginx":                 {"ConfigMap/m - data nginx: route / = return 404", "", "kind: ConfigMap\nmetadata: {name: m}\ndata: {}", Judgment{Outcome: Missing}},
		"directives of nginx":                       {"ConfigMap/m - data nginx: location / return = 404", "", "kind: ConfigMap\nmetadata: {name: m}\ndata: {}", Judgment{Outcome: Ignored}},
		"another order of a schema":                 {"CustomResourceDefinition/c - crd version v1 a = type=string required", "", "kind: CustomResourceDefinition\nmetadata: {name: c}\nspec: {versions: [{name: v1, schema: {openAPIV3Schema: {required: [a], properties: {a: {type: string}}}}}]}", Judgment{Satisfied, "type=string required"}},
		"a schema that accepts anything":            {"CustomResourceDefinition/c - crd version v1 a = type=string", "", "kind: CustomResourceDefinition\nmetadata: {name: c}\nspec: {versions: [{name: v1, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}", Judgment{Open, "the schema accepts anything"}},
		"and sets no default":                       {"CustomResourceDefinition/c - crd version v1 a = type=string default=x", "", "kind: CustomResourceDefinition\nmetadata: {name: c}\nspec: {versions: [{name: v1, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}", Judgment{Missing, "the schema accepts anything"}},
		"no field":                                  {"CustomResourceDefinition/c - crd version v1 a = type=string", "", "kind: CustomResourceDefinition\nmetadata: {name: c}\nspec: {versions: [{name: v1, schema: {}}]}", Judgment{Outcome: Missing}},
		"labels of RBAC objects":                    {"Role/r - label app = x", "", env(""), Judgment{Outcome: Ignored}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := factsOf(t, test.fact+"\n"+test.beside)
			objects, err := render.Parse(test.have)
			require.NoError(t, err)
			comparison := Compare(prepare("x", whole, nil), facts.Of(objects, facts.Release{ChartVersion: "1.2.0"}))
			for fact, value := range factsOf(t, test.fact) {
				assert.Equal(t, test.want, comparison.Judge(fact, value))
			}
		})
	}
}

func TestRulesOfRights(t *testing.T) {
	t.Parallel()
	const roles = `
kind: Role
metadata: {name: r}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}, {apiGroups: [apps], resources: ["*"], verbs: ["*"]}, {apiGroups: [""], resources: [secrets], resourceNames: [s], verbs: [get]}]
---
kind: ClusterRole
metadata: {name: c}
rules: [{apiGroups: ["*"], resources: [pods], verbs: [list]}]
---
kind: RoleBinding
metadata: {name: b}
roleRef: {kind: Role, name: r}
subjects: [{kind: ServiceAccount, name: a}]
---
kind: ClusterRoleBinding
metadata: {name: b}
roleRef: {kind: ClusterRole, name: c}
subjects: [{kind: ServiceAccount, name: a}]
---
kind: ServiceAccount
metadata: {name: poor}
---
kind: Deployment
metadata: {name: w}
spec: {template: {spec: {serviceAccountName: a, containers: []}}}
`
	objects, err := render.Parse(roles)
	require.NoError(t, err)
	have := facts.Of(objects, facts.Release{})
	for key, want := range map[string]struct {
		value string
		Judgment
	}{
		"core/pods:get":            {"scope=namespaced sa=a", Judgment{Satisfied, "scope=namespaced sa=a"}},
		"core/pods:list":           {"scope=cluster sa=a", Judgment{Satisfied, "scope=cluster sa=a"}},
		"core/pods#one:get":        {"scope=namespaced sa=a", Judgment{Satisfied, "scope=namespaced sa=a"}},
		"apps/deployments:delete":  {"scope=namespaced sa=a", Judgment{Satisfied, "scope=namespaced sa=a"}},
		"apps/deployments:get":     {"scope=cluster+namespaced sa=a", Judgment{Narrower, "in the namespace only"}},
		"core/secrets:get":         {"scope=namespaced sa=a", Judgment{Narrower, "not granted to a"}},
		"core/secrets#s:get":       {"scope=namespaced sa=a", Judgment{Satisfied, "scope=namespaced sa=a"}},
		"core/secrets#t:get":       {"scope=namespaced sa=a", Judgment{Narrower, "not granted to a"}},
		"*/*:*":                    {"scope=namespaced sa=a", Judgment{Narrower, "not granted to a"}},
		"core/events:get":          {"scope=namespaced sa=a,poor", Judgment{Narrower, "not granted to a"}},
		"core/nodes:get":           {"scope=namespaced sa=poor", Judgment{Narrower, "not granted to poor"}},
		"core/configmaps:get":      {"scope=namespaced sa=nobody", Judgment{NoObject, "no service account nobody"}},
		"core/pods:watch":          {"unbound", Judgment{Outcome: Ignored}},
		"binds Role/r":             {"sa=NAMESPACE/a", Judgment{Outcome: Ignored}},
		"core/pods/log:get":        {"scope=namespaced sa=renamed", Judgment{Narrower, "not granted to a"}},
		"apps/deployments/log:get": {"scope=namespaced sa=renamed", Judgment{Satisfied, "scope=namespaced sa=renamed"}},
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			fact := facts.Fact{Object: facts.Object{Kind: "Role", Name: "x"}, Container: facts.None, Aspect: "rule", Key: key}
			whole := factsOf(t, "Deployment/w - serviceAccount name = renamed")
			assert.Equal(t, want.Judgment, Compare(prepare("x", whole, nil), have).Judge(fact, want.value))
		})
	}
}
