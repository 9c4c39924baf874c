package doctorcmd_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/webpage/webpagetest"
	"gitops-runtime/validator/doctor"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/report"
)

var update = flag.Bool("update", false, "write what the cases print into their file")

// faultsFile has the whole outputs of TestFaults.
var faultsFile string

// The tests run in an empty folder, since the command finds charts in the working directory and its parents.
func TestMain(m *testing.M) {
	flag.Parse()
	file, err := filepath.Abs("testdata/faults.txtar")
	if err != nil {
		panic(err)
	}
	faultsFile = file
	folder, err := os.MkdirTemp("", "doctor")
	if err != nil {
		panic(err)
	}
	if err := os.Chdir(folder); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// A healthy runtime has no findings, in each mode.
func TestHealthy(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tunnel", "ingress", "gateway", "mesh", "ha", "large", "single-namespace"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out := examine(t, healthy(t, name))
			assert.Equal(t, "", out)
			assert.Equal(t, 0, code)
		})
	}
}

// appProxy, router and others are pods of the default runtime.
const (
	appProxy, router, repo, controller = "cap-app-proxy-0", "internal-router-0", "argo-cd-repo-server-0", "argo-cd-application-controller-0"
	deployments                        = "/apis/apps/v1/namespaces/" + namespace + "/deployments/"
	definitions                        = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
)

func waiting(reason, message string) tree {
	return tree{"ready": false, "state": tree{"waiting": tree{"reason": reason, "message": message}}}
}

func ended(reason string, exit, restarts int) tree {
	return tree{
		"ready": false, "restartCount": restarts, "state": tree{"waiting": tree{"reason": "CrashLoopBackOff"}},
		"lastState": tree{"terminated": tree{"reason": reason, "exitCode": exit, "finishedAt": ago(time.Minute)}},
	}
}

// fault is what breaks, with the codes that are found.
type fault struct {
	codes string
	with  func(t *testing.T, w *world)
}

func faults() map[string]fault {
	return map[string]fault{
		"image": {"POD101", func(t *testing.T, w *world) {
			w.status(t, appProxy, waiting("ImagePullBackOff", "Back-off pulling image"))
			w.event("Pod", appProxy, "Failed", "Failed to pull image: not found")
		}},
		"image of somebody": {"POD101 REL202", func(t *testing.T, w *world) {
			w.change(t, deployments+"internal-router", func(of tree) { containerOf(of)["image"] = "example.com/typo:1" })
			w.status(t, router, waiting("ErrImagePull", "no such host"))
			w.status(t, router, tree{"image": "example.com/typo:1"})
		}},
		"deleted token": {"POD102 SEC101", func(t *testing.T, w *world) {
			w.Remove(core("secrets", "codefresh-token"))
			w.status(t, "gitops-operator-0", waiting("CreateContainerConfigError", `secret "codefresh-token" not found`))
		}},
		"deleted Secret of the release": {"REL201", func(_ *testing.T, w *world) { w.Remove(core("secrets", "codefresh-workflow-pipelines-tls")) }},
		"deleted ConfigMap": {"POD109 SEC101 REL201", func(t *testing.T, w *world) {
			w.Remove(core("configmaps", "internal-router-config"))
			w.status(t, router, waiting("ContainerCreating", ""))
			w.event("Pod", router, "FailedMount", `MountVolume.SetUp failed for volume "config" : configmap "internal-router-config" not found`)
		}},
		"key of a Secret": {"SEC102", func(t *testing.T, w *world) {
			w.change(t, core("secrets", "codefresh-token"), func(of tree) { of["data"] = tree{"other": "eA=="} })
		}},
		"no room": {"POD103", func(t *testing.T, w *world) {
			w.change(t, core("pods", repo), func(of tree) {
				of["status"] = tree{"phase": "Pending", "conditions": []any{tree{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes are available: 1 Insufficient memory."}}}
			})
		}},
		"memory": {"POD104", func(t *testing.T, w *world) {
			w.change(t, core("pods", controller), func(of tree) {
				containers := of["spec"].(tree)["containers"].([]any)
				containers[0].(tree)["resources"] = tree{"limits": tree{"memory": "256Mi"}}
			})
			w.status(t, controller, ended("OOMKilled", 137, 4))
		}},
		"crash": {"POD105", func(t *testing.T, w *world) {
			w.status(t, appProxy, ended("Error", 1, 7))
			w.Texts[core("pods", appProxy)+"/log"] = "Error: config: password=hunter2-canary and content-of-codefresh-token are wrong\n"
		}},
		"not ready": {"POD106", func(t *testing.T, w *world) {
			w.status(t, repo, tree{"ready": false})
			w.event("Pod", repo, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")
		}},
		"Pod Security": {"POD107", func(t *testing.T, w *world) {
			w.Remove(core("pods", appProxy))
			w.change(t, deployments+"cap-app-proxy", func(of tree) {
				of["status"] = tree{"conditions": []any{tree{"type": "ReplicaFailure", "status": "True", "message": `pods "cap-app-proxy-1" is forbidden: violates PodSecurity "restricted:latest"`}}}
			})
			w.Add(podOf("cap-app-proxy", w.Object(deployments + "cap-app-proxy")["spec"].(tree)["template"].(tree)))
		}},
		"throttled": {"POD108", func(t *testing.T, w *world) {
			w.change(t, core("pods", repo), func(of tree) {
				of["spec"].(tree)["containers"].([]any)[0].(tree)["resources"] = tree{"limits": tree{"cpu": "200m"}}
			})
			w.Add(tree{"apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics", "metadata": tree{"name": repo, "namespace": namespace}, "containers": []any{tree{"name": "repo-server", "usage": tree{"cpu": "199m"}}}})
		}},
		"evicted": {"POD110", func(t *testing.T, w *world) {
			w.change(t, core("pods", repo), func(of tree) {
				of["status"] = tree{"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: ephemeral-storage."}
			})
		}},
		"scaled to zero": {"POD111 NET201", func(t *testing.T, w *world) {
			w.change(t, deployments+"argo-cd-repo-server", func(of tree) { of["spec"].(tree)["replicas"] = 0 })
			w.Remove(core("pods", repo))
		}},
		"claim": {"POD201", func(_ *testing.T, w *world) {
			w.Add(tree{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": tree{"name": "data", "namespace": namespace}, "spec": tree{"storageClassName": "fast"}, "status": tree{"phase": "Pending"}})
			w.event("PersistentVolumeClaim", "data", "ProvisioningFailed", `storageclass.storage.k8s.io "fast" not found`)
		}},
		"expired token":  {"SEC201", func(_ *testing.T, w *world) { w.secret("platform", "Opaque", "token", token(-time.Hour)) }},
		"expiring token": {"SEC202", func(_ *testing.T, w *world) { w.secret("platform", "Opaque", "token", token(100*time.Hour)) }},
		"expired certificate": {"SEC203", func(t *testing.T, w *world) {
			chain, key := certificate(t, "git.example.com", -time.Hour)
			w.secret("front", "kubernetes.io/tls", "tls.crt", chain, "tls.key", key)
		}},
		"expiring certificate": {"SEC204", func(t *testing.T, w *world) {
			chain, _ := certificate(t, "git.example.com", 100*time.Hour)
			w.change(t, core("configmaps", "argocd-tls-certs-cm"), func(of tree) { of["data"] = tree{"git.example.com": chain} })
		}},
		"broken certificate": {"SEC205", func(_ *testing.T, w *world) { w.secret("front", "kubernetes.io/tls", "tls.crt", "MIIB") }},
		"wrong key": {"SEC206", func(t *testing.T, w *world) {
			chain, _ := certificate(t, "a", 1000*time.Hour)
			_, key := certificate(t, "b", 1000*time.Hour)
			w.secret("front", "kubernetes.io/tls", "tls.crt", chain, "tls.key", key)
		}},
		"webhook": {"SEC207", func(t *testing.T, w *world) {
			chain, key := certificate(t, "events-webhook."+namespace+".svc", 1000*time.Hour)
			other, _ := certificate(t, "other", 1000*time.Hour)
			w.secret("events-webhook-certs", "Opaque", "server-cert.pem", chain, "server-key.pem", key)
			w.Add(tree{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": tree{"name": "webhook.argo-events.argoproj.io"}, "webhooks": []any{
				tree{"name": "webhook.argo-events.argoproj.io", "clientConfig": tree{"caBundle": base64.StdEncoding.EncodeToString([]byte(other)), "service": tree{"name": "events-webhook", "namespace": namespace}}},
			}})
		}},
		"policy of somebody": {"NET101", func(_ *testing.T, w *world) {
			w.policy("deny-all", tree{"podSelector": tree{}, "policyTypes": []any{"Ingress", "Egress"}})
		}},
		"policy of the release": {"NET101 REL202", func(t *testing.T, w *world) {
			w.change(t, policies+"argo-cd-repo-server", func(of tree) { of["spec"].(tree)["ingress"] = []any{} })
		}},
		"selector of a Service": {"NET201 REL202", func(t *testing.T, w *world) {
			w.change(t, core("services", "cap-app-proxy"), func(of tree) { of["spec"].(tree)["selector"] = tree{"app": "typo"} })
		}},
		"label in the selector of a Service": {"NET201", func(t *testing.T, w *world) {
			w.change(t, core("services", "cap-app-proxy"), func(of tree) { of["spec"].(tree)["selector"].(tree)["version"] = "2" })
		}},
		"host name": {"NET301", func(_ *testing.T, w *world) {
			w.log(appProxy, strings.Split(strings.Repeat("Error: getaddrinfo ENOTFOUND g.typo.example\n", 3), "\n")...)
		}},
		"name server": {"NET301", func(_ *testing.T, w *world) {
			w.log(repo, slices.Repeat([]string{`level=error msg="dial tcp: lookup github.com on 10.96.0.10:53: read udp 10.244.0.9:33333->10.96.0.10:53: read: connection refused"`}, 4)...)
		}},
		"connection": {"NET302", func(_ *testing.T, w *world) {
			w.log(repo, slices.Repeat([]string{`level=error msg="dial tcp 10.96.0.7:6379: connect: connection refused"`}, 4)...)
		}},
		"certificate of the platform": {"NET303", func(_ *testing.T, w *world) {
			w.log("gitops-operator-0", slices.Repeat([]string{`Post "https://g.example.com/2.0/api/graphql": tls: failed to verify certificate: x509: certificate signed by unknown authority`}, 3)...)
		}},
		"credentials": {"NET304", func(_ *testing.T, w *world) {
			w.log(appProxy, slices.Repeat([]string{`request to https://user:canary-9Xy@g.example.com/api failed with status: 401`}, 3)...)
		}},
		"complaints that have ended": {"", func(_ *testing.T, w *world) {
			w.Texts[core("pods", appProxy)+"/log"] = strings.Repeat(ago(4*time.Minute)+" connect ECONNREFUSED 10.0.0.1:80\n", 9)
		}},
		"repository": {"NET401", func(_ *testing.T, w *world) {
			w.secret("repo-1", "Opaque", "url", "https://git.example.com/a.git", "type", "git", "password", "canary-9Xy")
			w.Add(tree{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": tree{"name": "apps", "namespace": "elsewhere"}, "spec": tree{"source": tree{"repoURL": "https://bot:canary-9Xy@git.example.com/a.git"}},
				"status": tree{"conditions": []any{tree{"type": "ComparisonError", "message": "failed to list refs: authentication required"}}}})
		}},
		"failed release": {"REL101", func(_ *testing.T, w *world) { w.store("failed", 4) }},
		"stuck release":  {"REL101", func(_ *testing.T, w *world) { w.store("pending-upgrade", 4) }},
		"kubectl edit": {"REL202", func(t *testing.T, w *world) {
			w.change(t, core("configmaps", "argocd-cm"), func(of tree) { of["data"].(tree)["admin.enabled"] = "odd" })
		}},
		"old definition": {"DEF101", func(t *testing.T, w *world) {
			w.change(t, definitions+"applications.argoproj.io", func(of tree) { delete(schemaOf(of), "info") })
		}},
		"missing definition": {"DEF102", func(_ *testing.T, w *world) { w.Remove(definitions + "sensors.argoproj.io") }},
		"version of a definition": {"DEF103", func(t *testing.T, w *world) {
			w.change(t, definitions+"rollouts.argoproj.io", func(of tree) { of["spec"].(tree)["versions"].([]any)[0].(tree)["name"] = "v1beta1" })
		}},
		"event bus": {"BUS101 BUS103 BUS102", func(_ *testing.T, w *world) {
			w.Add(tree{"apiVersion": "argoproj.io/v1alpha1", "kind": "EventBus", "metadata": tree{"name": "default", "namespace": namespace}, "spec": tree{"jetstream": tree{"version": "2.10"}},
				"status": tree{"conditions": []any{tree{"type": "Deployed", "status": "False", "reason": "Failed", "message": "no such version"}}}})
			w.server(`{"disabled": true}`)
		}},
		"full event bus": {"BUS104", func(_ *testing.T, w *world) { w.server(`{"storage": 95, "config": {"max_storage": 100}}`) }},
		"queue": {"LOD101", func(_ *testing.T, w *world) {
			w.Texts[core("pods", controller)+":8082/proxy/metrics"] = "workqueue_depth{name=\"app_reconciliation_queue\"} 4711\n"
		}},
		"sync without an end": {"LOD102", func(_ *testing.T, w *world) {
			w.Add(tree{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": tree{"name": "apps", "namespace": namespace}, "status": tree{"operationState": tree{"phase": "Running", "startedAt": ago(time.Hour)}}})
		}},
		"full disk": {"LOD103", func(t *testing.T, w *world) {
			w.change(t, "/api/v1/nodes/node-1", func(of tree) {
				of["status"].(tree)["conditions"].([]any)[1] = tree{"type": "DiskPressure", "status": "True", "message": "kubelet has disk pressure"}
			})
		}},
		"clock of a node": {"CLK101", func(t *testing.T, w *world) {
			w.change(t, "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1", func(of tree) { of["spec"] = tree{"renewTime": "2026-01-15T12:05:00.000000Z"} })
		}},
		"clock of this machine": {"CLK102", func(_ *testing.T, w *world) {
			w.Now = now.Add(-time.Minute)
			w.Remove("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1")
		}},
		"no clock": {"CLK100", func(_ *testing.T, w *world) { w.Now = time.Time{} }},
		"complaints without an end": {"NET302", func(_ *testing.T, w *world) {
			w.log(router, slices.Repeat([]string{`connect() failed (111: Connection refused) while connecting to upstream, upstream: "http://10.96.0.9:8080/app-proxy"`}, 3)...)
		}},
		"neighbor": {"CLU502", func(_ *testing.T, w *world) {
			w.Add(tree{
				"apiVersion": "apps/v1", "kind": "Deployment", "metadata": tree{"name": "rollouts", "namespace": "other"},
				"spec": tree{"template": tree{"spec": tree{"containers": []any{tree{"name": "a", "image": "quay.io/argoproj/argo-rollouts:v1"}}}}},
			})
		}},
		"denied": {"POD100 POD200 SEC100 SEC200 NET100 NET200 NET300 NET400 REL200 DEF100 BUS100 LOD100 CLU100", func(_ *testing.T, w *world) {
			for _, part := range []string{"/pods", "/persistentvolumeclaims", "/networkpolicies", "/services", "/argoproj.io/", "/customresourcedefinitions", "/configmaps", "/version"} {
				w.Denied[part] = 403
			}
			w.Remove(core("secrets", "codefresh-token"))
		}},
		"denied, a list of Secrets": {"SEC100 SEC200", func(_ *testing.T, w *world) { w.Limited["type!="] = 403; w.Limited["type%21%3D"] = 403 }},
		"sync of the installing Application": {"REL102 REL201", func(t *testing.T, w *world) {
			w.argoCD(t, tree{"phase": "Failed", "message": "one or more objects failed to apply: quota exceeded"})
			w.Remove(core("secrets", "codefresh-workflow-pipelines-tls"))
		}},
		"denied, logs": {"NET300", func(_ *testing.T, w *world) { w.Denied["/log"] = 403 }},
	}
}

const policies = "/apis/networking.k8s.io/v1/namespaces/" + namespace + "/networkpolicies/"

func (w *world) policy(name string, spec tree) {
	w.Add(tree{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": tree{"name": name, "namespace": namespace}, "spec": spec})
}

// server adds a server of the event bus that reports a state.
func (w *world) server(state string) {
	pod := podOf("eventbus-default-js", tree{"metadata": tree{"labels": tree{"eventbus-name": "default"}}, "spec": tree{"containers": []any{tree{"name": "main", "image": "nats"}}}})
	w.Add(pod)
	w.Texts[core("pods", "eventbus-default-js-0")+":8222/proxy/jsz"] = state
}

func containerOf(workload tree) tree {
	return workload["spec"].(tree)["template"].(tree)["spec"].(tree)["containers"].([]any)[0].(tree)
}

// schemaOf returns the fields of the spec in the first version of a definition.
func schemaOf(definition tree) tree {
	version := definition["spec"].(tree)["versions"].([]any)[0].(tree)
	return version["schema"].(tree)["openAPIV3Schema"].(tree)["properties"].(tree)["spec"].(tree)["properties"].(tree)
}

// token returns a JSON web token that expires after a time.
func token(after time.Duration) string {
	encode := func(part string) string { return base64.RawURLEncoding.EncodeToString([]byte(part)) }
	return encode(`{"alg":"none"}`) + "." + encode(fmt.Sprintf(`{"exp":%d}`, now.Add(after).Unix())) + "." + encode("signature")
}

// certificate returns a self-signed certificate for a host and its key, in PEM format.
func certificate(t *testing.T, host string, after time.Duration) (chain, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.Add(after),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	text, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}))
}

func warnsOnly(codes []string) bool {
	return !slices.ContainsFunc(codes, func(code string) bool {
		definition, _ := findings.Lookup(code)
		return definition.Level != findings.Warn
	})
}

// printed returns the findings of report.json with their places and fixes, and their codes, each once.
func printed(t *testing.T, file string) (text string, codes []string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var made report.Report
	require.NoError(t, json.Unmarshal(content, &made))
	var lines strings.Builder
	for _, result := range made.Results {
		for _, finding := range result.Findings {
			if !slices.Contains(codes, finding.Code) {
				codes = append(codes, finding.Code)
			}
			fmt.Fprintf(&lines, "%s %s: %s\n  at  %s\n  fix %s\n", finding.Code, finding.Level, finding.Message, finding.Place, finding.Fix)
		}
	}
	return lines.String(), codes
}

// Every check has a definition, and every definition belongs to a check.
func TestTables(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, check := range doctor.Table(doctor.Subject{}) {
		known[check.Code] = true
		_, exists := findings.Lookup(check.Code)
		assert.True(t, exists, check.Code)
	}
	install := map[string]bool{}
	for _, row := range findings.Table() {
		install[row.Code] = true
	}
	for _, row := range findings.RunningTable() {
		assert.True(t, known[row.Code[:4]+"00"], "%s belongs to no check", row.Code)
		assert.False(t, install[row.Code], "%s is a code of the install, too", row.Code)
	}
}

// Each program of the chart has values with the settings that fixes name.
func TestComponentsHaveValues(t *testing.T) {
	t.Parallel()
	loaded, err := charted()
	require.NoError(t, err)
	all, err := chartutil.CoalesceValues(loaded, map[string]any{})
	require.NoError(t, err)
	values := helmvalues.New(all)
	programs := 0
	for _, path := range doctor.Components() {
		_, known := values.Get(path)
		assert.True(t, known, "the chart has no value %s", path)
		programs++
	}
	assert.Greater(t, programs, 20)
	for _, name := range []string{"tunnel", "everything-on"} {
		for _, part := range healthy(t, name).parts {
			if part.Kind == "Deployment" || part.Kind == "StatefulSet" {
				label := part.Tree["metadata"].(tree)["labels"].(tree)["app.kubernetes.io/name"].(string)
				assert.Contains(t, doctor.Components(), label, part.Name)
			}
		}
	}
}

// Definitions that the release left out, since somebody else owns them, are compared with those of the chart.
func TestDefinitionsOfOthers(t *testing.T) {
	t.Parallel()
	w := healthy(t, "tunnel")
	release, kept := *w.release, []string{}
	for document := range strings.SplitSeq("\n"+release.Manifest, "\n---") {
		if !strings.Contains(document, "\nkind: CustomResourceDefinition\n") {
			kept = append(kept, document)
		}
	}
	release.Manifest = strings.Join(kept, "\n---")
	w.release = &release
	w.store("deployed", 3)
	w.change(t, definitions+"applications.argoproj.io", func(of tree) { delete(schemaOf(of), "info") })
	file := filepath.Join(t.TempDir(), "report.json")
	code, out := examine(t, w, "--chart", filepath.Join(root, "charts", "gitops-runtime"), "-o", "json="+file)
	require.Equal(t, 3, code, out)
	text, _ := printed(t, file)
	assert.Equal(t, `DEF101 fail: The definition applications.argoproj.io is older than the program: it lacks 1 field, such as spec.info.
  at  CustomResourceDefinition applications.argoproj.io
  fix in the folder of the chart (helm pull CHART --untar): kubectl apply --server-side --force-conflicts --filename charts/argo-cd/files/crds/applications.yaml; or upgrade the release that owns it
`, text)
}

func TestFleet(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	broken := healthy(t, "ingress")
	broken.Remove(core("secrets", "codefresh-token"))
	code, out, failed := run(t, map[string]*world{"a": healthy(t, "tunnel"), "b": broken},
		"doctor", "--release", "cf", "--contexts", "a,b,c", "-o", "text", "-o", "json="+filepath.Join(folder, "fleet.json"), "-o", "html="+filepath.Join(folder, "fleet.html"))
	assert.Equal(t, 3, code)
	assert.Empty(t, failed)
	lines := strings.Split(out, "\n")
	require.Greater(t, len(lines), 6)
	assert.Equal(t, []string{
		"CONTEXT  RUNTIME     NAMESPACE  CHART                 STATUS        FINDINGS",
		"a        production  codefresh  gitops-runtime 1.0.0  pass          -",
		"b        production  codefresh  gitops-runtime 1.0.0  fail          SEC101",
		"c        -           -          -                     inconclusive  REL100",
	}, lines[:4])
	assert.Contains(t, out, "validate-values 0.1.0: 3 runtimes: 1 fine, 1 failed, 1 inconclusive\n")
	page, err := os.ReadFile(filepath.Join(folder, "fleet.html"))
	require.NoError(t, err)
	assert.Empty(t, webpagetest.Faults(string(page)))
	text, err := os.ReadFile(filepath.Join(folder, "fleet.json"))
	require.NoError(t, err)
	assert.Contains(t, string(text), `"SEC101"`)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	empty := healthy(t, "tunnel")
	empty.Remove(core("secrets", "sh.helm.release.v1.cf.v3"))
	for name, test := range map[string]struct {
		world *world
		args  []string
		want  string
	}{
		"no release":     {empty, nil, "there is no release cf-gitops-runtime in the namespace codefresh; `helm list --namespace codefresh` names the releases, and --release chooses one. If Argo CD on another cluster or helm template has installed the runtime, give --values with its values, --chart and --version with its chart"},
		"unknown code":   {empty, []string{"--skip", "XYZ100"}, "--skip names \"XYZ100\", which is not a code; `validate-values explain` lists them"},
		"unknown format": {empty, []string{"-o", "pdf"}, "-o pdf: unknown report format \"pdf\"; choose from text, short, json, sarif, junit, github, html, metrics"},
		"both contexts":  {empty, []string{"--context", "a", "--contexts", "b"}, "--context and --contexts exclude each other"},
		"fleet's bundle": {empty, []string{"--contexts", "b", "--bundle", "x"}, "--bundle, --events and --push-metrics are of one runtime: give --context instead of --contexts"},
		"size":           {empty, []string{"--bundle", "x", "--max-size", "-1"}, "--max-size \"-1\" is not a size such as 5Mi"},
		"age":            {empty, []string{"--bundle", "x", "--since", "0s"}, "--since leaves no time; give a duration such as 1h"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, failed := run(t, map[string]*world{"": test.world}, append([]string{"doctor"}, test.args...)...)
			assert.Equal(t, 2, code)
			assert.Empty(t, out)
			assert.Equal(t, "validate-values: "+test.want+"\n", failed)
		})
	}
}

// The command explain knows the codes of running runtimes.
func TestExplain(t *testing.T) {
	t.Parallel()
	code, out, _ := run(t, nil, "explain", "POD104")
	assert.Equal(t, 0, code)
	assert.Equal(t, `POD104 (fail)
  check  The pods of the runtime run and are ready
  says   The container ... reached its memory limit of ... and was killed, ... times so far.
  why    A container that exceeds its limit is killed by the kernel, whatever it does at the moment.
  fix    raise the memory limit of the component in the values
`, out)
}
