//go:build e2e && nightly

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// changes are changes of values. NUMBER is a random number, which changes whenever the change is drawn again; without a number, the values are removed then.
var changes = []string{
	`app-proxy: {env: {E2E: "NUMBER"}}`,
	`app-proxy: {podLabels: {e2e: "NUMBER"}}`,
	`app-proxy: {pdb: {enabled: true, minAvailable: 0}}`,
	`app-proxy: {config: {logLevel: debug}}`,
	`app-proxy: {image-enrichment: {enabled: false}}`,
	`app-proxy: {serviceAccount: {annotations: {e2e: "NUMBER"}}}`,
	`app-proxy: {readinessProbe: {timeoutSeconds: 10}}`, // the default
	`internal-router: {replicaCount: 2}`,
	`internal-router: {podAnnotations: {e2e: "NUMBER"}}`,
	`internal-router: {webhooks: {namespaces: [codefresh]}}`,
	`internal-router: {ipv6: {enabled: false}}`, // the default
	`event-reporters: {runtime-event-reporter: {replicaCount: 1}}`,
	`event-reporters: {cluster-event-reporter: {env: {E2E: "NUMBER"}}}`,
	`gitops-operator: {config: {taskPollingInterval: NUMBERs}}`,
	`argo-gateway: {env: {E2E: "NUMBER"}}`,
	`argo-gateway: {enabled: false}`,
	`sealed-secrets: {enabled: false}`,
	`sealed-secrets: {keyrenewperiod: NUMBERh}`,
	`codefreshWorkflowLogStoreCM: {enabled: false}`,
	`global: {networkPolicy: {create: false}}`,
	`global: {networkPolicy: {neighbors: [{key: e2e, operator: NotIn, values: ["NUMBER"]}]}}`,
	`global: {surgeOnUpgrade: true}`,
	`global: {tolerations: [{key: e2e, operator: Exists}]}`,
	`monitoring: {enabled: true}`, // the cluster has no PrometheusRules
	`tests: {enabled: false}`,
	`argo-cd: {configs: {cm: {timeout.reconciliation: NUMBERs}}}`,
	`argo-cd: {configs: {rbac: {policy.csv: "g, e2e-NUMBER, role:readonly"}}}`,
	`argo-cd: {configs: {params: {server.log.level: debug}}}`,
	`argo-cd: {controller: {env: [{name: E2E, value: "NUMBER"}]}}`,
	`argo-cd: {server: {replicas: 2, pdb: {enabled: true}}}`,
	`argo-cd: {server: {deploymentStrategy: {type: Recreate}, podLabels: {e2e: "NUMBER"}}}`,
	`argo-cd: {server: {autoscaling: {enabled: true, minReplicas: 1}}}`,
	`argo-cd: {repoServer: {podAnnotations: {e2e: "NUMBER"}}}`,
	`argo-cd: {applicationSet: {replicas: 0}}`,
	`argo-cd: {notifications: {enabled: false}}`,
	`argo-cd: {global: {revisionHistoryLimit: NUMBER}}`,
	`argo-rollouts: {enabled: false}`,
	`argo-events: {enabled: false}`,
	`argo-workflows: {controller: {parallelism: NUMBER}}`,
	`argo-workflows: {server: {replicas: 2}}`,
	`argo-workflows: {crds: {annotations: {e2e: "NUMBER"}}}`,
	`app-proxy: {nameOverride: "e2e-NUMBER"}`,
	// refused
	`app-proxy: {replicaCount: many}`,
	`global: {runtime: {ingress: {enabled: true, hosts: []}}}`,
	`global: {networkPolicy: {neighbors: [{namespaceSelector: {matchLabels: {e2e: "NUMBER"}}}]}}`, // a peer instead of an expression
}

// extras are objects of extraObjects. NUMBER changes whenever the object is drawn; an object is also removed and added.
var extras = map[string]string{
	"e2e-recreate":  workload("Deployment", "e2e-recreate", "strategy: {type: Recreate}"),
	"e2e-no-surge":  workload("Deployment", "e2e-no-surge", "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"),
	"e2e-two":       workload("Deployment", "e2e-two", "replicas: 2, strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 50%}}"),
	"e2e-rolling":   workload("Deployment", "e2e-rolling", "minReadySeconds: 2"),
	"e2e-set":       workload("StatefulSet", "e2e-set", "serviceName: e2e-set"),
	"e2e-set-two":   workload("StatefulSet", "e2e-set-two", "serviceName: e2e-set-two, replicas: 2, podManagementPolicy: Parallel"),
	"e2e-on-delete": workload("StatefulSet", "e2e-on-delete", "serviceName: e2e-on-delete, updateStrategy: {type: OnDelete}"),
	"e2e-partition": workload("StatefulSet", "e2e-partition", "serviceName: e2e-partition, updateStrategy: {rollingUpdate: {partition: 1}}"),
	"e2e-daemon":    workload("DaemonSet", "e2e-daemon", "minReadySeconds: 1"),
	"e2e-nothing":   workload("Deployment", "e2e-nothing", "replicas: 0"),
	"e2e-config":    `{apiVersion: v1, kind: ConfigMap, metadata: {name: e2e-config}, data: {number: "NUMBER"}}`,
	"e2e-kept":      `{apiVersion: v1, kind: ConfigMap, metadata: {name: e2e-kept, annotations: {helm.sh/resource-policy: keep}}, data: {number: "NUMBER"}}`,
	"e2e-rights":    `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: e2e-rights}, rules: [{apiGroups: [""], resources: [pods], resourceNames: ["e2e-NUMBER"], verbs: [get]}]}`,
	"e2e-cron":      `{apiVersion: batch/v1, kind: CronJob, metadata: {name: e2e-cron}, spec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: e2e, image: IMAGE, args: ["NUMBER"]}]}}}}}}`,
	// changes of the number are refused
	"e2e-fixed":   `{apiVersion: v1, kind: ConfigMap, metadata: {name: e2e-fixed}, immutable: true, data: {number: "NUMBER"}}`,
	"e2e-job":     `{apiVersion: batch/v1, kind: Job, metadata: {name: e2e-job}, spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: e2e, image: IMAGE, args: ["NUMBER"]}]}}}}`,
	"e2e-bound":   `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: e2e-bound}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: "e2e-NUMBER"}, subjects: []}`,
	"e2e-volumes": `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: e2e-volumes}, spec: {replicas: 0, serviceName: "e2e-NUMBER", selector: {matchLabels: {app: e2e-volumes}}, template: {metadata: {labels: {app: e2e-volumes}}, spec: {containers: [{name: e2e, image: IMAGE}]}}}}`,
	"e2e-strange": `{apiVersion: example.com/v1, kind: Strange, metadata: {name: e2e-strange}, spec: {number: NUMBER}}`,
	"e2e-foreign": `{apiVersion: v1, kind: ConfigMap, metadata: {name: e2e-foreign}, data: {number: "NUMBER"}}`, // somebody else has it
}

// absent are extras that the first release of the walk does not have.
var absent = []string{"e2e-strange", "e2e-foreign", "e2e-two"}

// workload returns a workload with a Service of the same name.
func workload(kind, name, spec string) string {
	return strings.NewReplacer("KIND", kind, "NAME", name, "SPEC", spec).Replace(`{apiVersion: v1, kind: List, items: [` +
		`{apiVersion: v1, kind: Service, metadata: {name: NAME}, spec: {selector: {app: NAME}, ports: [{port: 8080}]}}, ` +
		`{apiVersion: apps/v1, kind: KIND, metadata: {name: NAME}, spec: {SPEC, selector: {matchLabels: {app: NAME}}, template: {metadata: {labels: {app: NAME}}, spec: {` +
		`automountServiceAccountToken: false, containers: [{name: e2e, image: IMAGE, args: [health, -listen, ":8080"], env: [{name: E2E, value: "NUMBER"}], ` +
		`readinessProbe: {httpGet: {path: /readyz, port: 8080}, periodSeconds: 1}, resources: {requests: {cpu: 1m, memory: 8Mi}}}]}}}}]}`)
}

// probes are values with which pods are ready soon after they start, so that fifty upgrades take less than an hour.
const probes = `
global: {event-reporters: {readinessProbe: {initialDelaySeconds: 1, periodSeconds: 1}}}
app-proxy: {readinessProbe: {initialDelaySeconds: 1, periodSeconds: 1}}
argo-gateway: {readinessProbe: {initialDelaySeconds: 1, periodSeconds: 1}}
argo-cd:
  controller: {readinessProbe: {initialDelaySeconds: 1, periodSeconds: 1}}
  server: {readinessProbe: {initialDelaySeconds: 1, periodSeconds: 1}}
  repoServer: {readinessProbe: {initialDelaySeconds: 1, periodSeconds: 1}}
`

// state is the target of an upgrade: a chart, the values of an access mode, and the changes and extra objects with their numbers.
type state struct {
	chart   string
	mode    []string // values files
	added   []string // values of their own
	numbers map[string]int
}

// initial is the state without changes and extras.
func (p *previewed) initial(mode images.Mode, ready install.Ready) state {
	return state{chart: filepath.Join(p.local.Root, "charts", "gitops-runtime"), mode: slices.Clone(ready.ValueFiles), added: []string{added, probes}, numbers: map[string]int{}}
}

// with returns the state with another number of a change or an extra; zero removes it.
func (s state) with(name string, number int) state {
	s.numbers = maps.Clone(s.numbers)
	if s.numbers[name] = number; number == 0 {
		delete(s.numbers, name)
	}
	return s
}

// files returns the values files of the state.
func (s state) files(t *testing.T) []string {
	t.Helper()
	folder := t.TempDir()
	files := slices.Clone(s.mode)
	write := func(name string, text []byte) {
		files = append(files, filepath.Join(folder, name))
		require.NoError(t, os.WriteFile(files[len(files)-1], text, 0o600))
	}
	for i, text := range s.added {
		write(fmt.Sprintf("added-%d.yaml", i), []byte(text))
	}
	objects := []any{}
	for i, name := range slices.Sorted(maps.Keys(s.numbers)) {
		number := strings.NewReplacer("NUMBER", strconv.Itoa(s.numbers[name]), "IMAGE", standIn)
		if extra, is := extras[name]; is {
			var object map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(number.Replace(extra)), &object), name)
			objects = append(objects, object)
			continue
		}
		write(fmt.Sprintf("change-%02d.yaml", i), []byte(number.Replace(name)))
	}
	if len(objects) > 0 { // charts of earlier commits do not know it
		text, err := yaml.Marshal(map[string]any{"extraObjects": objects})
		require.NoError(t, err)
		write("extras.yaml", text)
	}
	return files
}

// card is something to do to the release.
type card func(*testing.T, *previewed)

// deck returns every change, every extra, every access mode and three earlier commits, in a random order.
func (p *previewed) deck(t *testing.T) []card {
	t.Helper()
	var cards []card
	for _, name := range slices.Concat(changes, slices.Sorted(maps.Keys(extras))) {
		cards = append(cards, func(t *testing.T, p *previewed) { p.upgrade(t, name, p.drawn(name)) })
	}
	for _, mode := range []images.Mode{images.Tunnel, images.Ingress, images.Gateway, images.Mesh} {
		cards = append(cards, func(t *testing.T, p *previewed) {
			ready, err := p.local.Prepare(t.Context(), mode)
			require.NoError(t, err)
			to := p.state
			to.mode = ready.ValueFiles
			p.upgrade(t, "to mode "+string(mode), to)
		})
	}
	for _, commit := range p.history(t, 3) {
		cards = append(cards, func(t *testing.T, p *previewed) { p.andBack(t, commit) })
	}
	p.random.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	return cards
}

// drawn returns the state after a change or an extra is drawn.
func (p *previewed) drawn(name string) state {
	text := name
	if extra, is := extras[name]; is {
		text = extra
	}
	number := 10 + p.random.IntN(9000)
	if p.numbers[name] > 0 && (!strings.Contains(text, "NUMBER") || p.random.IntN(4) == 0) {
		number = 0
	}
	return p.state.with(name, number)
}

// withExtras returns the state with every extra that is not absent at first. An object that another user has created is in the way of one that is.
func (p *previewed) withExtras(t *testing.T) state {
	t.Helper()
	p.apply(t, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: e2e-foreign, namespace: %s}}", install.Namespace))
	to := p.state
	for name := range extras {
		if !slices.Contains(absent, name) {
			to = to.with(name, 1)
		}
	}
	return to
}

// history returns earlier commits of the charts.
func (p *previewed) history(t *testing.T, count int) []string {
	t.Helper()
	out, err := p.shell(t.Context(), `git -C "$ROOT" log --format=%h -- charts`)
	require.NoError(t, err)
	commits := strings.Fields(out)[1:]
	p.random.Shuffle(len(commits), func(i, j int) { commits[i], commits[j] = commits[j], commits[i] })
	return commits[:min(count, len(commits))]
}

// andBack upgrades to the charts of an earlier commit without changes and extras, and back.
func (p *previewed) andBack(t *testing.T, commit string) {
	folder := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := p.shell(ctx, fmt.Sprintf(`cd %q; git -C "$ROOT" archive %s charts | tar --extract; mkdir -p hack/tools; cp "$ROOT/hack/tools/chart-deps.sh" hack/tools; ln -s "$ROOT/bin" bin; hack/tools/chart-deps.sh`, folder, commit))
	require.NoError(t, err, out)
	back, to := p.state, p.state
	to.chart, to.numbers = filepath.Join(folder, "charts", "gitops-runtime"), map[string]int{}
	workflows, err := chartutil.LoadChartfile(filepath.Join(p.local.Path(install.Chart{Name: "argo-workflows"}), "Chart.yaml"))
	require.NoError(t, err)
	to.added = append(slices.Clone(to.added), previousValues, fmt.Sprintf("argo-workflows: {images: {tag: %s}}", workflows.AppVersion)) // the images of now
	p.upgrade(t, "to commit "+commit, to)
	p.upgrade(t, "back from commit "+commit, back)
	assert.Equal(t, back.chart, p.chart)
}
