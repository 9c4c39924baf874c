package doctorcmd_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/doctor"
	"gitops-runtime/validator/findings"
)

const newEvents = "/apis/events.k8s.io/v1/namespaces/" + namespace + "/events/"

// Each finding becomes an Event about its object, which an Event of another namespace cannot be; credentials are in none.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := healthy(t, "tunnel")
	w.change(t, core("pods", appProxy), func(of tree) { of["metadata"].(tree)["uid"] = "uid-of-the-pod" })
	w.status(t, appProxy, ended("Error", 1, 7))
	w.Texts[core("pods", appProxy)+"/log"] = "Error: content-of-codefresh-token is wrong " + strings.Repeat("é", 2000) + "\n"
	w.Remove(core("secrets", "codefresh-workflow-pipelines-tls"))
	w.change(t, "/api/v1/nodes/node-1", func(of tree) {
		of["status"].(tree)["conditions"] = []any{tree{"type": "Ready", "status": "True"}, tree{"type": "DiskPressure", "status": "True", "message": "full"}}
	})
	code, _, failed := announced(t, w, "--events")
	require.Equal(t, 3, code, failed)
	var told []string
	for i, at := range w.Writes {
		event := w.Object(strings.TrimPrefix(at, "POST "))
		about := event["regarding"].(tree)
		told = append(told, fmt.Sprintf("%v %v %v/%v %v", event["reason"], about["apiVersion"], about["kind"], about["name"], about["uid"]))
		note := event["note"].(string)
		assert.LessOrEqual(t, len(note), 1024)
		assert.NotContains(t, note, "content-of-")
		assert.Contains(t, note, "Fix: ")
		assert.Equal(t, fmt.Sprintf("POST %sgitops-runtime-doctor.%x.%d", newEvents, now.UnixNano(), i), at)
		assert.Equal(t, tree{
			"apiVersion": "events.k8s.io/v1", "kind": "Event", "type": "Warning", "metadata": event["metadata"], "eventTime": "2026-01-15T12:00:00.000000Z",
			"regarding": about, "reason": event["reason"], "action": "Examine", "note": note, "reportingController": "gitops-runtime-doctor", "reportingInstance": "cf",
		}, event)
	}
	assert.ElementsMatch(t, []string{"POD105 v1 Pod/cap-app-proxy-0 uid-of-the-pod", "REL201 v1 Secret/codefresh-workflow-pipelines-tls <nil>", "LOD103 apps/v1 Deployment/cap-app-proxy <nil>"}, told)
}

// A run writes a bounded number of Events, and none if there is nothing to say or the API server refuses.
func TestEventsAreBounded(t *testing.T) {
	t.Parallel()
	w := healthy(t, "tunnel")
	code, _, failed := announced(t, w, "--events")
	assert.Equal(t, 0, code, failed)
	assert.Empty(t, w.Writes)
	for i := range 60 {
		w.Add(tree{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": tree{"name": fmt.Sprintf("claim-%d", i), "namespace": namespace}, "status": tree{"phase": "Lost"}})
	}
	code, _, failed = announced(t, w, "--events")
	assert.Equal(t, 3, code)
	assert.Len(t, w.Writes, 50)
	assert.Contains(t, failed, "10 more findings have no Event\n")
	w = healthy(t, "tunnel")
	w.Remove(core("secrets", "codefresh-workflow-pipelines-tls"))
	w.Denied["events.k8s.io/v1/namespaces"] = 403
	code, out, failed := announced(t, w, "--events")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "REL201", "the report is written first")
	assert.Contains(t, failed, "the Event of REL201 cannot be created: ")
}

// announced runs the command, which may write.
func announced(t *testing.T, w *world, args ...string) (code int, out, failed string) {
	t.Helper()
	return started(t, map[string]*world{"": w}, append([]string{"doctor", "--release", "cf", "-o", "short"}, args...)...)
}

const pushed = `# HELP gitops_runtime_doctor_checks Checks of the last run of validate-values doctor, by status.
# TYPE gitops_runtime_doctor_checks gauge
gitops_runtime_doctor_checks{runtime="production",namespace="codefresh",status="pass"} 16
gitops_runtime_doctor_checks{runtime="production",namespace="codefresh",status="warn"} 0
gitops_runtime_doctor_checks{runtime="production",namespace="codefresh",status="fail"} 1
gitops_runtime_doctor_checks{runtime="production",namespace="codefresh",status="skipped"} 7
gitops_runtime_doctor_checks{runtime="production",namespace="codefresh",status="inconclusive"} 0
# HELP gitops_runtime_doctor_findings Findings of the last run of validate-values doctor, by code.
# TYPE gitops_runtime_doctor_findings gauge
gitops_runtime_doctor_findings{runtime="production",namespace="codefresh",code="REL201",level="fail"} 2
`

// A Pushgateway gets the metrics of the runtime in place of the last ones; its refusals are errors.
func TestPush(t *testing.T) {
	t.Setenv("PUSHGATEWAY_USER", "doctor")
	t.Setenv("PUSHGATEWAY_PASSWORD", "canary")
	w := healthy(t, "tunnel")
	w.Remove(core("secrets", "codefresh-workflow-pipelines-tls"))
	w.Remove(core("serviceaccounts", "cap-app-proxy"))
	var got []string
	status := http.StatusOK
	gateway := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		user, password, _ := request.BasicAuth()
		got = append(got, fmt.Sprintf("%s %s %s %s:%s\n%s", request.Method, request.URL.Path, request.Header.Get("Content-Type"), user, password, body))
		answer.WriteHeader(status)
		fmt.Fprintln(answer, "pushed metrics are invalid")
	}))
	t.Cleanup(gateway.Close)
	code, out, failed := announced(t, w, "--push-metrics", gateway.URL+"/base/", "-o", "metrics="+t.TempDir()+"/doctor.prom")
	assert.Equal(t, 3, code, failed)
	assert.NotContains(t, out+failed, "canary")
	assert.Equal(t, []string{"PUT /base/metrics/job/gitops-runtime-doctor/namespace/codefresh/runtime/production text/plain; version=0.0.4 doctor:canary\n" + pushed}, got)
	status = http.StatusBadRequest
	code, _, failed = announced(t, w, "--push-metrics", gateway.URL)
	assert.Equal(t, 1, code)
	assert.Contains(t, failed, "answers HTTP 400: pushed metrics are invalid")
	gateway.Close()
	code, _, failed = announced(t, w, "--push-metrics", gateway.URL)
	assert.Equal(t, 1, code)
	assert.Contains(t, failed, "the Pushgateway cannot be reached: ")
	assert.NotContains(t, failed, "canary")
}

func TestObject(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{
		"Pod cap-app-proxy-0 in namespace codefresh": "Pod codefresh cap-app-proxy-0",
		"Node node-1": "Node  node-1",
		"NetworkPolicy a, b in namespace codefresh":         "  ",
		"Applications one; two":                             "  ",
		"global.runtime.name":                               "  ",
		"context staging":                                   "context  staging",
		"CustomResourceDefinition applications.argoproj.io": "CustomResourceDefinition  applications.argoproj.io",
	} {
		made := findings.New("REL201", findings.Finding{}.Place, "x")
		made.Place.Value = place
		kind, namespace, name := doctor.Object(made.Place)
		assert.Equal(t, want, strings.Join([]string{kind, namespace, name}, " "), place)
	}
}
