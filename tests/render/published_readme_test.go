package render_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"

	"gitops-runtime/tests/render"
)

// publishedReadme returns the values in the README of the published chart since 0.26 (github.com/codefresh-io/gitops-runtime-helm,
// charts/gitops-runtime/README.md), by heading, with an object that each renders.
func publishedReadme() map[string]struct{ values, object string } {
	return map[string]struct{ values, object string }{
		"several runtimes on a cluster": {`
global: {runtime: {singleNamespace: true, ingressUrl: "https://runtime.example.com"}}
sealed-secrets: {enabled: false}
argo-cd: {createClusterRoles: false, crds: {install: false}, configs: {params: {application.namespaces: ""}}}
argo-events: {controller: {rbac: {namespaced: true}}}
argo-workflows:
  crds: {install: false}
  singleNamespace: true
  createAggregateRoles: false
  controller: {clusterWorkflowTemplates: {enabled: false}}
  server: {clusterWorkflowTemplates: {enabled: false}}
tunnel-client: {enabled: false}
gitops-operator: {crds: {install: false}}
`, "Role/argo-cd-application-controller"},
		"the first of several runtimes": {`
global: {runtime: {isConfigurationRuntime: true}}
argo-cd: {crds: {install: true}}
argo-workflows: {crds: {install: true}}
gitops-operator: {crds: {install: true}}
`, "CustomResourceDefinition/applications.argoproj.io"},
		"workflow artifact and log storage": {`
argo-workflows:
  controller: {workflowDefaults: {spec: {artifactRepositoryRef: {configMap: codefresh-workflows-log-store, key: codefresh-workflows-log-store}}}}
`, "ConfigMap/codefresh-workflows-log-store"},
		"external Argo CD": {`
global:
  external-argo-cd:
    server: {svc: argocd, port: 80, rootpath: ""}
    redis: {svc: argocd-redis, port: 6379}
    repoServer: {svc: argocd-repo-server, port: 8081}
    auth: {type: password, username: admin, password: "", passwordSecretKeyRef: {name: argocd-initial-admin-secret, key: password}, token: "", tokenSecretKeyRef: {}}
argo-cd: {enabled: false}
`, "Deployment/cap-app-proxy"},
		"OpenShift": {`
internal-router: {dnsService: dns-default, dnsNamespace: openshift-dns, clusterDomain: cluster.local}
argo-cd: {redis: {securityContext: {runAsUser: 1000680000}}, openshift: {enabled: true}}
argo-events: {openshift: true, webhook: {port: 8443}}
sealed-secrets: {podSecurityContext: {enabled: false}, containerSecurityContext: {enabled: false}}
`, "Deployment/sealed-secrets-controller"},
		"upgrade to 0.23, image of the operator":   {"gitops-operator: {image: {registry: quay.io, repository: codefresh/codefresh-gitops-operator, tag: v1.2.3}}\n", "Deployment/gitops-operator"},
		"upgrade from 0.24, Redis":                 {"redis: {enabled: true}\nredis-ha: {enabled: false}\n", "Deployment/runtime-redis"},
		"upgrade from 0.24, image of the reporter": {"global: {event-reporters: {image: {tag: abc}}}\n", "Deployment/runtime-event-reporter"},
		"upgrade from 0.24, image of the gateway":  {"argo-gateway: {image: {tag: abc}}\n", "Deployment/argo-gateway"},
		"upgrade from 0.24, external Argo CD":      {"global: {integrations: {argo-cd: {server: {svc: argocd-server, port: 80}}}}\nargo-cd: {enabled: false}\n", "Deployment/cap-app-proxy"},
	}
}

func TestSnippetsOfThePublishedReadme(t *testing.T) {
	t.Parallel()
	for name, snippet := range publishedReadme() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, object, _ := strings.Cut(snippet.object, "/")
			assert.NotNil(t, render.Find(readmeRelease(t, snippet.values).Objects(t), kind, object))
		})
	}
}

// The README's values for high availability render two replicas, spread over nodes, of each component that scales.
func TestHighAvailabilityOfThePublishedReadme(t *testing.T) {
	t.Parallel()
	spread := "topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: NAME}}}]"
	twice := "{replicaCount: 2, pdb: {enabled: true, minAvailable: 1}, " + spread + "}\n"
	values := "global: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule}], event-reporters: {pdb: {enabled: true, minAvailable: 1}}}\n" +
		"app-proxy: " + strings.Replace(twice, "NAME", "cap-app-proxy", 1) + "gitops-operator: " + strings.Replace(twice, "NAME", "gitops-operator", 1) +
		"internal-router: " + strings.Replace(twice, "NAME", "internal-router", 1) + `
argo-gateway: {hpa: {enabled: true, minReplicas: 2}, pdb: {enabled: true, minAvailable: 1}}
argo-cd:
  redis-ha: {enabled: true}
  controller: {replicas: 1}
  server: {autoscaling: {enabled: true, minReplicas: 2}, pdb: {enabled: true, minAvailable: 1}}
  repoServer: {autoscaling: {enabled: true, minReplicas: 2}, pdb: {enabled: true, minAvailable: 1}}
  applicationSet: {replicas: 2}
argo-workflows:
  controller: {replicas: 2, pdb: {enabled: true, minAvailable: 1}}
  server: {autoscaling: {enabled: true, minReplicas: 2}, pdb: {enabled: true, minAvailable: 1}}
`
	objects := readmeRelease(t, values).Objects(t)
	for name, app := range map[string]string{"cap-app-proxy": "cap-app-proxy", "internal-router": "internal-router"} {
		deployment, err := render.As[appsv1.Deployment](render.Find(objects, "Deployment", name))
		require.NoError(t, err)
		assert.EqualValues(t, 2, *deployment.Spec.Replicas, name)
		require.Len(t, deployment.Spec.Template.Spec.TopologySpreadConstraints, 1, name)
		assert.Equal(t, app, deployment.Spec.Template.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels["app"], name)
		assert.NotNil(t, render.Find(objects, "PodDisruptionBudget", name))
	}
	for _, name := range []string{"argo-gateway", "argo-cd-server", "argo-cd-repo-server"} {
		assert.NotNil(t, render.Find(objects, "HorizontalPodAutoscaler", name), name)
	}
	assert.NotNil(t, render.Find(objects, "StatefulSet", "argo-cd-redis-ha-server"))
}

func readmeRelease(t *testing.T, values string) render.Release {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, []byte(values), 0o600))
	return umbrellaWith(file)
}

func umbrellaWith(file string) render.Release {
	release := umbrella("tunnel", nil)
	release.Values = []string{file}
	return release
}
