package addons_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/e2e/addons"
	schemas "gitops-runtime/tests/manifests"
	"gitops-runtime/tests/standin/certs"
	"gitops-runtime/tests/standin/platformapi"
)

func options(t *testing.T) addons.Options {
	t.Helper()
	bundle, err := certs.New(addons.ServerNames()...)
	require.NoError(t, err)
	return addons.Options{
		Images:           addons.Images{StandIn: "registry:5000/standin:dev", Nginx: "registry:5000/nginx:v1", Traefik: "registry:5000/traefik:v1", KubeRouter: "registry:5000/kube-router:v1"},
		TLS:              bundle,
		RuntimeNamespace: "codefresh", TunnelName: "acc1-local",
	}
}

func names(objects []*unstructured.Unstructured) []string {
	var all []string
	for _, object := range objects {
		all = append(all, object.GetKind()+" "+object.GetNamespace()+"/"+object.GetName())
	}
	return all
}

// server returns objects as a tunnel server's chart might render them.
func server() []*unstructured.Unstructured {
	return []*unstructured.Unstructured{{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": addons.TunnelServer, "namespace": addons.Namespace},
	}}}
}

func TestObjectsOfEachMode(t *testing.T) {
	t.Parallel()
	always := []string{
		"Namespace /platform", "Namespace /tunnels", "Service tunnels/acc1-local", "Secret platform/platform-tls", "Secret platform/platform-seed", "ConfigMap platform/platform-front", "PersistentVolumeClaim platform/platform-state", "Deployment platform/platform",
		"Service platform/platform", "Service platform/platform-internal",
		"ConfigMap platform/git-server-apps", "Deployment platform/git-server", "Service platform/git-server",
	}
	tests := map[string]struct {
		change func(*addons.Options)
		more   []string
	}{
		"none":   {func(*addons.Options) {}, nil},
		"tunnel": {func(o *addons.Options) { o.TunnelServer = server() }, []string{"Service platform/tunnels"}},
		"policies": {func(o *addons.Options) { o.NetworkPolicies = true }, []string{
			"ServiceAccount kube-system/kube-router", "ClusterRole /kube-router", "ClusterRoleBinding /kube-router", "DaemonSet kube-system/kube-router",
		}},
		"mesh": {func(o *addons.Options) { o.Mesh = true }, []string{"ConfigMap platform/mesh-front", "Deployment platform/mesh-gateway", "Service platform/mesh-gateway"}},
		"ingress": {func(o *addons.Options) { o.Ingress = true }, []string{
			"Namespace /traefik", "IngressClass /traefik", "ServiceAccount traefik/traefik", "ClusterRole /traefik",
			"ClusterRoleBinding /traefik", "Deployment traefik/traefik", "Service traefik/traefik",
		}},
		"gateway": {func(o *addons.Options) { o.Gateway = true }, []string{
			"Namespace /traefik", "GatewayClass /traefik", "Gateway traefik/public", "ServiceAccount traefik/traefik", "ClusterRole /traefik",
			"ClusterRoleBinding /traefik", "Deployment traefik/traefik", "Service traefik/traefik",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chosen := options(t)
			test.change(&chosen)
			objects, err := addons.Objects(chosen)
			require.NoError(t, err)
			require.Equal(t, append(append([]string{}, always...), test.more...), names(objects))
			for _, object := range objects {
				if object.GroupVersionKind().Group == "gateway.networking.k8s.io" { // has no Go type here
					requireValid(t, object)
				} else {
					requireStrict(t, object)
				}
			}
		})
	}
}

// requireValid validates an object against the schema in its kind's CRD.
func requireValid(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	validator, err := schemas.NewValidator(t.Context(), root)
	require.NoError(t, err)
	text, err := yaml.Marshal(object.Object)
	require.NoError(t, err)
	require.Empty(t, validator.Validate(string(text)))
}

// typed returns an empty Go object of a kind.
func typed(t *testing.T, kind string) any {
	t.Helper()
	kinds := map[string]any{
		"Namespace": &corev1.Namespace{}, "Secret": &corev1.Secret{}, "ConfigMap": &corev1.ConfigMap{}, "Service": &corev1.Service{},
		"PersistentVolumeClaim": &corev1.PersistentVolumeClaim{}, "ServiceAccount": &corev1.ServiceAccount{}, "Deployment": &appsv1.Deployment{}, "DaemonSet": &appsv1.DaemonSet{}, "IngressClass": &networkingv1.IngressClass{},
		"ClusterRole": &rbacv1.ClusterRole{}, "ClusterRoleBinding": &rbacv1.ClusterRoleBinding{},
	}
	require.Contains(t, kinds, kind)
	return kinds[kind]
}

// requireStrict decodes an object into its Go type, rejects unknown fields, and checks a Deployment's pod against the Pod Security level restricted.
func requireStrict(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	into := typed(t, object.GetKind())
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, into, true))
	deployment, ok := into.(*appsv1.Deployment)
	if !ok {
		return
	}
	requireRestricted(t, deployment)
}

func requireRestricted(t *testing.T, deployment *appsv1.Deployment) {
	t.Helper()
	require.Subset(t, deployment.Spec.Template.Labels, deployment.Spec.Selector.MatchLabels)
	pod := deployment.Spec.Template.Spec
	require.True(t, *pod.SecurityContext.RunAsNonRoot)
	require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
	for _, container := range pod.Containers {
		require.False(t, *container.SecurityContext.AllowPrivilegeEscalation)
		require.True(t, *container.SecurityContext.ReadOnlyRootFilesystem)
		require.Equal(t, []corev1.Capability{"ALL"}, container.SecurityContext.Capabilities.Drop)
		require.NotNil(t, container.ReadinessProbe)
		require.NotEmpty(t, container.Resources.Requests)
		require.Contains(t, container.Image, "registry:5000/")
	}
}

func TestRefusedOptions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*addons.Options)
		reason string
	}{
		"no image":      {func(o *addons.Options) { o.Images.StandIn = "" }, "the stand-ins' manifests need the option Images.StandIn"},
		"no front":      {func(o *addons.Options) { o.Images.Nginx = "" }, "the stand-ins' manifests need the option Images.Nginx"},
		"no enforcer":   {func(o *addons.Options) { o.NetworkPolicies, o.Images.KubeRouter = true, "" }, "the stand-ins' manifests need the option Images.KubeRouter"},
		"no traefik":    {func(o *addons.Options) { o.Ingress, o.Images.Traefik = true, "" }, "the stand-ins' manifests need the option Images.Traefik"},
		"no namespace":  {func(o *addons.Options) { o.Mesh, o.RuntimeNamespace = true, "" }, "the stand-ins' manifests need the option RuntimeNamespace"},
		"no TLS":        {func(o *addons.Options) { o.TLS = certs.Bundle{} }, "the stand-ins' manifests need the option TLS"},
		"two on a port": {func(o *addons.Options) { o.Mesh, o.Ingress = true, true }, "the stand-ins' manifests have Traefik and the mesh gateway on one node port: choose Mesh or one of Ingress and Gateway"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chosen := options(t)
			test.change(&chosen)
			_, err := addons.Objects(chosen)
			require.EqualError(t, err, test.reason)
		})
	}
}

func find(t *testing.T, objects []*unstructured.Unstructured, kind, name string, into any) {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() == kind && object.GetName() == name {
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into))
			return
		}
	}
	require.Failf(t, "an object is missing", "no %s %s among the objects", kind, name)
}

// The objects contain what their programs read.
func TestContents(t *testing.T) {
	t.Parallel()
	chosen := options(t)
	chosen.TunnelServer = server()
	objects, err := addons.Objects(chosen)
	require.NoError(t, err)

	var seed corev1.Secret
	find(t, objects, "Secret", "platform-seed", &seed)
	parsed, err := platformapi.ParseSeed(seed.Data["seed.yaml"])
	require.NoError(t, err)
	require.Equal(t, platformapi.DefaultSeed(), parsed)

	var front corev1.Secret
	find(t, objects, "Secret", "platform-tls", &front)
	require.Equal(t, map[string][]byte{"ca.crt": chosen.TLS.CA, "tls.crt": chosen.TLS.Cert, "tls.key": chosen.TLS.Key}, front.Data)

	var apps corev1.ConfigMap
	find(t, objects, "ConfigMap", "git-server-apps", &apps)
	files := map[string][]byte{}
	for key, content := range apps.Data {
		files[key] = []byte(content)
	}
	var guestbook appsv1.Deployment
	require.NoError(t, yaml.UnmarshalStrict(files["guestbook.deployment.yaml"], &guestbook))
	requireRestricted(t, &guestbook)

	var config corev1.ConfigMap
	find(t, objects, "ConfigMap", "platform-front", &config)
	require.Contains(t, config.Data["nginx.conf"], "server_name *.tunnels.svc.cluster.local;")
}
