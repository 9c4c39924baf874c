package network

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Pods returns one pod of each workload among rendered objects, named Kind/name.
func Pods(objects []unstructured.Unstructured, namespace string) (map[string]Endpoint, error) {
	pods := map[string]Endpoint{}
	for _, object := range objects {
		name := object.GetKind() + "/" + object.GetName()
		pod := Endpoint{Name: name, Namespace: object.GetNamespace(), Ports: map[string]int32{}}
		if pod.Namespace == "" {
			pod.Namespace = namespace
		}
		switch object.GetKind() {
		case "Deployment", "StatefulSet", "DaemonSet", "Job":
			if err := pod.fromTemplate(object, "spec", "template"); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		case "CronJob":
			if err := pod.fromTemplate(object, "spec", "jobTemplate", "spec", "template"); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		default:
			continue
		}
		pods[name] = pod
	}
	return pods, nil
}

func (e *Endpoint) fromTemplate(object unstructured.Unstructured, path ...string) error {
	fields, _, err := unstructured.NestedMap(object.Object, path...)
	if err != nil {
		return fmt.Errorf("its pod template: %w", err)
	}
	var template corev1.PodTemplateSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &template); err != nil {
		return fmt.Errorf("its pod template: %w", err)
	}
	e.Labels = template.Labels
	for _, container := range template.Spec.Containers {
		for _, port := range container.Ports {
			e.Ports[port.Name] = port.ContainerPort
		}
	}
	return nil
}
