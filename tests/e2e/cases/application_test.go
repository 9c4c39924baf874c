//go:build e2e

package e2e_test

import (
	"testing"
	"time"

	"gitops-runtime/tests/e2e/install"
)

var guestbook = objects("guestbook")

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
