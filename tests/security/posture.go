package security

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"gitops-runtime/tests/render"
)

// posture describes which containers of the releases do not meet the Pod Security level restricted, and which have a writable root file system. Numbers
// are those of the first case, names those of all.
func posture(all []release) string {
	return sentence(all, restricted, "Every container meets the Pod Security level `restricted`: no root, no added capability, the runtime's default seccomp profile",
		"have the security contexts of the published chart (`values-restricted.yaml` restricts them)") + "\n" +
		sentence(all, readOnly, "The root file system is read-only",
			"are published images without source, which determine where they write (`securityContext.readOnlyRootFilesystem` of a component changes that)")
}

// meets reports whether a container of a pod has a property.
type meets func(pod corev1.PodSpec, container corev1.Container) bool

// sentence states a property of all containers, and which lack it.
func sentence(all []release, has meets, claim, others string) string {
	count, total, workloads := all[0].without(has)
	for _, made := range all[1:] {
		_, _, more := made.without(has)
		workloads = union(workloads, more)
	}
	if len(workloads) == 0 {
		return claim + "."
	}
	return fmt.Sprintf("%s, except in %d of the %d containers of the case %s: %s %s.", claim, count, total, all[0].name, strings.Join(workloads, ", "), others)
}

// without counts the containers of a release that lack a property, and names their workloads.
func (r release) without(has meets) (count, total int, workloads []string) {
	for _, document := range r.documents {
		pod := podOf(document.Object)
		for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
			total++
			if !has(pod, container) {
				count++
				workloads = append(workloads, document.Object.GetName())
			}
		}
	}
	slices.Sort(workloads)
	return count, total, slices.Compact(workloads)
}

func readOnly(_ corev1.PodSpec, container corev1.Container) bool {
	context := container.SecurityContext
	return context != nil && context.ReadOnlyRootFilesystem != nil && *context.ReadOnlyRootFilesystem
}

// restricted reports whether a container meets the Pod Security level restricted, as far as it depends on the settings of the container and its pod.
func restricted(pod corev1.PodSpec, container corev1.Container) bool {
	pod.InitContainers, pod.Containers, pod.Volumes = nil, []corev1.Container{container}, nil
	return render.Forbidden(metav1.ObjectMeta{}, pod) == ""
}

// podOf returns the spec of a pod or of a workload's pods; it is empty for other kinds.
func podOf(object *unstructured.Unstructured) corev1.PodSpec {
	for _, path := range [][]string{{"spec", "template", "spec"}, {"spec", "jobTemplate", "spec", "template", "spec"}, {"spec"}} {
		fields, found, err := unstructured.NestedMap(object.Object, path...)
		var spec corev1.PodSpec
		if err == nil && found && fields["containers"] != nil && runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &spec) == nil {
			return spec
		}
	}
	return corev1.PodSpec{}
}
