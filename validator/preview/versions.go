package preview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// removed are the API versions that Kubernetes no longer serves, by the version that removed them, from
// https://kubernetes.io/docs/reference/using-api/deprecation-guide/. Kinds are all kinds of the version if there are none.
var removed = []struct {
	version, since, instead string
	kinds                   []string
}{
	{"extensions/v1beta1", "1.16", "apps/v1 or networking.k8s.io/v1", []string{"Deployment", "DaemonSet", "ReplicaSet", "NetworkPolicy"}},
	{"extensions/v1beta1", "1.22", "networking.k8s.io/v1", nil},
	{"apps/v1beta1", "1.16", "apps/v1", nil},
	{"apps/v1beta2", "1.16", "apps/v1", nil},
	{"admissionregistration.k8s.io/v1beta1", "1.22", "admissionregistration.k8s.io/v1", []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}},
	{"apiextensions.k8s.io/v1beta1", "1.22", "apiextensions.k8s.io/v1", nil},
	{"apiregistration.k8s.io/v1beta1", "1.22", "apiregistration.k8s.io/v1", nil},
	{"networking.k8s.io/v1beta1", "1.22", "networking.k8s.io/v1", []string{"Ingress", "IngressClass"}},
	{"rbac.authorization.k8s.io/v1beta1", "1.22", "rbac.authorization.k8s.io/v1", nil},
	{"scheduling.k8s.io/v1beta1", "1.22", "scheduling.k8s.io/v1", nil},
	{"storage.k8s.io/v1beta1", "1.22", "storage.k8s.io/v1", []string{"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"}},
	{"certificates.k8s.io/v1beta1", "1.22", "certificates.k8s.io/v1", []string{"CertificateSigningRequest"}},
	{"coordination.k8s.io/v1beta1", "1.22", "coordination.k8s.io/v1", []string{"Lease"}},
	{"batch/v1beta1", "1.25", "batch/v1", []string{"CronJob"}},
	{"discovery.k8s.io/v1beta1", "1.25", "discovery.k8s.io/v1", nil},
	{"events.k8s.io/v1beta1", "1.25", "events.k8s.io/v1", nil},
	{"autoscaling/v2beta1", "1.25", "autoscaling/v2", nil},
	{"policy/v1beta1", "1.25", "policy/v1", []string{"PodDisruptionBudget"}},
	{"policy/v1beta1", "1.25", "Pod Security admission", []string{"PodSecurityPolicy"}},
	{"node.k8s.io/v1beta1", "1.25", "node.k8s.io/v1", nil},
	{"autoscaling/v2beta2", "1.26", "autoscaling/v2", nil},
	{"flowcontrol.apiserver.k8s.io/v1beta1", "1.26", "flowcontrol.apiserver.k8s.io/v1", nil},
	{"storage.k8s.io/v1beta1", "1.27", "storage.k8s.io/v1", []string{"CSIStorageCapacity"}},
	{"flowcontrol.apiserver.k8s.io/v1beta2", "1.29", "flowcontrol.apiserver.k8s.io/v1", nil},
	{"flowcontrol.apiserver.k8s.io/v1beta3", "1.32", "flowcontrol.apiserver.k8s.io/v1", nil},
}

// versions lists objects of API versions that the cluster's Kubernetes no longer serves. Helm reads the objects of both releases from the API server, so
// that those of the release that it replaces stop it, too.
func (c *comparison) versions() []Item {
	kubernetes, err := semver.NewVersion(c.Kubernetes)
	if err != nil {
		return nil
	}
	var items []Item
	for _, one := range []struct {
		side    side
		release bool
	}{{c.after, true}, {c.before, c.Before.Revision}} {
		for _, each := range one.side.objects {
			instead, since := gone(each, kubernetes)
			if instead == "" || !one.release || slices.ContainsFunc(items, func(item Item) bool { return item.Object == each.name }) {
				continue
			}
			message := fmt.Sprintf("Kubernetes %s does not serve %s, which %s removed: it takes %s", c.Kubernetes, each.tree.text("apiVersion"), since, instead)
			if c.after.named[each.name] != each {
				message += ". The release has it, and Helm refuses to upgrade it: `helm mapkubeapis` corrects the release"
			}
			items = append(items, broken("refused", each.component(), each.name, "%s", message))
		}
	}
	return items
}

func gone(of *object, kubernetes *semver.Version) (instead, since string) {
	for _, row := range removed {
		if row.version != of.tree.text("apiVersion") || len(row.kinds) > 0 && !slices.Contains(row.kinds, strings.TrimSuffix(of.kind, "List")) {
			continue
		}
		minor := semver.MustParse(row.since)
		if kubernetes.Major() > minor.Major() || kubernetes.Major() == minor.Major() && kubernetes.Minor() >= minor.Minor() {
			return row.instead, row.since
		}
	}
	return "", ""
}
