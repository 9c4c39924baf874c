package preview

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gitops-runtime/internal/facts"

	"k8s.io/apimachinery/pkg/api/resource"
)

// defaults are what the API server fills in, by field; a field with this value is the same as none. They are those of
// https://github.com/kubernetes/kubernetes/blob/v1.34.4/pkg/apis/core/v1/defaults.go, pkg/apis/apps/v1/defaults.go and pkg/apis/networking/v1/defaults.go.
var defaults = map[string]any{
	"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", "restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
	"schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 30.0, "periodSeconds": 10.0, "timeoutSeconds": 1.0, "successThreshold": 1.0,
	"failureThreshold": 3.0, "initialDelaySeconds": 0.0, "scheme": "HTTP", "protocol": "TCP", "defaultMode": 420.0, "revisionHistoryLimit": 10.0,
	"progressDeadlineSeconds": 600.0, "sessionAffinity": "None", "podManagementPolicy": "OrderedReady", "volumeMode": "Filesystem",
	"internalTrafficPolicy": "Cluster", "expirationSeconds": 3600.0,
	// fields that are not pointers: false is the same as none
	"hostNetwork": false, "hostPID": false, "hostIPC": false, "stdin": false, "stdinOnce": false, "tty": false, "readOnly": false, "publishNotReadyAddresses": false,
}

// pointers are fields of which an empty map is not the same as none.
var pointers = []string{"emptyDir", "securityContext", "podSelector", "namespaceSelector", "labelSelector", "selector", "downwardAPI", "sleep"}

const rbacGroup = "rbac.authorization.k8s.io"

// texts are maps of texts.
var texts = []string{"matchLabels", "labels", "annotations", "nodeSelector"}

// normalize removes what means nothing: defaults of the API server, empty fields of workloads, and the spelling of quantities.
func normalize(o *object) {
	spec := o.tree.sub("spec")
	switch o.kind {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob":
		if pod := o.template().sub("spec"); reflect.DeepEqual(pod["securityContext"], map[string]any{}) {
			delete(pod, "securityContext") // the API server adds it
		}
		for _, claim := range spec.subs("volumeClaimTemplates") {
			drop(claim, "apiVersion", "v1")
			drop(claim, "kind", "PersistentVolumeClaim")
			delete(claim, "status")
		}
		drop(spec, "replicas", 1.0)
		drop(spec, "strategy", map[string]any{"type": "RollingUpdate"})
		drop(spec, "updateStrategy", map[string]any{"type": "RollingUpdate"})
		reduce(map[string]any(spec), "spec")
	case "Service":
		drop(spec, "type", "ClusterIP")
		for _, port := range spec.subs("ports") {
			drop(port, "targetPort", port["port"])
		}
		reduce(map[string]any(spec), "spec")
	case "NetworkPolicy", "PersistentVolumeClaim":
		reduce(map[string]any(spec), "spec")
	case "RoleBinding", "ClusterRoleBinding": // https://github.com/kubernetes/kubernetes/blob/v1.34.4/pkg/apis/rbac/v1/defaults.go
		if role := o.tree.sub("roleRef"); role.text("apiGroup") == "" && len(role) > 0 {
			role["apiGroup"] = rbacGroup
		}
		for _, subject := range o.tree.subs("subjects") {
			if kind := subject.text("kind"); (kind == "User" || kind == "Group") && subject.text("apiGroup") == "" {
				subject["apiGroup"] = rbacGroup
			} else if kind == "ServiceAccount" {
				drop(subject, "apiGroup", "")
			}
		}
	case "Secret":
		drop(o.tree, "type", "Opaque")
	}
}

func drop(from tree, key string, value any) {
	if reflect.DeepEqual(from[key], value) {
		delete(from, key)
	}
}

// reduce removes defaults and empty fields below a node.
func reduce(node any, key string) {
	switch at := node.(type) {
	case []any:
		for _, item := range at {
			reduce(item, key)
		}
	case map[string]any:
		if key == "containers" || key == "initContainers" {
			pullPolicy(at)
		}
		for name, value := range at {
			reduce(value, name)
			given, known := defaults[name]
			switch {
			case slices.Contains(texts, key): // its keys are the users', and empty values mean something
			case value == nil, known && given == value && (name != "restartPolicy" || key == "spec"):
				delete(at, name)
			case key == "requests", key == "limits", name == "sizeLimit":
				at[name] = quantity(value)
			case name == "apiVersion" && (key == "fieldRef") && value == "v1":
				delete(at, name)
			case hollow(value, name):
				delete(at, name)
			case name == "serviceAccount" && value == at["serviceAccountName"]: // its former name, which the API server fills in
				delete(at, name)
			}
		}
	}
}

// hollow reports whether a field is empty and the same as none.
func hollow(value any, name string) bool {
	switch at := value.(type) {
	case string:
		return at == ""
	case []any:
		return len(at) == 0 && name != "ingress" && name != "egress"
	case map[string]any:
		return len(at) == 0 && !slices.Contains(pointers, name)
	}
	return false
}

// pullPolicy removes the policy that an image's tag implies.
func pullPolicy(container tree) {
	image := container.text("image")
	_, tag, tagged := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	implied := "IfNotPresent"
	if !strings.Contains(image, "@") && (!tagged || tag == "latest") {
		implied = "Always"
	}
	drop(container, "imagePullPolicy", implied)
}

// quantity returns a quantity as the API server stores it: 0.5 is 500m.
func quantity(value any) any {
	if parsed, err := resource.ParseQuantity(fmt.Sprint(value)); err == nil {
		return parsed.String()
	}
	return value
}

// differences returns the fields in which two trees differ. Items of lists are identified by their names if all have one.
func differences(path string, before, after any) []Detail {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	was, wasMap := before.(map[string]any)
	is, isMap := after.(map[string]any)
	if wasMap || isMap {
		if before != nil && !wasMap || after != nil && !isMap {
			return []Detail{detail(path, before, after)}
		}
		return fields(path, was, is, ".")
	}
	old, wasList := before.([]any)
	new, isList := after.([]any)
	if (wasList || before == nil) && (isList || after == nil) {
		was, fine := byName(old)
		is, too := byName(new)
		if fine && too && len(was)+len(is) > 0 {
			found := fields(path, was, is, "[")
			if len(found) == 0 {
				found = []Detail{{Path: path, Before: text("another order")}}
			}
			return found
		}
	}
	return []Detail{detail(path, before, after)}
}

func fields(path string, was, is map[string]any, separator string) []Detail {
	var found []Detail
	for _, key := range facts.Union(was, is) {
		at := path + "." + key
		if separator == "[" {
			at = path + "[" + key + "]"
		} else if path == "" {
			at = key
		}
		found = append(found, differences(at, was[key], is[key])...)
	}
	return found
}

func byName(items []any) (map[string]any, bool) {
	named := map[string]any{}
	for _, item := range items {
		each, _ := item.(map[string]any)
		name, _ := each["name"].(string)
		if name == "" {
			name, _ = each["mountPath"].(string)
		}
		if name == "" || named[name] != nil {
			return nil, false
		}
		named[name] = item
	}
	return named, true
}

func detail(path string, before, after any) Detail {
	found := Detail{Path: path}
	if before != nil {
		found.Before = text(scalar(before))
	}
	if after != nil {
		found.After = text(scalar(after))
	}
	return found
}
