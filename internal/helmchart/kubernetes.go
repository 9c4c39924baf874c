package helmchart

// TestedKubernetes is the version that the charts are rendered for in tests, and that the nodes of the local cluster run.
const TestedKubernetes = "v1.34.4"

// AssumedKubernetes is the version that templates see by default: that of the Helm release in go.mod (its Makefile sets k8sVersionMinor to the minor version of
// k8s.io/client-go that it builds with).
const AssumedKubernetes = "v1.37.0"
