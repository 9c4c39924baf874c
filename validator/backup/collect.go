package backup

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/validator/cluster"
)

// Source contains the requests for what a backup contains. All of them read.
type Source interface {
	List(ctx context.Context, collection string, query url.Values) ([]json.RawMessage, error)
	Get(ctx context.Context, path string, into any) error
	Version(ctx context.Context) (string, error)
}

// kinds are the objects of a backup besides namespaces and Secrets, in the order in which they are restored. Those of all namespaces are saved.
var kinds = []struct{ apiVersion, kind, resource string }{
	{"bitnami.com/v1alpha1", "SealedSecret", "sealedsecrets"}, {argo, "AppProject", "appprojects"},
	{argo, "WorkflowTemplate", "workflowtemplates"}, {argo, "CronWorkflow", "cronworkflows"},
	{argo, "EventBus", "eventbus"}, {argo, "EventSource", "eventsources"}, {argo, "Sensor", "sensors"},
	{argo, "Application", "applications"}, {argo, "ApplicationSet", "applicationsets"},
}

const (
	argo = "argoproj.io/v1alpha1"
	// page is the number of objects in one reply: Applications with a long history are large.
	page = "20"
	// runtimeToken is the Secret by which the platform recognizes the runtime.
	runtimeToken = "codefresh-token"
	// managed is the annotation with which sealed-secrets takes over a Secret that exists,
	// https://github.com/bitnami-labs/sealed-secrets#managing-existing-secrets.
	managed = "sealedsecrets.bitnami.com/managed"
)

// lacks is what no backup contains.
var lacks = []string{
	"the chart and its images: restore takes the chart of --chart, in the version of the backup",
	"the resources that Applications deploy: Argo CD creates them again from Git",
	"data of volumes, messages of event buses, runs and logs of Workflows, the cache of Redis",
	"Secrets in other namespaces than that of the release, and Secrets that a controller makes of other objects; those of SealedSecrets are contained",
	"the state of Applications: their health, and the history for rollbacks",
	"roles, policies and other objects that neither the chart nor Argo owns",
	"Argo CD's settings that were changed with kubectl instead of values (validate-values doctor lists them as REL202)",
}

// Collect reads what a runtime consists of. The application is the namespace and the name of the Application that installs it, empty for a Helm release.
func Collect(ctx context.Context, from Source, of *release.Release, application, runtime string, now time.Time) (Archive, error) {
	made := Archive{
		Application: application,
		Made:        now.UTC(), Runtime: runtime, Release: of.Name, Namespace: of.Namespace, Chart: of.Chart.Metadata.Name, Version: of.Chart.Metadata.Version,
		Values: of.Config, Contains: map[string]int{}, Lacks: slices.Clone(lacks),
	}
	if application != "" {
		made.Lacks = append(made.Lacks, "the Application "+application+", which installs the runtime: it belongs to the Argo CD that it is in")
	}
	var err error
	if made.Kubernetes, err = from.Version(ctx); err != nil {
		return made, fmt.Errorf("the version of the cluster: %w", err)
	}
	secrets, err := collectSecrets(ctx, from, of.Namespace)
	if err != nil {
		return made, err
	}
	objects, err := collectArgo(ctx, from, of, &made)
	if err != nil {
		return made, err
	}
	namespaces := map[string]bool{of.Namespace: true}
	for _, each := range objects {
		namespaces[each.text("metadata", "namespace")] = true
	}
	for _, name := range slices.Sorted(maps.Keys(namespaces)) {
		var namespace Object
		if err := from.Get(ctx, "/api/v1/namespaces/"+url.PathEscape(name), &namespace); err != nil {
			return made, fmt.Errorf("the namespace %s: %w", name, err)
		}
		namespace["apiVersion"], namespace["kind"] = "v1", "Namespace"
		delete(namespace, "spec")
		made.Objects = append(made.Objects, bare(namespace))
	}
	made.Objects = slices.Concat(made.Objects, secrets, objects)
	for _, each := range made.Objects {
		made.Contains[each.text("kind")]++
	}
	if !slices.ContainsFunc(secrets, func(each Object) bool { return each.text("metadata", "name") == runtimeToken }) {
		return made, fmt.Errorf("the namespace %s has no Secret %s: the runtime is not registered, and a restored one would be another one", of.Namespace, runtimeToken)
	}
	return made, nil
}

// collectSecrets returns the Secrets of the namespace, except for those that Helm and controllers make.
func collectSecrets(ctx context.Context, from Source, namespace string) ([]Object, error) {
	found, err := list(ctx, from, "/api/v1/namespaces/"+namespace+"/secrets", url.Values{"fieldSelector": {"type!=helm.sh/release.v1"}})
	if err != nil {
		return nil, fmt.Errorf("the Secrets of the namespace %s: %w", namespace, err)
	}
	var secrets []Object
	for _, each := range found {
		owners, _ := each.sub("metadata")["ownerReferences"].([]any)
		sealed := slices.ContainsFunc(owners, func(owner any) bool { return kindOf(owner) == "SealedSecret" })
		if len(owners) > 0 && !sealed || each.text("metadata", "annotations", "helm.sh/hook") != "" || slices.Contains([]string{"kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token", "helm.sh/release.v1"}, each.text("type")) {
			continue
		}
		each["apiVersion"], each["kind"] = "v1", "Secret"
		if sealed { // pods may need it before sealed-secrets runs
			each.annotate(managed, "true")
		}
		secrets = append(secrets, bare(each))
	}
	return secrets, nil
}

// collectArgo returns the objects of Argo, and SealedSecrets, in all namespaces, or in that of the release if those of others may not be read; those of the chart are left out.
func collectArgo(ctx context.Context, from Source, of *release.Release, made *Archive) ([]Object, error) {
	var objects []Object
	for _, each := range kinds {
		path, few := "/apis/"+each.apiVersion+"/"+each.resource, url.Values{"limit": {page}}
		found, err := list(ctx, from, path, few)
		if cluster.Forbidden(err) {
			made.Lacks = append(made.Lacks, each.kind+" objects in other namespaces: no permission to list them")
			found, err = list(ctx, from, "/apis/"+each.apiVersion+"/namespaces/"+of.Namespace+"/"+each.resource, few)
		}
		if cluster.NotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("the objects of the kind %s: %w", each.kind, err)
		}
		for _, object := range found {
			notes := object.sub("metadata", "annotations")
			if each.kind == "Application" && made.Application != "" && object.Name() == "Application "+made.Application {
				continue
			}
			if notes["meta.helm.sh/release-name"] == of.Name && notes["meta.helm.sh/release-namespace"] == of.Namespace {
				continue
			}
			object["apiVersion"], object["kind"] = each.apiVersion, each.kind
			objects = append(objects, bare(object))
		}
	}
	return objects, nil
}

// list returns the objects of a collection, in the order of their names; those that are being deleted are left out.
func list(ctx context.Context, from Source, path string, query url.Values) ([]Object, error) {
	found, err := from.List(ctx, path, query)
	if err != nil {
		return nil, err
	}
	var objects []Object
	for _, text := range found {
		var object Object
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, fmt.Errorf("the list %s: %w", path, err)
		}
		if object.text("metadata", "deletionTimestamp") == "" {
			objects = append(objects, object)
		}
	}
	slices.SortFunc(objects, func(a, b Object) int { return strings.Compare(a.Name(), b.Name()) })
	return objects, nil
}

// bare removes what the API server and controllers write. Owners have other UIDs on another cluster, where the garbage collector would delete what names them;
// controllers adopt their objects again.
func bare(object Object) Object {
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink", "ownerReferences"} {
		delete(object.sub("metadata"), field)
	}
	delete(object, "status")
	delete(object, "operation") // of an Application: it would begin another sync
	return object
}

func kindOf(owner any) string {
	tree, _ := owner.(map[string]any)
	return Object(tree).text("kind")
}
