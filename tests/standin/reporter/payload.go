package reporter

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// timestampFormat is the format of an event's time.
const timestampFormat = "2006-01-02T15:04:05.000Z"

// Event is a posted event, in the shape of Codefresh's fork of Argo CD v2.12.3-2024.10.24 (pkg/apiclient/events). The program of 0.30.0 has two more
// fields, payloadVersion and deleted, of which only the names are known; they are omitted. Its events in resource mode are unknown: the stand-in
// posts the same envelope with the fields that are available.
type Event struct {
	Data Data `json:"data"`
}

// Data is the content of an event.
type Data struct {
	Timestamp string        `json:"timestamp"`
	Object    []byte        `json:"object"` // Object is the JSON of the object, which Go encodes as base64.
	Source    Source        `json:"source"`
	Errors    []ObjectError `json:"errors"`
}

// Source describes the object in Argo CD.
type Source struct {
	DesiredManifest       string            `json:"desiredManifest"`
	ActualManifest        string            `json:"actualManifest"` // ActualManifest is empty for a deleted object.
	GitManifest           string            `json:"gitManifest"`
	RepoURL               string            `json:"repoURL"`
	Path                  string            `json:"path"`
	Revision              string            `json:"revision"`
	OperationSyncRevision string            `json:"operationSyncRevision"`
	HistoryID             int64             `json:"historyId"`
	AppName               string            `json:"appName"`
	AppNamespace          string            `json:"appNamespace"`
	AppUID                string            `json:"appUID"`
	AppLabels             map[string]string `json:"appLabels"`
	SyncStatus            string            `json:"syncStatus"`
	SyncStartedAt         metav1.Time       `json:"syncStartedAt"`
	SyncFinishedAt        *metav1.Time      `json:"syncFinishedAt,omitempty"`
	HealthStatus          *string           `json:"healthStatus,omitempty"`
	HealthMessage         *string           `json:"healthMessage,omitempty"`
	Cluster               string            `json:"cluster"`
	AppInstanceLabelKey   string            `json:"appInstanceLabelKey"`
	TrackingMethod        string            `json:"trackingMethod"`
}

// ObjectError is an error that Argo CD reports about an object.
type ObjectError struct {
	Type            string          `json:"type"` // Type is sync or health.
	Level           string          `json:"level"`
	Message         string          `json:"message"`
	LastSeen        metav1.Time     `json:"lastSeen"`
	SourceReference SourceReference `json:"sourceReference"`
}

// SourceReference is the object of an ObjectError.
type SourceReference struct {
	Group     string `json:"group,omitempty"`
	Version   string `json:"version,omitempty"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
}

// eventOf returns the event of an object.
func eventOf(object *unstructured.Unstructured, source Source, failures []ObjectError, now time.Time) (Event, error) {
	document, err := json.Marshal(object.Object)
	if err != nil {
		return Event{}, fmt.Errorf("encoding %s %s/%s: %w", object.GetKind(), object.GetNamespace(), object.GetName(), err)
	}
	if failures == nil {
		failures = []ObjectError{}
	}
	return Event{Data: Data{Timestamp: now.UTC().Format(timestampFormat), Object: document, Source: source, Errors: failures}}, nil
}

// resourceEvent returns the event of an object of the cluster, in resource mode; if deleted, actualManifest is empty.
func resourceEvent(object *unstructured.Unstructured, deleted bool, now time.Time) (Event, error) {
	var source Source
	if !deleted {
		document, err := json.Marshal(object.Object)
		if err != nil {
			return Event{}, fmt.Errorf("encoding %s %s/%s: %w", object.GetKind(), object.GetNamespace(), object.GetName(), err)
		}
		source.ActualManifest = string(document)
	}
	return eventOf(object, source, nil, now)
}
