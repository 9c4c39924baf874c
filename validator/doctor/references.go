package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// reference is what a pod needs to start: an object, and a key of it, "" for the whole object.
type reference struct{ kind, name, key string }

func checkReferences(ctx context.Context, d *state) engine.Outcome {
	pods, err := d.pods(ctx)
	if err != nil {
		return unknown("SEC100", "The pods", err)
	}
	keys := map[string]map[string]bool{} // by Kind/name
	secrets, err := d.secrets(ctx)
	if err != nil {
		return unknown("SEC100", "The Secrets", err)
	}
	for _, each := range secrets {
		keys["Secret/"+each.Name] = keysOf(each.Data)
	}
	configMaps, err := d.configMaps(ctx)
	if err != nil {
		return unknown("SEC100", "The ConfigMaps", err)
	}
	for _, each := range configMaps {
		known := keysOf(each.Data)
		maps.Copy(known, keysOf(each.BinaryData))
		keys["ConfigMap/"+each.Name] = known
	}
	users := map[reference][]string{}
	for _, pod := range pods {
		user := d.workload(pod)
		if user == "" {
			user = "Pod/" + pod.Name
		}
		for _, one := range referencesOf(pod.Spec) {
			if !slices.Contains(users[one], user) {
				users[one] = append(users[one], user)
			}
		}
	}
	var list []findings.Finding
	for _, one := range slices.SortedFunc(maps.Keys(users), func(a, b reference) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		known, exists := keys[one.kind+"/"+one.name]
		place, by := at(one.kind, d.namespace, one.name), strings.Join(users[one], ", ")
		switch {
		case !exists && one.key == "":
			list = append(list, findings.New("SEC101", place, one.kind, one.name, d.namespace, by).
				WithFix("%s", d.create(fmt.Sprintf("%s %q not found", strings.ToLower(one.kind), one.name))))
		case exists && one.key != "" && !known[one.key]:
			made := findings.New("SEC102", place, one.kind, one.name, one.key, by)
			if one.kind == "Secret" {
				made = made.WithFix(`kubectl patch secret %s --namespace %s --type merge --patch '{"stringData": {"%s": "<content>"}}'`, one.name, d.namespace, one.key)
			}
			list = append(list, made)
		}
	}
	return found(list...)
}

func keysOf[V any](data map[string]V) map[string]bool {
	known := map[string]bool{}
	for key := range data {
		known[key] = true
	}
	return known
}

// referencesOf returns what has to exist for a pod: each object once without a key, and once for each key.
func referencesOf(spec corev1.PodSpec) []reference {
	var all []reference
	add := func(kind, name string, optional *bool, keys ...string) {
		if name == "" || optional != nil && *optional {
			return
		}
		all = append(all, reference{kind, name, ""})
		for _, key := range keys {
			all = append(all, reference{kind, name, key})
		}
	}
	for _, container := range slices.Concat(spec.InitContainers, spec.Containers) {
		for _, variable := range container.Env {
			if from := variable.ValueFrom; from != nil && from.SecretKeyRef != nil {
				add("Secret", from.SecretKeyRef.Name, from.SecretKeyRef.Optional, from.SecretKeyRef.Key)
			} else if from != nil && from.ConfigMapKeyRef != nil {
				add("ConfigMap", from.ConfigMapKeyRef.Name, from.ConfigMapKeyRef.Optional, from.ConfigMapKeyRef.Key)
			}
		}
		for _, from := range container.EnvFrom {
			if from.SecretRef != nil {
				add("Secret", from.SecretRef.Name, from.SecretRef.Optional)
			} else if from.ConfigMapRef != nil {
				add("ConfigMap", from.ConfigMapRef.Name, from.ConfigMapRef.Optional)
			}
		}
	}
	for _, volume := range spec.Volumes {
		switch {
		case volume.Secret != nil:
			add("Secret", volume.Secret.SecretName, volume.Secret.Optional, items(volume.Secret.Items)...)
		case volume.ConfigMap != nil:
			add("ConfigMap", volume.ConfigMap.Name, volume.ConfigMap.Optional, items(volume.ConfigMap.Items)...)
		case volume.Projected != nil:
			for _, part := range volume.Projected.Sources {
				if part.Secret != nil {
					add("Secret", part.Secret.Name, part.Secret.Optional, items(part.Secret.Items)...)
				} else if part.ConfigMap != nil {
					add("ConfigMap", part.ConfigMap.Name, part.ConfigMap.Optional, items(part.ConfigMap.Items)...)
				}
			}
		}
	}
	return all
}

func items(of []corev1.KeyToPath) []string {
	var keys []string
	for _, item := range of {
		keys = append(keys, item.Key)
	}
	return keys
}
