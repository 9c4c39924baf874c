package doctorcmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/doctor"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/report"
)

// announceOptions say who learns of the findings besides the reader of the report.
type announceOptions struct {
	events bool
	push   string
}

const (
	// maxEvents is the maximum number of Events of a run, and maxNote that of the bytes of a message,
	// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/.
	maxEvents, maxNote = 50, 1024
	// reporter names the program in Events, and is the job of the metrics.
	reporter = "gitops-runtime-doctor"
	// answerTime is how long a Pushgateway may take, and maxAnswer the number of bytes of an error that are shown.
	answerTime, maxAnswer = 10 * time.Second, 300
)

// AppProxy is the Deployment that each runtime has; findings about objects that are not in its namespace are reported on it.
const AppProxy = "cap-app-proxy"

// versions are the API versions of the kinds whose objects get Events.
var versions = map[string]string{
	"Pod": "v1", "Secret": "v1", "ConfigMap": "v1", "Service": "v1", "PersistentVolumeClaim": "v1", "Deployment": "apps/v1", "StatefulSet": "apps/v1",
	"NetworkPolicy": "networking.k8s.io/v1", "Application": argo, "EventBus": argo, "EventSource": argo, "Sensor": argo,
}

const argo = "argoproj.io/v1alpha1"

func (o *announceOptions) register(flags *pflag.FlagSet) {
	flags.BoolVar(&o.events, "events", false, "write an Event about each finding, with its code as the reason")
	flags.StringVar(&o.push, "push-metrics", "", "URL of a Prometheus Pushgateway that gets the numbers of checks and findings; PUSHGATEWAY_USER and PUSHGATEWAY_PASSWORD sign in")
}

func (o *announceOptions) any() bool { return o.events || o.push != "" }

func (o *announceOptions) check() error {
	if o.push == "" {
		return nil
	}
	at, err := url.Parse(o.push)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		return errors.New("--push-metrics is not a URL such as http://pushgateway.monitoring.svc:9091")
	case at.User != nil:
		return errors.New("--push-metrics contains a user or a password: give them by PUSHGATEWAY_USER and PUSHGATEWAY_PASSWORD")
	}
	return nil
}

// write creates the Events and pushes the metrics. Both are tried, so that a Pushgateway that is down hides no finding.
func (o *announceOptions) write(ctx context.Context, of *runtime, made report.Report, progress io.Writer) error {
	var failed []error
	if o.events {
		left, err := of.events(ctx, made.Clean().Findings())
		if left > 0 {
			fmt.Fprintf(progress, "validate-values: %d more findings have no Event\n", left)
		}
		failed = append(failed, err)
	}
	if o.push != "" {
		failed = append(failed, o.pushed(ctx, of, made))
	}
	return errors.Join(failed...)
}

// events creates an Event about each finding, and returns the number of findings without one.
func (r *runtime) events(ctx context.Context, list []findings.Finding) (int, error) {
	var created, left int
	for _, each := range list {
		if each.Level == findings.Inconclusive {
			continue
		}
		if created == maxEvents {
			left++
			continue
		}
		about := r.regarding(ctx, each)
		at := metav1.NewMicroTime(r.now)
		if err := r.cluster.Create(ctx, "/apis/events.k8s.io/v1/namespaces/"+r.Namespace+"/events", map[string]any{
			"apiVersion": "events.k8s.io/v1", "kind": "Event", "type": "Warning",
			"metadata":  map[string]any{"name": fmt.Sprintf("%s.%x.%d", reporter, r.now.UnixNano(), created), "namespace": r.Namespace},
			"eventTime": at, "regarding": about, "reason": each.Code, "action": "Examine",
			"note":                note(each),
			"reportingController": reporter, "reportingInstance": r.Release,
		}); err != nil {
			return left, fmt.Errorf("the Event of %s cannot be created: %w", each.Code, err)
		}
		created++
	}
	return left, nil
}

// note returns the message of an Event, with the fix even if the sentence is long.
func note(of findings.Finding) string {
	const most = 600
	return shortened(shortened(of.Message, most)+" Fix: "+of.Fix, maxNote)
}

// shortened returns a text of at most a number of bytes.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("...")], "") + "..."
}

// regarding returns the reference to the object of a finding. An Event is in the namespace of its object, and the program may create them only in its own.
func (r *runtime) regarding(ctx context.Context, of findings.Finding) map[string]any {
	kind, namespace, name := doctor.Object(of.Place)
	version := versions[kind]
	if version == "" || namespace != r.Namespace {
		version, kind, name = "apps/v1", "Deployment", AppProxy
	}
	made := map[string]any{"apiVersion": version, "kind": kind, "namespace": r.Namespace, "name": name}
	collection, err := r.kinds.Collection(ctx, version, kind, r.Namespace)
	if err != nil {
		return made
	}
	// `kubectl describe` shows the Events of one UID; an object that does not exist has none.
	found, err := r.cluster.List(ctx, collection, url.Values{"fieldSelector": {"metadata.name=" + name}})
	if err == nil && len(found) == 1 {
		var object struct{ Metadata struct{ UID string } }
		if json.Unmarshal(found[0], &object) == nil && object.Metadata.UID != "" {
			made["uid"] = object.Metadata.UID
		}
	}
	return made
}

// pushed replaces the metrics of the runtime in a Pushgateway, https://github.com/prometheus/pushgateway/blob/v1.11.0/README.md#put-method. It adds the time
// of the push as push_time_seconds.
func (o *announceOptions) pushed(ctx context.Context, of *runtime, made report.Report) error {
	var body bytes.Buffer
	if err := (report.Metrics{}).Write(&body, made.Clean()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	at := strings.TrimRight(o.push, "/") + "/metrics/job/" + reporter + "/namespace/" + url.PathEscape(of.Namespace)
	if made.Target.Runtime != "" {
		at += "/runtime/" + url.PathEscape(made.Target.Runtime)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, at, &body)
	if err != nil {
		return fmt.Errorf("--push-metrics: %w", err)
	}
	request.Header.Set("Content-Type", "text/plain; version=0.0.4")
	if user, password := of.getenv("PUSHGATEWAY_USER"), of.getenv("PUSHGATEWAY_PASSWORD"); user != "" || password != "" {
		request.SetBasicAuth(user, password)
	}
	response, err := of.network(nil).Do(request)
	if err != nil {
		return fmt.Errorf("the Pushgateway cannot be reached: %w", netfail.Classify(request.URL.Host, err))
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		why, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		return fmt.Errorf("the Pushgateway %s answers HTTP %d: %s", request.URL.Host, response.StatusCode, cmp.Or(cleantext.Line(strings.TrimSpace(string(why))), "no reason"))
	}
	return nil
}
