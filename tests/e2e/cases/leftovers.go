package e2e

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ofReleases are the resources outside of namespaces that a release of the charts creates, directly or indirectly: the API server creates an APIService
// for each group of CRDs, and the provisioner a PersistentVolume for each claim.
var ofReleases = map[string][]string{
	"":                             {"persistentvolumes"},
	"admissionregistration.k8s.io": {"mutatingwebhookconfigurations", "validatingwebhookconfigurations"},
	"apiextensions.k8s.io":         {"customresourcedefinitions"},
	"apiregistration.k8s.io":       {"apiservices"},
	"rbac.authorization.k8s.io":    {"clusterroles", "clusterrolebindings"},
	"scheduling.k8s.io":            {"priorityclasses"},
}

// releaseGroups are the API groups that the charts define.
var releaseGroups = []string{"argoproj.io", "bitnami.com", "codefresh.io"}

// CreatedByReleases reports whether a release of the charts could create objects of a resource without a namespace. What nodes, the control plane and
// other users create there, such as the CertificateSigningRequest of a restarted kubelet, is not left over from a release.
func CreatedByReleases(resource schema.GroupResource) bool {
	return slices.Contains(releaseGroups, resource.Group) || slices.Contains(ofReleases[resource.Group], resource.Resource)
}
