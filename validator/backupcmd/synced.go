package backupcmd

import (
	"context"
	"fmt"
	"time"

	"gitops-runtime/validator/backup"
	"gitops-runtime/validator/doctorcmd"
)

// synced waits for Argo CD, which installs the chart of a runtime that it has installed before.
type synced struct {
	target backup.Target
	report func(step string)
	pause  time.Duration
}

// Install waits until a pod of app-proxy is ready; the time limit is that of the whole run.
func (s synced) Install(ctx context.Context, of *backup.Archive) error {
	s.report("waiting for Argo CD: sync the Application " + of.Application + " now, with the values and the version of the chart that it had")
	at := "/apis/apps/v1/namespaces/" + of.Namespace + "/deployments/" + doctorcmd.AppProxy
	for {
		var found struct{ Status struct{ ReadyReplicas int } }
		err := s.target.Get(ctx, at, &found) // not found until the sync
		if err == nil && found.Status.ReadyReplicas > 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the Application %s has not installed the runtime: the Deployment %s in namespace %s is not ready", of.Application, doctorcmd.AppProxy, of.Namespace)
		case <-time.After(s.pause):
		}
	}
}

// Abandon does nothing: Argo CD continues a sync that was interrupted.
func (synced) Abandon(context.Context, *backup.Archive) error { return nil }
