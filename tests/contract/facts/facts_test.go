package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/render"
)

func objects(t *testing.T, text string) []unstructured.Unstructured {
	t.Helper()
	parsed, err := render.Parse(text)
	require.NoError(t, err)
	return parsed
}

func called() Release {
	return Release{Name: "rls", Namespace: "nsp", Runtime: "rtm", Account: "acc0", ChartVersion: "1.2.0", AppVersion: "1.2.1"}
}

// lines returns the facts of the set, as container, aspect, key and value, except the apiVersion.
func lines(set *Set, of Object) []string {
	var all []string
	for fact, value := range set.Objects()[of] {
		if fact.Aspect != "object" {
			all = append(all, strings.Join([]string{fact.Container, fact.Aspect, fact.Key, value}, " | "))
		}
	}
	slices.Sort(all)
	return all
}

func TestFactsOfObjects(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of   Object
		text string
		want []string
	}{
		"labels and annotations that count": {Object{"Secret", "s"}, `
kind: Secret
metadata: {name: s, labels: {app: a, helm.sh/chart: c, codefresh.io/internal: "false", io.codefresh.x: ""}, annotations: {helm.sh/resource-policy: keep, checksum/config: x}}
type: kubernetes.io/tls
data: {b: eA==}
stringData: {c: ""}`, []string{
			"- | annotation | helm.sh/resource-policy | keep", "- | data | (type) | kubernetes.io/tls", "- | data | b | (secret)", "- | data | c | (secret)",
			"- | label | app | a", "- | label | codefresh.io/internal | false", "- | label | io.codefresh.x | "}},
		"hook": {Object{"Job", "j"}, `
kind: Job
metadata: {name: j, annotations: {helm.sh/hook: "pre-upgrade,pre-install", helm.sh/hook-weight: "0"}}
spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, serviceAccountName: "", automountServiceAccountToken: false, containers: []}}}`, []string{
			"- | hook | backoffLimit | 0", "- | hook | deletePolicy | before-hook-creation", "- | hook | events | pre-install,pre-upgrade", "- | hook | restartPolicy | Never",
			"- | hook | weight | 0", "- | serviceAccount | automountServiceAccountToken | false", "- | serviceAccount | name | default"}},
		"ConfigMap": {Object{"ConfigMap", "c"}, `
kind: ConfigMap
metadata: {name: c}
data:
  short: " of rls in nsp, 1.2.0 and 1.2.1, not 11.2.0 "
  empty: ""
  zero: "0"
  "no": "false"
  settings: "a:\n  b.c: 0\n  d: false\n  e: ''\n  f: [{name: x, v: 1}, {name: z, v: 2}]\n  g: [3, 4]\n  h: {}\n"
  client.ini: "[common]\nserver = x\n; comment = y\n"
  run.sh: "#!/bin/sh\ntrue\n"
  words: "one\ntwo\n"`, []string{
			"- | data | client.ini: [common] server | x", "- | data | empty | ", "- | data | no | false", "- | data | run.sh | (script)",
			`- | data | settings: a.b\.c | 0`, "- | data | settings: a.d | false", "- | data | settings: a.e | ", "- | data | settings: a.f[x].name | x", "- | data | settings: a.f[x].v | 1",
			"- | data | settings: a.f[z].name | z", "- | data | settings: a.f[z].v | 2", "- | data | settings: a.g[0] | 3", "- | data | settings: a.g[1] | 4",
			"- | data | short | of RELEASE in NAMESPACE, {chartVersion} and {appVersion}, not 11.2.0", "- | data | words | (text of 2 lines)", "- | data | zero | 0"}},
		"Service of a named port": {Object{"Service", "s"}, `
kind: Service
metadata: {name: s}
spec: {clusterIP: None, selector: {app: a}, ports: [{port: 80, targetPort: http, name: http}, {port: 81, targetPort: other}, {port: 82, protocol: UDP}]}
---
kind: Deployment
metadata: {name: d}
spec: {template: {metadata: {labels: {app: a, x: y}}, spec: {containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]}}}
---
kind: Deployment
metadata: {name: e}
spec: {template: {metadata: {labels: {app: b}}, spec: {containers: [{name: c, ports: [{name: http, containerPort: 9090}]}]}}}`, []string{
			"- | selector | app | a", "- | servicePort | (clusterIP) | None", "- | servicePort | (type) | ClusterIP", "- | servicePort | 80 | name=http target=8080 protocol=TCP",
			"- | servicePort | 81 | name=- target=other protocol=TCP", "- | servicePort | 82 | name=- target=82 protocol=UDP"}},
		"Ingress": {Object{"Ingress", "i"}, `
kind: Ingress
metadata: {name: i}
spec: {ingressClassName: nginx, tls: [{hosts: [h], secretName: t}], rules: [{host: h, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: s, port: {number: 80}}}}]}}]}`, []string{
			"- | route | h / | Prefix to s:80", "- | route | ingressClassName | nginx", "- | route | tls h | t"}},
		"HTTPRoute": {Object{"HTTPRoute", "r"}, `
kind: HTTPRoute
metadata: {name: r}
spec: {parentRefs: [{name: p, namespace: g}], hostnames: [h], rules: [{matches: [{path: {type: PathPrefix, value: /}}], backendRefs: [{name: s, port: 80}]}]}`, []string{
			"- | route | / | PathPrefix to s:80", "- | route | hostname | h", "- | route | parent p | name=p,namespace=g"}},
		"scale": {Object{"HorizontalPodAutoscaler", "h"}, `
kind: HorizontalPodAutoscaler
metadata: {name: h}
spec: {minReplicas: 0, maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: d}, metrics: [{resource: {name: cpu, target: {averageUtilization: 0}}}]}`, []string{
			"- | strategy | maxReplicas | 3", "- | strategy | minReplicas | 0", "- | strategy | scaleTargetRef | Deployment/d", "- | strategy | target.cpu | 0"}},
		"disruption": {Object{"PodDisruptionBudget", "p"}, `
kind: PodDisruptionBudget
metadata: {name: p}
spec: {minAvailable: 0, selector: {matchLabels: {app: a}}}`, []string{"- | selector | app | a", "- | strategy | minAvailable | 0"}},
		"account": {Object{"ServiceAccount", "s"}, "kind: ServiceAccount\nmetadata: {name: s}\nautomountServiceAccountToken: false\n", []string{
			"- | serviceAccount | automountServiceAccountToken | false"}},
		"any other kind": {Object{"ServiceMonitor", "s"}, "kind: ServiceMonitor\nmetadata: {name: s}\nspec: {endpoints: [{port: http, honorLabels: false, path: ''}]}\n", []string{
			"- | spec | spec.endpoints[0].honorLabels | false", "- | spec | spec.endpoints[0].path | ", "- | spec | spec.endpoints[0].port | http"}},
		"CustomResourceDefinition": {Object{"CustomResourceDefinition", "c"}, `
kind: CustomResourceDefinition
metadata: {name: c}
spec:
  group: g
  scope: Namespaced
  names: {kind: K, shortNames: [k, l]}
  versions:
  - name: v1
    served: true
    storage: false
    subresources: {status: {}}
    additionalPrinterColumns: [{name: Age, jsonPath: .x, type: date}]
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
        properties:
          kind: {type: string}
          spec:
            type: object
            required: [a]
            properties:
              a: {type: integer, default: 0, minimum: 0}
              b: {type: array, items: {type: string, enum: [x, ""]}}
              c: {type: object, additionalProperties: {x-kubernetes-int-or-string: true, nullable: false}}`, []string{
			"- | crd | group | g", "- | crd | names.kind | K", "- | crd | names.shortNames | k,l", "- | crd | scope | Namespaced", "- | crd | version v1 (root) | type=object preserve-unknown",
			"- | crd | version v1 column Age | .x date", "- | crd | version v1 spec | type=object", "- | crd | version v1 spec.a | type=integer required default=0 minimum=0",
			"- | crd | version v1 spec.b | type=array", "- | crd | version v1 spec.b[] | type=string enum=x|", "- | crd | version v1 spec.c | type=object",
			"- | crd | version v1 spec.c{} | type=int-or-string nullable=false", "- | crd | version v1 subresource | status", "- | crd | version v1 | served=true storage=false"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slices.Sort(test.want)
			assert.Equal(t, test.want, lines(Of(objects(t, test.text), called()), test.of))
		})
	}
}

func TestFactsOfAContainer(t *testing.T) {
	t.Parallel()
	set := Of(objects(t, `
kind: StatefulSet
metadata: {name: w}
spec:
  replicas: 0
  serviceName: h
  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}
  selector: {matchLabels: {app: w}}
  template:
    metadata: {labels: {app: w, x: y}, annotations: {codefresh.io/a: b}}
    spec:
      securityContext: {runAsNonRoot: true, fsGroup: 0}
      terminationGracePeriodSeconds: 0
      volumes:
      - {name: s, secret: {secretName: sn, optional: true, items: [{key: k, path: p}]}}
      - {name: c, configMap: {name: cn}}
      - {name: e, emptyDir: {}}
      - {name: p, persistentVolumeClaim: {claimName: pn}}
      - {name: j, projected: {sources: [{secret: {name: a}}, {configMap: {name: b, optional: true, items: [{key: k, path: p}]}}]}}
      initContainers: [{name: i, image: "r.example.com/i"}]
      containers:
      - name: c
        image: r.example.com:5000/g/c:4212bc7
        command: [run, --given]
        args: [--a=b, --c, d, --e, --f, "$(LITERAL)-$(FIELD)-$(OTHER)", word, "one\ntwo"]
        env:
        - {name: LITERAL, value: "of 4212bc7"}
        - {name: EMPTY}
        - {name: ZERO, value: "0"}
        - {name: FIELD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: SECRET, valueFrom: {secretKeyRef: {name: s, key: k, optional: true}}}
        - {name: MAP, valueFrom: {configMapKeyRef: {name: m, key: k, optional: false}}}
        - {name: LIMIT, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
        envFrom: [{secretRef: {name: x, optional: true}}]
        ports: [{name: http, containerPort: 80}, {containerPort: 81, protocol: UDP}]
        readinessProbe: {httpGet: {path: /r, port: http}, initialDelaySeconds: 0, failureThreshold: 3}
        livenessProbe: {tcpSocket: {port: 81}}
        startupProbe: {exec: {command: [a, b]}}
        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
        resources: {limits: {cpu: 0}}
        volumeMounts: [{name: s, mountPath: /s, readOnly: true}, {name: c, mountPath: /c, subPath: f}, {name: e, mountPath: /e}, {name: j, mountPath: /j}, {name: gone, mountPath: /g}]
`), called())
	want := []string{
		"- | annotation | pod codefresh.io/a | b", "- | mount | (not mounted) p | persistentVolumeClaim:pn", "- | podLabel | app | w", "- | securityContext | fsGroup | 0",
		"- | securityContext | runAsNonRoot | true", "- | selector | app | w", "- | serviceAccount | name | default", "- | strategy | replicas | 0",
		"- | strategy | rollingUpdate.partition | 0", "- | strategy | serviceName | h", "- | strategy | terminationGracePeriodSeconds | 0", "- | strategy | type | RollingUpdate",
		"c | arg | --a | b", "c | arg | --c | d", "c | arg | --e | (given)", "c | arg | --f | of {imageTag}-{fieldRef:metadata.name}-$(OTHER)", "c | arg | --given | (given)",
		"c | arg | args[6] | word", "c | arg | args[7] | (script)", "c | arg | command[0] | run",
		"c | env | EMPTY | literal:", "c | env | FIELD | fieldRef:metadata.name", `c | env | LIMIT | other:{"resourceFieldRef":{"resource":"limits.cpu"}}`,
		"c | env | LITERAL | literal:of {imageTag}", "c | env | MAP | configMapKeyRef:m/k", "c | env | SECRET | secretKeyRef:s/k:optional", "c | env | ZERO | literal:0",
		"c | envFrom | x | secretRef:optional", "c | image | main | r.example.com:5000/g/c:4212bc7", "c | mount | /c | configMap:cn:rw:subPath=f", "c | mount | /e | emptyDir::rw",
		"c | mount | /g | ?:?:rw", "c | mount | /j | projected:secret:a+configMap:b[k=p]:optional:rw", "c | mount | /s | secret:sn[k=p]:optional:ro", "c | port | 81 | 81/UDP",
		"c | port | http | 80/TCP", "c | probe | liveness timing | ", "c | probe | liveness | tcp on 81", "c | probe | readiness timing | initialDelay=0,failureThreshold=3",
		"c | probe | readiness | httpGet /r on 80", "c | probe | startup timing | ", "c | probe | startup | exec a b", "c | resources | limits.cpu | 0",
		"c | securityContext | allowPrivilegeEscalation | false", "c | securityContext | capabilities.drop[0] | ALL", "i | image | init | r.example.com/i",
	}
	slices.Sort(want)
	assert.Equal(t, want, lines(set, Object{"StatefulSet", "w"}))
}

const roles = `
kind: Role
metadata: {name: r}
rules: [{apiGroups: ["", apps], resources: [pods], resourceNames: [p], verbs: [get]}, {nonResourceURLs: [/metrics], verbs: [get]}]
---
kind: Role
metadata: {name: nobody}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]
---
kind: RoleBinding
metadata: {name: b}
roleRef: {kind: Role, name: r}
subjects: [{kind: ServiceAccount, name: rls-a}, {kind: ServiceAccount, name: b, namespace: nsp}, {kind: ServiceAccount, name: c, namespace: elsewhere}, {kind: User, name: u}]
---
kind: RoleBinding
metadata: {name: away, namespace: elsewhere}
roleRef: {kind: Role, name: nobody}
subjects: [{kind: ServiceAccount, name: a, namespace: nsp}]
---
kind: ClusterRoleBinding
metadata: {name: cb}
roleRef: {kind: Role, name: r}
subjects: [{kind: ServiceAccount, name: d, namespace: nsp}]
`

func TestFactsOfRights(t *testing.T) {
	t.Parallel()
	set := Of(objects(t, roles), called())
	const all = "scope=cluster+namespaced sa=b,d,RELEASE-a"
	assert.Equal(t, []string{"- | rule | apps/pods#p:get | " + all, "- | rule | core/pods#p:get | " + all, "- | rule | nonResourceURL /metrics:get | " + all}, lines(set, Object{"Role", "r"}))
	assert.Equal(t, []string{"- | rule | */*:* | unbound"}, lines(set, Object{"Role", "nobody"}))
	assert.Equal(t, []string{"- | rule | binds Role/r | sa=elsewhere/c,NAMESPACE/b,NAMESPACE/RELEASE-a,NAMESPACE/u"}, lines(set, Object{"RoleBinding", "b"}))
}

// Changed objects also change the facts of objects that depend on them; the original set is unchanged.
func TestASetWithOtherObjects(t *testing.T) {
	t.Parallel()
	all := objects(t, roles+`---
kind: Service
metadata: {name: s}
spec: {selector: {app: a}, ports: [{port: 80, targetPort: http}]}
---
kind: Deployment
metadata: {name: d}
spec: {template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]}}}`)
	set := Of(all, called())
	get := func(of *Set, object Object, aspect, key string) string {
		value, _ := of.Get(Fact{object, None, aspect, key})
		return value
	}
	binding, deployment := set.Rendered(Object{"RoleBinding", "b"}).DeepCopy(), set.Rendered(Object{"Deployment", "d"}).DeepCopy()
	binding.Object["subjects"] = nil
	deployment.Object["spec"] = nil
	changed := set.With(binding, deployment)
	assert.Equal(t, "scope=cluster sa=d", get(changed, Object{"Role", "r"}, "rule", "apps/pods#p:get"))
	assert.Equal(t, "name=- target=http protocol=TCP", get(changed, Object{"Service", "s"}, "servicePort", "80"))
	assert.Equal(t, "scope=cluster+namespaced sa=b,d,RELEASE-a", get(set, Object{"Role", "r"}, "rule", "apps/pods#p:get"))
	assert.Equal(t, "name=- target=8080 protocol=TCP", get(set, Object{"Service", "s"}, "servicePort", "80"))
	without := set.Without(set.Rendered(Object{"RoleBinding", "b"}))
	assert.Equal(t, "scope=cluster sa=d", get(without, Object{"Role", "r"}, "rule", "apps/pods#p:get"))
	assert.Nil(t, without.Rendered(Object{"RoleBinding", "b"}))
}

func TestReplaceWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1.2.0":               "V",
		"v1.2.0":              "v1.2.0",
		"-1.2.0-":             "-V-",
		"11.2.0 1.2.01 1.2.0": "11.2.0 1.2.01 V",
		"is 1.2.0.":           "is V.",
		"1.2.0.1":             "1.2.0.1",
		"x":                   "x",
		"1.2.01.2.0":          "1.2.01.2.0",
	} {
		assert.Equal(t, want, replaceWord(text, "1.2.0", "V"), text)
	}
	assert.Equal(t, "text", replaceWord("text", "", "V"))
}
