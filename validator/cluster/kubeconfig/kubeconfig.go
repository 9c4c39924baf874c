// Package kubeconfig connects to a cluster as kubectl does, with a kubeconfig file. It is separate from the package cluster, since client-go is more
// than half of the size of a program and a pod has no kubeconfig.
package kubeconfig

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/validator/cluster"
)

// Connect connects as kubectl does, with a file and a context if they are not empty. It returns the namespace of the context.
func Connect(file, kubeContext string) (*cluster.Client, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	for _, name := range append([]string{file}, rules.Precedence...) {
		if err := check(name); err != nil && (name == file || file == "") {
			return nil, "", fmt.Errorf("kubeconfig %s: %w", name, err)
		}
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: kubeContext})
	if err := checkNamed(loader, kubeContext); err != nil {
		return nil, "", err
	}
	config, err := loader.ClientConfig()
	switch {
	case errors.Is(err, fs.ErrNotExist) && file != "":
		return nil, "", fmt.Errorf("kubeconfig %s: no such file", file)
	case err != nil && lacksContext(loader, kubeContext):
		return nil, "", fmt.Errorf("kubeconfig: unknown context %q; `kubectl config get-contexts` lists them", kubeContext)
	case err != nil:
		return nil, "", fmt.Errorf("kubeconfig: %w", err)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, "", fmt.Errorf("kubeconfig: %w", err)
	}
	client, err := open(config)
	return client, namespace, err
}

// maxFile is the maximum size of a kubeconfig in bytes; etcd stores no larger object.
const maxFile = 1 << 20

// check refuses a file that client-go could not read within limits. A missing one is left to client-go.
func check(name string) error {
	text, err := outfile.ReadRegular(name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return errors.New(outfile.Reason(err))
	}
	over := new(budget.Error)
	if errors.As(budget.New(budget.Default()).YAML(name, text), &over) {
		return errors.New(over.Flaw)
	}
	return nil
}

// checkNamed refuses certificates, keys and tokens of a context that are pipes or devices, from which client-go would read without end.
func checkNamed(loader clientcmd.ClientConfig, kubeContext string) error {
	raw, err := loader.RawConfig()
	chosen := raw.Contexts[cmp.Or(kubeContext, raw.CurrentContext)]
	if err != nil || chosen == nil {
		return nil //nolint:nilerr // ClientConfig returns the error
	}
	var names []string
	if of := raw.Clusters[chosen.Cluster]; of != nil {
		names = append(names, of.CertificateAuthority)
	}
	if of := raw.AuthInfos[chosen.AuthInfo]; of != nil {
		names = append(names, of.ClientCertificate, of.ClientKey, of.TokenFile)
	}
	for _, name := range names {
		if _, err := outfile.ReadRegular(name, maxFile); name != "" && err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("kubeconfig: %s: %s", name, outfile.Reason(err))
		}
	}
	return nil
}

// lacksContext reports whether the kubeconfig does not contain a context that was requested.
func lacksContext(loader clientcmd.ClientConfig, name string) bool {
	raw, err := loader.RawConfig()
	return err == nil && name != "" && raw.Contexts[name] == nil
}

// open creates a client from a configuration of client-go.
func open(config *rest.Config) (*cluster.Client, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("cluster connection: %w", err)
	}
	address, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("cluster address: %w", err)
	}
	return cluster.New(address.String(), client)
}
