// Package kubeversion defines the versions of Kubernetes that the repository is built for, each in one place.
package kubeversion

// Tested is the version that the charts are rendered for in tests, and that the nodes of the local cluster run.
const Tested = "v1.34.4"

// Helm is the version that templates see by default: that of the Helm release in go.mod (its Makefile sets k8sVersionMinor to the minor version of
// k8s.io/client-go that it builds with).
const Helm = "v1.37.0"
