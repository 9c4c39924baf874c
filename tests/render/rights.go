package render

import (
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

var evaluator = sync.OnceValues(func() (policy.Evaluator, error) { return policy.NewEvaluator(policy.DefaultChecks(), nil) })

// Forbidden returns what the Pod Security level restricted forbids in a pod, "" for nothing, as Kubernetes' own library judges it:
// https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
func Forbidden(meta metav1.ObjectMeta, spec corev1.PodSpec) string {
	judge, err := evaluator()
	if err != nil {
		return err.Error()
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	verdict := policy.AggregateCheckResults(judge.EvaluatePod(level, &meta, &spec))
	return verdict.ForbiddenDetail()
}

// Wildcards returns the rules of roles that contain a wildcard, except those of the roles with these names.
func Wildcards(objects []Object, except ...string) ([]string, error) {
	var found []string
	for i := range objects {
		kind, name := objects[i].GetKind(), objects[i].GetName()
		if kind != "Role" && kind != "ClusterRole" || slices.Contains(except, name) {
			continue
		}
		role, err := As[rbacv1.ClusterRole](&objects[i])
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", kind, name, err)
		}
		for _, rule := range role.Rules {
			if slices.Contains(slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs, rule.NonResourceURLs), "*") {
				found = append(found, fmt.Sprintf("%s/%s: %v", kind, name, rule))
			}
		}
	}
	return found, nil
}
