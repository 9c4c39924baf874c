package contract

import (
	"slices"

	"gitops-runtime/tests/contract/facts"
)

// closedImages returns the images of the closed-source programs, which may depend on anything that the published chart gives them.
func closedImages() []string {
	return []string{
		"codefresh/cap-app-proxy", "codefresh/cap-app-proxy-init", "codefresh/leader-elector", "codefresh/codefresh-gitops-operator", "codefresh/cf-argocd-extras",
	}
}

// isClosed reports whether a container of the contract runs a closed program.
func (s *scenario) isClosed(object facts.Object, container string) bool {
	return slices.Contains(closedImages(), repository(s.images[object][container].name))
}

// closedService reports whether a closed program is behind a Service. The contract names each of these Services after its Deployment.
func (s *scenario) closedService(name string) bool {
	deployment := facts.Object{Kind: "Deployment", Name: name}
	for container := range s.images[deployment] {
		if s.isClosed(deployment, container) {
			return true
		}
	}
	return false
}
