package render_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	netv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"gitops-runtime/tests/render"
)

const sealer = "sealed-secrets-controller"

// A runtime that is limited to its namespace keeps the controller of SealedSecrets with its rights, as in the published chart.
func TestA11SealedSecretsStaysInASingleNamespace(t *testing.T) {
	t.Parallel()
	everywhere := render.Names(sealed(umbrella("tunnel", nil).Objects(t)), "Deployment", "Service", "ServiceAccount", "Role", "ClusterRole", "ClusterRoleBinding")
	single := umbrella("tunnel", map[string]string{"global.runtime.singleNamespace": "true"})
	assert.Equal(t, everywhere, render.Names(sealed(single.Objects(t)), "Deployment", "Service", "ServiceAccount", "Role", "ClusterRole", "ClusterRoleBinding"))
	assert.Contains(t, everywhere, "ClusterRole/codefresh-"+sealer)
}

// sealed returns the objects of sealed-secrets.
func sealed(objects []render.Object) []render.Object {
	var found []render.Object
	for _, object := range objects {
		if object.GetLabels()["app.kubernetes.io/part-of"] == "sealed-secrets" {
			found = append(found, object)
		}
	}
	return found
}

// sealedWith renders the umbrella with values of sealed-secrets.
func sealedWith(t *testing.T, values string) []render.Object {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, []byte("sealed-secrets:\n"+values), 0o600))
	release := umbrella("tunnel", nil)
	release.Values = []string{file}
	return release.Objects(t)
}

// The values of sealed-secrets 2.18.0 for the controller's arguments reach it, as flags of v0.36.0.
func TestB7SealedSecretsTakesItsArguments(t *testing.T) {
	t.Parallel()
	container := func(values string) corev1.Container {
		return pod(t, *render.Find(sealedWith(t, values), "Deployment", sealer)).Containers[0]
	}
	assert.Equal(t, []string{
		"--update-status", "--key-prefix", "sealed-secrets-key", "--key-renew-period", "720h", "--listen-addr", ":8080", "--listen-metrics-addr", ":8081",
	}, container("  enabled: true\n").Args)
	assert.Equal(t, []string{
		"--update-status=false", "--key-prefix", "mine", "--additional-namespaces", "a,b", "--key-cutoff-time", "Mon, 02 Jan 2006 15:04:05 -0700",
		"--key-renew-period", "0", "--key-ttl", "1h", "--kubeclient-burst", "3", "--kubeclient-qps", "2.5", "--log-format", "json", "--log-level", "ERROR",
		"--max-unseal-retries", "9", "--privatekey-annotations", "x=z", "--privatekey-labels", "k=m,l=true", "--rate-limit", "4", "--rate-limit-burst", "5",
		"--log-info-stdout", "--skip-recreate", "--watch-for-secrets", "--listen-addr", ":18080", "--listen-metrics-addr", ":18081",
	}, container(`
  updateStatus: false
  secretName: mine
  additionalNamespaces: [a, b]
  keycutofftime: Mon, 02 Jan 2006 15:04:05 -0700
  keyrenewperiod: 0
  keyttl: 1h
  kubeClientBurst: 3
  kubeClientQPS: 2.5
  logFormat: json
  logLevel: ERROR
  maxRetries: "9"
  privateKeyAnnotations: {x: z}
  privateKeyLabels: {k: m, l: true}
  rateLimit: 4
  rateLimitBurst: "5"
  logInfoStdout: true
  skipRecreate: true
  watchForSecrets: true
  containerPorts: {http: 18080, metrics: "18081"}
`).Args)
	given := container("  command: [sh]\n  args: [-c, controller]\n")
	assert.Equal(t, []string{"sh"}, given.Command)
	assert.Equal(t, []string{"-c", "controller"}, given.Args)
}

// The values of sealed-secrets 2.18.0 for pod, Services and further objects are honored.
func TestB7SealedSecretsTakesItsObjects(t *testing.T) {
	t.Parallel()
	objects := sealedWith(t, `
  commonLabels: {team: a}
  commonAnnotations: {note: b}
  image: {pullSecrets: [pull]}
  additionalVolumes: [{name: v, emptyDir: {}}]
  additionalVolumeMounts: [{name: v, mountPath: /v}]
  hostPorts: {http: 80}
  startupProbe: {enabled: true, failureThreshold: 9}
  livenessProbe: {enabled: false}
  customLivenessProbe: {exec: {command: ["true"]}}
  service: {type: NodePort, nodePort: 30080, labels: {s: t}}
  metrics: {serviceMonitor: {enabled: true, namespace: monitoring, interval: 9s}, service: {port: 9090}}
  pdb: {create: true, maxUnavailable: 1}
  ingress: {enabled: true, hostname: seal.example.com, tls: true, ingressClassName: nginx, secrets: [{name: tls, certificate: c, key: k}]}
  extraDeploy: ["{apiVersion: v1, kind: ConfigMap, metadata: {name: '{{ .Values.secretName }}'}}"]
`)
	for _, object := range sealed(objects) {
		if object.GetKind() == "CustomResourceDefinition" {
			continue
		}
		assert.Equal(t, "a", object.GetLabels()["team"], object.GetName())
		assert.Equal(t, map[string]string{"note": "b"}, object.GetAnnotations(), object.GetKind()+"/"+object.GetName())
	}
	spec := pod(t, *render.Find(objects, "Deployment", sealer))
	assert.Equal(t, []corev1.LocalObjectReference{{Name: "pull"}}, spec.ImagePullSecrets)
	container := spec.Containers[0]
	assert.Contains(t, container.VolumeMounts, corev1.VolumeMount{Name: "v", MountPath: "/v"})
	assert.Contains(t, container.Ports, corev1.ContainerPort{Name: "http", ContainerPort: 8080, HostPort: 80})
	assert.EqualValues(t, 9, container.StartupProbe.FailureThreshold)
	assert.Equal(t, []string{"true"}, container.LivenessProbe.Exec.Command)
	service, err := render.As[corev1.Service](render.Find(objects, "Service", sealer))
	require.NoError(t, err)
	assert.Equal(t, corev1.ServiceTypeNodePort, service.Spec.Type)
	assert.EqualValues(t, 30080, service.Spec.Ports[0].NodePort)
	assert.Equal(t, "t", service.Labels["s"])
	metrics, err := render.As[corev1.Service](render.Find(objects, "Service", sealer+"-metrics"))
	require.NoError(t, err)
	assert.EqualValues(t, 9090, metrics.Spec.Ports[0].Port)
	ingress, err := render.As[netv1.Ingress](render.Find(objects, "Ingress", sealer))
	require.NoError(t, err)
	assert.Equal(t, []netv1.IngressTLS{{Hosts: []string{"seal.example.com"}, SecretName: "seal.example.com-tls"}}, ingress.Spec.TLS)
	assert.Equal(t, "monitoring", render.Find(objects, "ServiceMonitor", sealer).GetNamespace())
	for _, name := range []string{"PodDisruptionBudget/" + sealer, "Secret/tls", "ConfigMap/sealed-secrets-key"} {
		assert.Contains(t, render.Names(objects, "PodDisruptionBudget", "Secret", "ConfigMap"), name)
	}
}

// The roles of sealed-secrets 2.18.0: none, those of listed namespaces, other subjects; without the controller only account and roles remain.
func TestB7SealedSecretsTakesItsRoles(t *testing.T) {
	t.Parallel()
	kinds := []string{"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "Deployment", "Service", "ServiceAccount"}
	assert.Equal(t, []string{"ServiceAccount/" + sealer, "Service/" + sealer, "Service/" + sealer + "-metrics", "Deployment/" + sealer},
		render.Names(sealed(sealedWith(t, "  rbac: {create: false}\n")), kinds...))
	assert.Equal(t, []string{
		"ServiceAccount/" + sealer, "ClusterRole/codefresh-" + sealer, "ClusterRoleBinding/codefresh-" + sealer,
		"Role/" + sealer, "Role/" + sealer + "-service-proxier", "RoleBinding/" + sealer, "RoleBinding/" + sealer + "-service-proxier",
	}, render.Names(sealed(sealedWith(t, "  createController: false\n  rbac: {serviceProxier: {bind: true}}\n")), kinds...))
	objects := sealedWith(t, `
  additionalNamespaces: [other]
  rbac: {clusterRole: false, namespacedRoles: true, serviceProxier: {bind: true, subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: admins}]}}
`)
	assert.NotContains(t, render.Names(objects, "ClusterRole"), "ClusterRole/codefresh-"+sealer)
	assert.Equal(t, "other", render.Find(objects, "Role", "secrets-unsealer").GetNamespace())
	binding, err := render.As[rbacv1.RoleBinding](render.Find(objects, "RoleBinding", sealer+"-service-proxier"))
	require.NoError(t, err)
	assert.Equal(t, []rbacv1.Subject{{Kind: "Group", APIGroup: "rbac.authorization.k8s.io", Name: "admins"}}, binding.Subjects)
	existing, err := render.As[rbacv1.ClusterRoleBinding](render.Find(sealedWith(t, "  rbac: {clusterRole: false, clusterRoleName: unsealer}\n"), "ClusterRoleBinding", "codefresh-"+sealer+"-existing"))
	require.NoError(t, err)
	assert.Equal(t, rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "unsealer"}, existing.RoleRef)
	assert.Equal(t, []rbacv1.Subject{{Kind: "ServiceAccount", Name: sealer, Namespace: "codefresh"}}, existing.Subjects)
}

// kubeseal comes through the API server and a Prometheus from any namespace, so the policy of sealed-secrets admits everyone, as without a policy.
func TestSealedSecretsIsReachedThroughTheAPIServer(t *testing.T) {
	t.Parallel()
	policy, err := render.As[netv1.NetworkPolicy](render.Find(umbrella("tunnel", nil).Objects(t), "NetworkPolicy", sealer))
	require.NoError(t, err)
	require.Len(t, policy.Spec.Ingress, 1)
	assert.Empty(t, policy.Spec.Ingress[0].From)
	assert.Len(t, policy.Spec.Ingress[0].Ports, 2)
}
