package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

const (
	// settled is how long a container may take to become ready, and patient how long an init container may run.
	settled, patient = 2 * time.Minute, 3 * time.Minute
	// recent is how long an event, or the end of a container, counts.
	recent = 10 * time.Minute
	// killed is how long a container counts that was killed for its memory.
	killed = time.Hour
	// busy is the share of a CPU limit, in percent, from which a container counts as throttled.
	busy = 95
	// often is the number of restarts from which a container that runs counts as one that ends again and again.
	often = 3
)

func checkPods(ctx context.Context, d *state) engine.Outcome {
	pods, err := d.pods(ctx)
	if err != nil {
		return unknown("POD100", "The pods", err)
	}
	list := d.scaled(ctx)
	for _, pod := range pods {
		list = append(list, d.pod(ctx, pod)...)
	}
	outcome := found(list...)
	throttled, note := d.throttled(ctx, pods)
	outcome.Findings, outcome.Note = append(outcome.Findings, throttled...), note
	return outcome
}

// scaled finds workloads without pods.
func (d *state) scaled(ctx context.Context) []findings.Finding {
	var list []findings.Finding
	deployments, err := listOf[appsv1.Deployment](ctx, d.Cluster, d.apps("deployments"), nil)
	if err != nil {
		list = append(list, doubt("POD100", "The Deployments", err))
	}
	for _, each := range deployments {
		for _, condition := range each.Status.Conditions {
			if condition.Type == "ReplicaFailure" && condition.Status == corev1.ConditionTrue && d.has("Deployment", each.Name) {
				list = append(list, d.rejected("Deployment", each.Name, condition.Message))
			}
		}
		list = append(list, d.scaledToZero("Deployment", each.Name, each.Spec.Replicas)...)
	}
	sets, err := listOf[appsv1.StatefulSet](ctx, d.Cluster, d.apps("statefulsets"), nil)
	if err != nil {
		list = append(list, doubt("POD100", "The StatefulSets", err))
	}
	for _, each := range sets {
		if message := d.lastEvent(ctx, "StatefulSet", each.Name, recent, "FailedCreate"); message != "" && each.Status.Replicas == 0 && d.has("StatefulSet", each.Name) {
			list = append(list, d.rejected("StatefulSet", each.Name, message))
		}
		list = append(list, d.scaledToZero("StatefulSet", each.Name, each.Spec.Replicas)...)
	}
	return list
}

func (d *state) rejected(kind, name, message string) findings.Finding {
	made := findings.New("POD107", at(kind, d.namespace, name), message)
	switch {
	case strings.Contains(message, "violates PodSecurity"):
		return made.WithFix("kubectl label namespace %s pod-security.kubernetes.io/enforce-; or use values-restricted.yaml, with which all pods pass the level restricted", d.namespace)
	case strings.Contains(message, "exceeded quota"):
		return made.WithFix("raise the ResourceQuota that the message names, or lower the requests and limits in the values")
	}
	return made
}

// has reports whether the release has an object.
func (d *state) has(kind, name string) bool { return d.tree(kind, name) != nil }

// tree returns an object of the release, nil if it has none of that name.
func (d *state) tree(kind, name string) map[string]any {
	for _, part := range d.parts {
		if part.Kind == kind && part.Name == name && part.Namespace == d.namespace {
			return part.Tree
		}
	}
	return nil
}

func (d *state) scaledToZero(kind, name string, now *int32) []findings.Finding {
	meant := d.of(kind, name)
	if meant == nil || now == nil || *now != 0 || meant.replicas != nil && *meant.replicas == 0 {
		return nil
	}
	replicas := int32(1)
	if meant.replicas != nil {
		replicas = *meant.replicas
	}
	return []findings.Finding{findings.New("POD111", at(kind, d.namespace, name), replicas).
		WithFix("kubectl scale %s/%s --namespace %s --replicas %d", strings.ToLower(kind), name, d.namespace, replicas)}
}

// pod returns what is wrong with one pod.
func (d *state) pod(ctx context.Context, pod corev1.Pod) []findings.Finding {
	place := at("Pod", pod.Namespace, pod.Name)
	if pod.Status.Phase == corev1.PodFailed {
		if pod.Status.Reason == "Evicted" {
			return []findings.Finding{findings.New("POD110", place, pod.Status.Message)}
		}
		return nil // its workload replaces it
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse && condition.Reason == corev1.PodReasonUnschedulable {
			return []findings.Finding{d.unschedulable(pod, condition.Message)}
		}
	}
	var list []findings.Finding
	statuses := slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
	for _, status := range statuses {
		list = append(list, d.container(ctx, pod, status)...)
	}
	if message := d.lastEvent(ctx, "Pod", pod.Name, recent, "FailedMount", "FailedAttachVolume"); message != "" && creating(statuses) {
		list = append(list, findings.New("POD109", place, message).WithFix("%s", d.create(message)))
	}
	return list
}

func creating(statuses []corev1.ContainerStatus) bool {
	return slices.ContainsFunc(statuses, func(status corev1.ContainerStatus) bool {
		waiting := status.State.Waiting
		return waiting != nil && (waiting.Reason == "ContainerCreating" || waiting.Reason == "PodInitializing")
	})
}

func (d *state) unschedulable(pod corev1.Pod, message string) findings.Finding {
	made := findings.New("POD103", at("Pod", pod.Namespace, pod.Name), message)
	path := valuesOf(pod.Labels)
	for _, of := range []string{"cpu", "memory"} {
		if path != "" && strings.Contains(message, "Insufficient "+of) {
			request := resource.Quantity{}
			for _, container := range pod.Spec.Containers {
				request.Add(container.Resources.Requests[corev1.ResourceName(of)])
			}
			return made.WithFix("add a node, or lower the request of %s: %s", request.String(), d.upgrade(path+".resources.requests."+of+"=LESS"))
		}
	}
	return made
}

// named matches the Secret or ConfigMap in a message of the kubelet, which names both in the same way in events of containers and volumes.
var named = regexp.MustCompile(`(secret|configmap) "([^"]+)" not found`)

// create returns the fix for a message that names what does not exist.
func (d *state) create(message string) string {
	match := named.FindStringSubmatch(message)
	switch {
	case match == nil:
		return "correct what the message names, in namespace " + d.namespace
	case match[2] == runtimeToken:
		return d.register()
	case d.has(map[string]string{"secret": "Secret", "configmap": "ConfigMap"}[match[1]], match[2]):
		return d.restore()
	case match[1] == "secret":
		return fmt.Sprintf("kubectl create secret generic %s --namespace %s --from-literal=<key>=<content>", match[2], d.namespace)
	}
	return fmt.Sprintf("kubectl create configmap %s --namespace %s --from-literal=<key>=<content>", match[2], d.namespace)
}

// runtimeToken is the Secret that app-proxy creates when it registers the runtime.
const runtimeToken = "codefresh-token"

// register returns the fix for a runtime without its token.
func (d *state) register() string {
	return fmt.Sprintf("app-proxy creates it from the platform's answer when it registers the runtime: kubectl logs deployment/cap-app-proxy --namespace %s says why it did not; "+
		"a registered runtime gets it back from a backup (validate-values restore), or from a new registration after the runtime was deleted from the account", d.namespace)
}

// container returns what is wrong with one container of a pod.
func (d *state) container(ctx context.Context, pod corev1.Pod, status corev1.ContainerStatus) []findings.Finding {
	place := at("Pod", pod.Namespace, pod.Name)
	last, waiting := status.LastTerminationState.Terminated, status.State.Waiting
	if status.State.Terminated != nil && status.State.Terminated.ExitCode != 0 {
		last = status.State.Terminated
	}
	reason := ""
	if waiting != nil {
		reason = waiting.Reason
	}
	switch {
	case slices.Contains([]string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable"}, reason):
		return []findings.Finding{d.unpulled(ctx, pod, status, waiting.Message)}
	case slices.Contains([]string{"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}, reason):
		return []findings.Finding{findings.New("POD102", place, status.Name, waiting.Message).WithFix("%s", d.create(waiting.Message))}
	case last != nil && last.Reason == "OOMKilled" && d.Now.Sub(last.FinishedAt.Time) < killed:
		return []findings.Finding{d.outOfMemory(pod, status)}
	case last != nil && last.ExitCode != 0 && (reason == "CrashLoopBackOff" || status.RestartCount >= often && d.Now.Sub(last.FinishedAt.Time) < recent):
		return []findings.Finding{findings.New("POD105", place, status.Name, last.ExitCode, status.RestartCount, d.lastLine(ctx, pod, status.Name)).
			WithFix("kubectl logs %s --container %s --namespace %s --previous has the reason", pod.Name, status.Name, pod.Namespace)}
	}
	running := status.State.Running
	isInit := slices.ContainsFunc(pod.Spec.InitContainers, func(each corev1.Container) bool { return each.Name == status.Name && each.RestartPolicy == nil })
	if running == nil || status.Ready && !isInit {
		return nil
	}
	since, limit := d.Now.Sub(running.StartedAt.Time), settled
	if isInit {
		limit = patient
	}
	if since < limit {
		return nil
	}
	why := cmp.Or(d.lastEvent(ctx, "Pod", pod.Name, recent, "Unhealthy"), "its probe has not succeeded")
	if isInit {
		why = "it is an init container that does not end; last line: " + d.lastLine(ctx, pod, status.Name)
	}
	return []findings.Finding{findings.New("POD106", place, status.Name, since.Round(time.Second), why).
		WithFix("kubectl logs %s --container %s --namespace %s has the reason", pod.Name, status.Name, pod.Namespace)}
}

func (d *state) unpulled(ctx context.Context, pod corev1.Pod, status corev1.ContainerStatus, message string) findings.Finding {
	why := cmp.Or(d.lastEvent(ctx, "Pod", pod.Name, killed, "Failed"), message)
	made := findings.New("POD101", at("Pod", pod.Namespace, pod.Name), status.Image, why)
	path := valuesOf(pod.Labels)
	if path == "" {
		return made
	}
	kind, name, _ := strings.Cut(d.workload(pod), "/")
	if image := d.of(kind, name).image(status.Name); image != "" && image != status.Image {
		return made.WithFix("the release has the image %s: %s", image, d.restore())
	}
	return made.WithFix("correct %s.image, or give nodes access to the registry: %s", path, d.upgrade("global.imagePullSecrets[0]=<name of a Secret of the type kubernetes.io/dockerconfigjson>"))
}

// image returns the image of a container of a workload, "" if it has none.
func (w *workload) image(container string) string {
	if w == nil {
		return ""
	}
	for _, each := range slices.Concat(w.template.Spec.InitContainers, w.template.Spec.Containers) {
		if each.Name == container {
			return each.Image
		}
	}
	return ""
}

// limitOf returns a limit of a container, zero if it has none.
func limitOf(pod corev1.Pod, name string, of corev1.ResourceName) resource.Quantity {
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if container.Name == name {
			return container.Resources.Limits[of]
		}
	}
	return resource.Quantity{}
}

func (d *state) outOfMemory(pod corev1.Pod, status corev1.ContainerStatus) findings.Finding {
	limit := limitOf(pod, status.Name, corev1.ResourceMemory)
	made := findings.New("POD104", at("Pod", pod.Namespace, pod.Name), status.Name, limit.String(), max(status.RestartCount, 1))
	path := valuesOf(pod.Labels)
	if path == "" || limit.IsZero() {
		return made
	}
	doubled := resource.NewQuantity(2*limit.Value(), resource.BinarySI)
	return made.WithFix("%s", d.upgrade(path+".resources.limits.memory="+doubled.String()))
}

// lastLine returns the last line that a container has logged, that of its predecessor if it waits.
func (d *state) lastLine(ctx context.Context, pod corev1.Pod, container string) string {
	if _, err := d.secrets(ctx); err != nil {
		return "not shown, since it may contain Secrets that cannot be read"
	}
	for _, previous := range []string{"true", "false"} {
		text, err := d.Cluster.Text(ctx, "pods/log", d.core("pods/"+url.PathEscape(pod.Name)+"/log"),
			url.Values{"container": {container}, "tailLines": {"1"}, "previous": {previous}}, 2000)
		if line := strings.TrimSpace(string(text)); err == nil && line != "" {
			return line
		}
	}
	return "none"
}

// throttled finds containers that use all of their CPU limit, as the metrics server has measured them.
func (d *state) throttled(ctx context.Context, pods []corev1.Pod) ([]findings.Finding, string) {
	type usage struct {
		Metadata   struct{ Name string }
		Containers []struct {
			Name  string
			Usage corev1.ResourceList
		}
	}
	measured, err := listOf[usage](ctx, d.Cluster, "/apis/metrics.k8s.io/v1beta1/namespaces/"+d.namespace+"/pods", nil)
	switch {
	case unserved(err):
		return nil, "CPU was not measured: the cluster has no metrics server"
	case err != nil:
		return nil, "CPU was not measured: " + reason(err)
	}
	var list []findings.Finding
	for _, each := range measured {
		at0 := slices.IndexFunc(pods, func(pod corev1.Pod) bool { return pod.Name == each.Metadata.Name })
		if at0 < 0 {
			continue
		}
		for _, container := range each.Containers {
			limit, used := limitOf(pods[at0], container.Name, corev1.ResourceCPU), container.Usage[corev1.ResourceCPU]
			if limit.IsZero() || used.MilliValue()*100 < limit.MilliValue()*busy {
				continue
			}
			made := findings.New("POD108", at("Pod", d.namespace, each.Metadata.Name), container.Name, used.String(), limit.String())
			if path := valuesOf(pods[at0].Labels); path != "" {
				made = made.WithFix("%s", d.upgrade(path+".resources.limits.cpu="+resource.NewMilliQuantity(2*limit.MilliValue(), resource.DecimalSI).String()))
			}
			list = append(list, made)
		}
	}
	return list, ""
}

func checkClaims(ctx context.Context, d *state) engine.Outcome {
	claims, err := listOf[corev1.PersistentVolumeClaim](ctx, d.Cluster, d.core("persistentvolumeclaims"), nil)
	if err != nil {
		return unknown("POD200", "The PersistentVolumeClaims", err)
	}
	var list []findings.Finding
	for _, claim := range claims {
		if claim.Status.Phase == corev1.ClaimBound {
			continue
		}
		why := d.lastEvent(ctx, "PersistentVolumeClaim", claim.Name, killed, "ProvisioningFailed", "FailedBinding", "WaitForFirstConsumer", "ExternalProvisioning")
		if strings.Contains(why, "waiting for first consumer") {
			continue
		}
		class := "none"
		if claim.Spec.StorageClassName != nil {
			class = *claim.Spec.StorageClassName
		}
		list = append(list, findings.New("POD201", at("PersistentVolumeClaim", d.namespace, claim.Name), claim.Name, cmp.Or(why, "it is "+string(claim.Status.Phase))).
			WithFix("its StorageClass is %s: kubectl get storageclass lists those that exist; create that one or a volume that fits, or name another one where the claim comes from", class))
	}
	return found(list...)
}
