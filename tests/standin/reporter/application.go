package reporter

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/standin/argocd"
)

// clusterAddress is the cluster of a destination that has only a name.
const clusterAddress = "https://kubernetes.default.svc"

// application contains the fields of an Application that an event needs.
type application struct {
	object *unstructured.Unstructured
	status status
}

type status struct {
	Sync       syncStatus `json:"sync"`
	Health     health     `json:"health"`
	Conditions []struct {
		Type, Message      string
		LastTransitionTime metav1.Time
	} `json:"conditions"`
	History        []struct{ ID int64 } `json:"history"`
	OperationState *struct {
		StartedAt  metav1.Time
		FinishedAt *metav1.Time
		SyncResult struct{ Revision string }
	} `json:"operationState"`
	Resources []managed `json:"resources"`
}

type syncStatus struct{ Status, Revision string }

type health struct{ Status, Message string }

// managed is a resource in the status of an Application.
type managed struct {
	Group, Version, Kind, Namespace, Name string
	Status                                string
	Health                                *health
}

// key identifies a resource of an Application.
func (m managed) key() string { return m.Group + "/" + m.Kind + "/" + m.Namespace + "/" + m.Name }

// is reports whether states belong to the resource.
func (m managed) is(states argocd.Resource) bool {
	return m.Group == states.Group && m.Kind == states.Kind && m.Namespace == states.Namespace && m.Name == states.Name
}

// state returns the status whose changes cause an event of the resource.
func (m managed) state() string {
	if m.Health == nil {
		return m.Status
	}
	return m.Status + "/" + m.Health.Status + "/" + m.Health.Message
}

// id identifies the Application.
func (a application) id() string { return a.object.GetNamespace() + "/" + a.object.GetName() }

// applicationFrom decodes the status of an Application.
func applicationFrom(object *unstructured.Unstructured) (application, error) {
	made := application{object: object}
	document, err := json.Marshal(object.Object["status"])
	if err == nil {
		err = json.Unmarshal(document, &made.status)
	}
	if err != nil {
		return application{}, fmt.Errorf("reading the status of the Application %s/%s: %w", object.GetNamespace(), object.GetName(), err)
	}
	return made, nil
}

// source returns the fields that all events of the Application have in common.
func (a application) source() Source {
	made := Source{
		RepoURL: a.spec("source", "repoURL"), Path: a.spec("source", "path"), Revision: a.status.Sync.Revision,
		AppName: a.object.GetName(), AppNamespace: a.object.GetNamespace(), AppUID: string(a.object.GetUID()), AppLabels: a.object.GetLabels(),
		SyncStatus: a.status.Sync.Status, Cluster: a.spec("destination", "server"),
	}
	if made.Cluster == "" {
		made.Cluster = clusterAddress
	}
	if made.AppLabels == nil {
		made.AppLabels = map[string]string{}
	}
	if operation := a.status.OperationState; operation != nil {
		made.OperationSyncRevision, made.SyncStartedAt, made.SyncFinishedAt = operation.SyncResult.Revision, operation.StartedAt, operation.FinishedAt
	}
	if last := len(a.status.History) - 1; last >= 0 {
		made.HistoryID = a.status.History[last].ID
	}
	return made
}

func (a application) spec(fields ...string) string {
	text, _, _ := unstructured.NestedString(a.object.Object, append([]string{"spec"}, fields...)...) // another type is ignored
	return text
}

// event returns the event of the Application itself.
func (a application) event(deleted bool, now time.Time) (Event, error) {
	source := a.source()
	if !deleted {
		document, err := json.Marshal(a.object.Object)
		if err != nil {
			return Event{}, fmt.Errorf("encoding the Application %s/%s: %w", a.object.GetNamespace(), a.object.GetName(), err)
		}
		source.ActualManifest = string(document)
	}
	source.setHealth(&a.status.Health)
	var failures []ObjectError
	for _, condition := range a.status.Conditions {
		failures = append(failures, ObjectError{
			Type: "sync", Level: "error", Message: condition.Message, LastSeen: condition.LastTransitionTime,
			SourceReference: SourceReference{
				Group: a.object.GroupVersionKind().Group, Version: a.object.GroupVersionKind().Version, Kind: a.object.GetKind(),
				Name: a.object.GetName(), Namespace: a.object.GetNamespace(),
			},
		})
	}
	return eventOf(a.object, source, failures, now)
}

// resourceEvent returns the event of a resource of the Application, with its states in Argo CD.
func (a application) resourceEvent(resource managed, states argocd.Resource, now time.Time) (Event, error) {
	source := a.source()
	source.DesiredManifest, source.GitManifest, source.ActualManifest = manifest(states.TargetState), manifest(states.TargetState), manifest(states.LiveState)
	source.SyncStatus = resource.Status
	source.setHealth(resource.Health)
	state := source.ActualManifest
	if state == "" {
		state = source.DesiredManifest
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(state), &object.Object); err != nil {
		return Event{}, fmt.Errorf("reading the state of %s: %w", resource.key(), err)
	}
	var failures []ObjectError
	if resource.Health != nil && resource.Health.Status == "Degraded" {
		failures = append(failures, ObjectError{
			Type: "health", Level: "error", Message: resource.Health.Message, LastSeen: metav1.NewTime(now),
			SourceReference: SourceReference{Group: resource.Group, Version: resource.Version, Kind: resource.Kind, Name: resource.Name, Namespace: resource.Namespace},
		})
	}
	return eventOf(object, source, failures, now)
}

func (s *Source) setHealth(of *health) {
	if of == nil || of.Status == "" {
		return
	}
	s.HealthStatus = &of.Status
	if of.Message != "" {
		s.HealthMessage = &of.Message
	}
}

// manifest returns a state of Argo CD as a manifest: empty for "null", which means none.
func manifest(state string) string {
	if state == "null" {
		return ""
	}
	return state
}
