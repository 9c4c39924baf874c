//go:build e2e

package e2e_test

import (
	"testing"
	"time"

	"gitops-runtime/localcluster/install"
)

const guestbook = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: e2e-guestbook, namespace: codefresh}
spec:
  project: default
  source: {repoURL: http://git-server.platform.svc.cluster.local/apps.git, path: guestbook, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: e2e-guestbook}
  syncPolicy:
    automated: {prune: true, selfHeal: true}`

// application checks that Argo CD deploys a folder of a Git server, and the platform gets events of the Application and of its Deployment.
func (e *environment) application(t *testing.T) {
	e.namespace(t, "e2e-guestbook")
	e.applyHere(t, guestbook)
	eventually(t, "the application is synced and healthy", 3*time.Minute, e.has("applications", install.Namespace, "e2e-guestbook", map[string]string{
		"status.sync.status":   "Synced",
		"status.health.status": "Healthy",
	}))
	e.platform(t).getsEvent(t, "Application", install.Namespace, "e2e-guestbook")
	e.platform(t).getsEvent(t, "Deployment", "e2e-guestbook", "guestbook")
}
