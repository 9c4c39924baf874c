package facts

import "strings"

// Immutable reports whether the API server refuses to change a fact of an existing object.
func Immutable(object, path string) bool {
	kind, _, _ := strings.Cut(object, "/")
	switch kind {
	case "Deployment", "DaemonSet", "ReplicaSet":
		return strings.HasPrefix(path, "spec.selector.")
	case "StatefulSet":
		field, _, _ := strings.Cut(strings.TrimPrefix(path, "spec."), ".")
		switch field {
		case "replicas", "updateStrategy", "persistentVolumeClaimRetentionPolicy", "minReadySeconds", "ordinals":
			return false
		}
		return strings.HasPrefix(path, "spec.")
	case "Job":
		return strings.HasPrefix(path, "c[") || strings.HasPrefix(path, "init[") || strings.HasPrefix(path, "pod") ||
			strings.HasPrefix(path, "spec.selector") || path == "spec.completions" || path == "spec.completionMode"
	case "Service":
		return path == "spec.clusterIP"
	case "RoleBinding", "ClusterRoleBinding":
		return strings.HasPrefix(path, "roleRef.")
	case "Secret":
		return path == "type"
	case "PersistentVolumeClaim":
		return strings.HasPrefix(path, "spec.") && !strings.HasPrefix(path, "spec.resources.requests.")
	case "PriorityClass":
		return path == "value" || path == "preemptionPolicy"
	case "IngressClass":
		return path == "spec.controller"
	case "StorageClass":
		return strings.HasPrefix(path, "parameters.") || path == "provisioner" || path == "reclaimPolicy" || path == "volumeBindingMode"
	}
	return false
}

// Refused returns the changes of immutable facts of objects in both releases, which an upgrade in place cannot make. A field
// that is missing has its default.
func Refused(before, after Facts) []Change {
	var found []Change
	for _, change := range Diff(before, after) {
		if before[change.Object] != nil && after[change.Object] != nil && Immutable(change.Object, change.Path) && orDefault(change.Path, change.Before) != orDefault(change.Path, change.After) {
			found = append(found, change)
		}
	}
	return found
}

// orDefault returns the value of an immutable field, its default if it is missing.
func orDefault(path string, given *string) string {
	switch {
	case given != nil:
		return *given
	case path == "spec.podManagementPolicy":
		return "OrderedReady"
	}
	return ""
}
