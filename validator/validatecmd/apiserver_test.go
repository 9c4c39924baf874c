package validatecmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// clusterSpec describes a cluster in a case.
type clusterSpec struct {
	Version        string                       `json:"version"`
	Text           map[string]map[string]string `json:"secrets"`
	IngressClasses []string                     `json:"ingressClasses"`
	// Gateways and Services are namespace/name.
	Gateways    []string         `json:"gateways"`
	GatewayAPI  bool             `json:"gatewayAPI"`
	Services    []string         `json:"services"`
	Nodes       []map[string]any `json:"nodes"`
	CRDs        []map[string]any `json:"crds"`
	Deployments []map[string]any `json:"deployments"`
	Pods        []map[string]any `json:"pods"`
	// Managed is the data of Argo CD's cluster Secrets by name, in which {managed} and {managed.ca} stand for the URL and the CA of a managed cluster, which
	// accepts the token "good" and lists Rules; Projects are AppProjects, in JSON.
	Managed  map[string]map[string]string `json:"managed"`
	Rules    map[string]any               `json:"rules"`
	Projects string                       `json:"projects"`
	// MayNot are resources for which the create permission is missing.
	MayNot []string `json:"mayNot"`
	// Status maps words to the HTTP status of paths that contain them.
	Status map[string]int `json:"status"`
	// Silent are words; requests to paths that contain one receive no response.
	Silent []string `json:"silent"`
}

// ServeHTTP is a small API server.
func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	spec := w.spec.Cluster
	if slices.ContainsFunc(spec.Silent, func(word string) bool { return strings.Contains(r.URL.Path, word) }) {
		<-r.Context().Done()
		return
	}
	for word, status := range spec.Status {
		if strings.Contains(r.URL.Path, word) {
			out.WriteHeader(status)
			return
		}
	}
	if r.Method == http.MethodPatch || r.Method == http.MethodDelete {
		w.change(r)
		reply(out, map[string]any{})
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch resource := parts[len(parts)-1]; {
	case r.URL.Path == "/version":
		reply(out, map[string]any{"gitVersion": orElse(spec.Version, "v1.34.4")})
	case r.URL.Path == "/apis":
		reply(out, map[string]any{"groups": spec.groups()})
	case resource == "events":
		var event struct{ Reason, Message string }
		_ = decode(r.Body, &event)
		w.events = append(w.events, event.Reason+": "+event.Message)
		reply(out, map[string]any{})
	case resource == "selfsubjectaccessreviews":
		spec.review(out, r)
	case resource == "ingressclasses":
		reply(out, named(spec.IngressClasses))
	case resource == "nodes":
		reply(out, map[string]any{"items": spec.nodes()})
	case resource == "pods":
		reply(out, map[string]any{"items": spec.pods()})
	case resource == "customresourcedefinitions":
		reply(out, map[string]any{"items": owned(spec.CRDs)})
	case resource == "secrets":
		reply(out, map[string]any{"items": w.clusterSecrets(r)})
	case resource == "appprojects":
		reply(out, map[string]any{"items": json.RawMessage(orElse(spec.Projects, "[]"))})
	case resource == "deployments":
		reply(out, map[string]any{"items": spec.deployments(r)})
	default:
		spec.object(out, parts)
	}
}

// change records a request that changes an object.
func (w *world) change(r *http.Request) {
	var body struct {
		Metadata struct {
			OwnerReferences []struct{ Kind, Name string }
		}
	}
	_ = decode(r.Body, &body)
	text := r.Method + " " + r.URL.Path
	for _, owner := range body.Metadata.OwnerReferences {
		text += ", owned by " + owner.Kind + " " + owner.Name
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes = append(w.changes, text)
}

func (s *clusterSpec) object(out http.ResponseWriter, parts []string) {
	if len(parts) < 4 {
		out.WriteHeader(http.StatusNotFound)
		return
	}
	kind, namespace, name := parts[len(parts)-2], parts[len(parts)-3], parts[len(parts)-1]
	switch kind {
	case "clusterroles":
		reply(out, map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": name, "uid": "1"}})
		return
	case "secrets":
		data := map[string][]byte{}
		for key, value := range s.Text[name] {
			data[key] = []byte(value)
		}
		if _, known := s.Text[name]; known {
			reply(out, map[string]any{"data": data})
			return
		}
	case "gateways":
		if contains(s.Gateways, namespace+"/"+name) {
			reply(out, map[string]any{})
			return
		}
	case "services":
		if contains(s.Services, namespace+"/"+name) {
			reply(out, map[string]any{})
			return
		}
	}
	out.WriteHeader(http.StatusNotFound)
}

func (s *clusterSpec) groups() []map[string]any {
	if s.GatewayAPI {
		return []map[string]any{{"name": "apps"}, {"name": "gateway.networking.k8s.io"}}
	}
	return []map[string]any{{"name": "apps"}}
}

func (s *clusterSpec) review(out http.ResponseWriter, r *http.Request) {
	var review struct {
		Spec struct {
			ResourceAttributes struct{ Resource string }
		}
	}
	_ = decode(r.Body, &review)
	reply(out, map[string]any{"status": map[string]any{"allowed": !contains(s.MayNot, review.Spec.ResourceAttributes.Resource)}})
}

func (s *clusterSpec) nodes() []any {
	items := []any{}
	for _, node := range s.Nodes {
		items = append(items, map[string]any{
			"metadata": map[string]any{"name": node["name"]}, "spec": map[string]any{"unschedulable": node["unschedulable"] == true},
			"status": map[string]any{"allocatable": map[string]any{"cpu": node["cpu"], "memory": node["memory"]}},
		})
	}
	if s.Nodes == nil {
		items = append(items, map[string]any{"status": map[string]any{"allocatable": map[string]any{"cpu": "4", "memory": "8Gi"}}})
	}
	return items
}

// deployments answers by namespace or name, or with all of them.
func (s *clusterSpec) deployments(r *http.Request) []any {
	items := []any{}
	field := r.URL.Query().Get("fieldSelector")
	for _, one := range s.Deployments {
		namespace := fmt.Sprint(one["namespace"])
		metadata := map[string]any{"name": one["name"], "namespace": namespace, "labels": one["labels"], "annotations": one["annotations"]}
		switch {
		case strings.Contains(r.URL.Path, "/namespaces/"+namespace+"/"), field == fmt.Sprintf("metadata.name=%v", one["name"]),
			field == "" && r.URL.Path == "/apis/apps/v1/deployments":
			spec := podSpec(one)
			for _, key := range []string{"image", "command", "args", "env"} {
				spec["containers"].([]any)[0].(map[string]any)[key] = one[key]
			}
			items = append(items, map[string]any{"metadata": metadata, "spec": map[string]any{"replicas": one["replicas"], "template": map[string]any{"spec": spec}}})
		}
	}
	return items
}

// pods returns the pods of all namespaces: "node", "phase", "cpu" and "memory" of each.
func (s *clusterSpec) pods() []any {
	items := []any{}
	for _, one := range s.Pods {
		items = append(items, map[string]any{"spec": podSpec(one), "status": map[string]any{"phase": one["phase"]}})
	}
	return items
}

// podSpec returns the spec of a pod with one container, and one that starts before it with "initCPU".
func podSpec(one map[string]any) map[string]any {
	request := func(cpu, memory any) []any {
		requests := map[string]any{}
		for name, value := range map[string]any{"cpu": cpu, "memory": memory} {
			if value != nil {
				requests[name] = value
			}
		}
		return []any{map[string]any{"resources": map[string]any{"requests": requests}}}
	}
	return map[string]any{"nodeName": one["node"], "containers": request(one["cpu"], one["memory"]), "initContainers": request(one["initCPU"], nil)}
}

// owned returns the metadata of CRDs with the labels and annotations of their Helm release.
func owned(crds []map[string]any) []any {
	items := []any{}
	for _, crd := range crds {
		metadata := map[string]any{"name": crd["name"]}
		if crd["release"] != nil {
			metadata["labels"] = map[string]any{"app.kubernetes.io/managed-by": "Helm"}
			metadata["annotations"] = map[string]any{
				"meta.helm.sh/release-name": crd["release"], "meta.helm.sh/release-namespace": crd["namespace"],
			}
		}
		items = append(items, map[string]any{"metadata": metadata})
	}
	return items
}

func named(names []string) map[string]any {
	items := []any{}
	for _, name := range names {
		items = append(items, map[string]any{"metadata": map[string]any{"name": name}})
	}
	return map[string]any{"items": items}
}

func reply(out http.ResponseWriter, body any) {
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(body)
}

func contains(list []string, word string) bool {
	for _, one := range list {
		if one == word {
			return true
		}
	}
	return false
}

func orElse(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}
