//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gruntwork-io/terratest/modules/k8s"
	"github.com/gruntwork-io/terratest/modules/logger"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// standIn is the reference of the stand-in's image for pods of tests.
const standIn = install.RegistryInCluster + "/gitops-runtime/standin:dev"

// Versions of Helm besides bin/helm, the newest Helm 3; each is built from hack/tools/helm-<version>.
const (
	oldestHelm = "3.8"
	helm4      = "4"
)

// environment is the local cluster with the platform's stand-in, and clients of it.
type environment struct {
	local    *install.Local
	config   *rest.Config
	client   kubernetes.Interface
	objects  dynamic.Interface
	metadata metadata.Interface
	known    discovery.CachedDiscoveryInterface
	mapper   meta.ResettableRESTMapper
	// ready is the result of Prepare for tunnel mode; rejections are tested with its values.
	ready install.Ready
}

// start prepares the cluster, whatever an earlier run has left on it.
func start(t *testing.T) *environment {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	local, err := install.New(root, t.Output())
	require.NoError(t, err)
	require.NoError(t, forgetEvidence(t, local))
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Minute) // images that cannot be pulled are built first
	defer cancel()
	require.NoError(t, local.Cluster.Start(ctx))
	require.NoError(t, local.Cluster.Reconnect(ctx)) // a killed run may have left it disconnected
	ready, err := local.Prepare(ctx, images.Tunnel)
	require.NoError(t, err)
	e := &environment{local: local, ready: ready}
	config, err := clientcmd.BuildConfigFromFlags("", local.Helm.Kubeconfig)
	require.NoError(t, err)
	config.QPS, config.Burst = 100, 200 // an inventory reads every kind
	config.WarningHandler = rest.NoWarnings{}
	e.config = config
	e.client, err = kubernetes.NewForConfig(config)
	require.NoError(t, err)
	e.objects, err = dynamic.NewForConfig(config)
	require.NoError(t, err)
	e.metadata, err = metadata.NewForConfig(config)
	require.NoError(t, err)
	e.known = memory.NewMemCacheClient(e.client.Discovery())
	e.mapper = restmapper.NewDeferredDiscoveryRESTMapper(e.known)
	e.clean(t)
	return e
}

// by returns the same environment with another version of Helm.
func (e *environment) by(version string) *environment {
	other, local := *e, *e.local
	local.Helm.Path = filepath.Join(e.local.Root, "bin", "helm-"+version)
	other.local = &local
	return &other
}

// restricted returns the same environment with the preset of the Pod Security level restricted, which the runtime's namespace then enforces.
func (e *environment) restricted() *environment {
	other, local := *e, *e.local
	local.Restricted = true
	other.local = &local
	return &other
}

// run runs a test that leaves evidence when it fails.
func (e *environment) run(t *testing.T, name string, test func(*testing.T)) bool {
	t.Helper()
	return t.Run(name, func(t *testing.T) {
		defer e.keepEvidence(t)
		test(t)
	})
}

// install installs the runtime in a mode, or upgrades it to the mode, and waits for it.
func (e *environment) install(t *testing.T, name images.Mode) {
	t.Helper()
	e.installFiles(t, name, nil)
}

// installFiles is install with files of more values.
func (e *environment) installFiles(t *testing.T, name images.Mode, files []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute) // a mode may need additional images
	defer cancel()
	ready, err := e.local.Prepare(ctx, name)
	require.NoError(t, err)
	require.NoError(t, e.local.Install(ctx, name, ready, files, nil))
	e.mapper.Reset()
}

// file returns a values file of the test.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), strings.ReplaceAll(t.Name(), "/", "-")+".yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// eventually waits until a condition returns no error, and fails with its last one after a timeout.
func eventually(t *testing.T, what string, timeout time.Duration, condition func(context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 500*time.Millisecond, timeout, true, func(context.Context) (bool, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		last = condition(ctx)
		return last == nil, nil
	})
	require.NoError(t, err, "%s: not within %s: %v", what, timeout, last)
}

// namespace creates a namespace with the Pod Security level restricted, and removes it after the test.
func (e *environment) namespace(t *testing.T, name string) {
	t.Helper()
	options := e.kubectl(name)
	k8s.CreateNamespaceWithMetadataContext(t, t.Context(), options, metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		ignoreMissing(t, e.client.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})) // clean also deletes it
	})
}

// kubectl returns terratest's options for a namespace.
func (e *environment) kubectl(namespace string) *k8s.KubectlOptions {
	options := k8s.NewKubectlOptionsWithRestConfig(e.config, namespace)
	options.Logger = logger.Discard
	return options
}

// secret returns one key of a Secret.
func (e *environment) secret(ctx context.Context, namespace, name, key string) (string, error) {
	secret, err := e.client.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if len(secret.Data[key]) == 0 {
		return "", fmt.Errorf("the Secret %s/%s has no value for the key %s", namespace, name, key)
	}
	return string(secret.Data[key]), nil
}
