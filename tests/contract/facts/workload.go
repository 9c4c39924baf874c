package facts

import (
	"maps"
	"slices"
)

// IsWorkload reports whether a kind runs pods.
func IsWorkload(kind string) bool {
	return slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"}, kind)
}

// template returns the pod template of a workload's spec.
func template(kind string, spec fields) fields {
	if kind == "CronJob" {
		spec = spec.sub("jobTemplate").sub("spec")
	}
	return spec.sub("template")
}

func (m *maker) workload(spec fields) {
	pod := template(m.object.Kind, spec)
	if m.object.Kind == "Job" {
		m.present("hook", spec, "backoffLimit", "ttlSecondsAfterFinished", "activeDeadlineSeconds")
		m.add("hook", "restartPolicy", pod.sub("spec").text("restartPolicy"))
	} else {
		m.scale(spec)
		m.each("selector", spec.sub("selector").sub("matchLabels"))
	}
	m.matching("podLabel", "", labels, pod.sub("metadata").sub("labels"))
	m.matching("annotation", "pod ", annotations, pod.sub("metadata").sub("annotations"))
	m.pod(pod.sub("spec"))
}

func (m *maker) scale(spec fields) {
	replicas := "1"
	if value, ok := spec["replicas"]; ok && value == nil {
		replicas = "(unset)"
	} else if ok {
		replicas = text(value)
	}
	m.add("strategy", "replicas", replicas)
	strategy := spec.sub("strategy")
	if len(strategy) == 0 {
		strategy = spec.sub("updateStrategy")
	}
	m.leaves("strategy", strategy)
	m.present("strategy", spec, "serviceName", "podManagementPolicy")
}

func (m *maker) pod(pod fields) {
	account := pod.text("serviceAccountName")
	if account == "" {
		account = pod.text("serviceAccount")
	}
	if account == "" {
		account = "default"
	}
	m.add("serviceAccount", "name", account)
	m.present("serviceAccount", pod, "automountServiceAccountToken")
	m.leaves("securityContext", pod.sub("securityContext"))
	m.present("strategy", pod, "terminationGracePeriodSeconds")
	volumes, mounted := map[string]fields{}, map[string]bool{}
	for _, volume := range pod.subs("volumes") {
		volumes[volume.text("name")] = volume
	}
	for _, each := range pod.subs("initContainers") {
		m.container(each, "init", volumes, mounted)
	}
	for _, each := range pod.subs("containers") {
		m.container(each, "main", volumes, mounted)
	}
	for name := range maps.Keys(volumes) {
		if !mounted[name] {
			m.add("mount", "(not mounted) "+name, volumeSource(volumes[name]))
		}
	}
}

func (m *maker) autoscaler(spec fields) {
	m.add("strategy", "minReplicas", spec["minReplicas"])
	m.add("strategy", "maxReplicas", spec["maxReplicas"])
	for _, metric := range spec.subs("metrics") {
		resource := metric.sub("resource")
		m.add("strategy", "target."+resource.text("name"), resource.sub("target")["averageUtilization"])
	}
	target := spec.sub("scaleTargetRef")
	m.add("strategy", "scaleTargetRef", target.text("kind")+"/"+target.text("name"))
}
