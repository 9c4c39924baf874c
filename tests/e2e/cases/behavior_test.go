//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/standin/appproxy"
	"gitops-runtime/tests/standin/recordings"
)

// rootWorkflow checks that by default a workflow's containers run as their images say: as root, with the capabilities that containers usually have.
func (e *environment) rootWorkflow(t *testing.T) {
	e.applyHere(t, strings.ReplaceAll(objects("root"), "IMAGE", standIn))
	eventually(t, "the workflow has succeeded", 3*time.Minute, e.has("workflows", install.Namespace, "e2e-root", map[string]string{"status.phase": "Succeeded"}))
}

// repoServer checks that the pods of app-proxy and of gitops-operator may connect to Argo CD's repository server.
func (e *environment) repoServer(t *testing.T) {
	for deployment, container := range map[string]string{"cap-app-proxy": "cap-app-proxy", "gitops-operator": "manager"} {
		e.kubectlOut(t, "exec", "-n", install.Namespace, "deployment/"+deployment, "-c", container, "--", "/usr/local/bin/standin", "dial", "argo-cd-repo-server:8081")
	}
}

// promotion plays a recorded promotion through: the platform gives gitops-operator a task, whose action app-proxy commits, and Argo CD deploys the
// commit. A workflow under the account of promotions succeeds.
func (e *environment) promotion(t *testing.T) {
	for name, version := range map[string]string{"simple-dev": "new", "simple-prod": "old"} {
		e.namespace(t, "e2e-"+name)
		e.commit(t, name+"/version.yaml", fmt.Appendf(nil, "{apiVersion: v1, kind: ConfigMap, metadata: {name: version}, data: {version: %s}}\n", version))
		e.applyHere(t, strings.ReplaceAll(objects("promoted"), "NAME", name))
		eventually(t, name+" is synced", 3*time.Minute, e.has("applications", install.Namespace, name, map[string]string{"status.sync.status": "Synced"}))
		e.platform(t).getsEvent(t, "Application", install.Namespace, name)
	}
	task := recorded(t, appproxy.PromotionPath)
	e.platform(t).answer(t, http.StatusNoContent, time.Minute, request{
		method: http.MethodPost, path: "/test/tasks?runtime=" + install.Name,
		body: strings.NewReplacer("source-commit-sha", "main", "test-runtime", install.Name).Replace(task),
	})
	eventually(t, "the promotion is deployed", 2*time.Minute, func(ctx context.Context) error {
		_, err := e.objects.Resource(argo("applications")).Namespace(install.Namespace).Patch(ctx, "simple-prod", types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"argocd.argoproj.io/refresh":"normal"}}}`), metav1.PatchOptions{})
		if err != nil {
			return err
		}
		found, err := e.client.CoreV1().ConfigMaps("e2e-simple-prod").Get(ctx, "version", metav1.GetOptions{})
		if err == nil && found.Data["version"] != "new" {
			err = fmt.Errorf("the version is %q", found.Data["version"])
		}
		return err
	})
	require.Equal(t, "hello from e2e-promotion", e.greeting(t, install.Namespace, "e2e-promotion", "promotion-template"))
}

// recorded returns the recorded task with an action.
func recorded(t *testing.T, action string) string {
	t.Helper()
	for _, task := range recordings.Tasks() {
		var of struct{ ActionURL string }
		require.NoError(t, json.Unmarshal(task, &of))
		if of.ActionURL == action {
			return string(task)
		}
	}
	require.Fail(t, "no recorded task has the action "+action)
	return ""
}
