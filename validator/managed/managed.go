// Package managed connects to managed clusters as Argo CD does, with its cluster Secrets: it finds what is wrong with the connection and the permissions,
// and replaces tokens. The format of the Secrets is that of ClusterConfig in pkg/apis/application/v1alpha1 of Argo CD v3.4,
// https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters. It does not know the values of a runtime.
package managed

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gitops-runtime/validator/cluster"
)

// Selector selects cluster Secrets.
const Selector = "argocd.argoproj.io/secret-type=cluster"

// Cluster is a cluster Secret.
type Cluster struct {
	// Secret is its name, Name and Server those of the cluster.
	Secret, Name, Server string
	// Namespaces are those that Argo CD acts on; empty for all.
	Namespaces []string
	// Wide is true if Argo CD also acts on cluster-scoped objects.
	Wide   bool
	Config Config
}

// Config is how Argo CD signs in to a cluster.
type Config struct {
	Username    string          `json:"username,omitempty"`
	BearerToken string          `json:"bearerToken,omitempty"`
	TLS         TLS             `json:"tlsClientConfig"`
	AWS         json.RawMessage `json:"awsAuthConfig,omitempty"`
	Exec        json.RawMessage `json:"execProviderConfig,omitempty"`
	Proxy       string          `json:"proxyUrl,omitempty"`
}

// TLS is how Argo CD verifies an API server, and its client certificate. Certificates and key are in PEM format, in base64 as JSON has bytes.
type TLS struct {
	Insecure   bool   `json:"insecure"`
	ServerName string `json:"serverName,omitempty"`
	CAData     []byte `json:"caData,omitempty"`
	CertData   []byte `json:"certData,omitempty"`
	KeyData    []byte `json:"keyData,omitempty"`
}

// Parse reads a cluster Secret.
func Parse(secret string, data map[string][]byte) (Cluster, error) {
	found := Cluster{Secret: secret, Name: string(data["name"]), Server: strings.TrimRight(string(data["server"]), "/")}
	for _, namespace := range strings.Split(string(data["namespaces"]), ",") {
		if namespace = strings.TrimSpace(namespace); namespace != "" {
			found.Namespaces = append(found.Namespaces, namespace)
		}
	}
	found.Wide = len(found.Namespaces) == 0 || string(data["clusterResources"]) == "true"
	if found.Name == "" {
		found.Name = found.Server
	}
	if len(data["config"]) > 0 && json.Unmarshal(data["config"], &found.Config) != nil {
		return found, errors.New("its key config is not the JSON that Argo CD reads") // the error of the decoder may quote the token
	}
	if !strings.HasPrefix(found.Server, "https://") {
		return found, errors.New("its key server is not an https URL")
	}
	return found, nil
}

// Local reports whether the Secret is about the cluster of Argo CD itself.
func (c Cluster) Local() bool { return c.Server == "https://kubernetes.default.svc" }

// Foreign names what only Argo CD's own image can use to sign in or to connect; empty for a token or a client certificate.
func (c Cluster) Foreign() string {
	switch {
	case c.Config.AWS != nil:
		return "awsAuthConfig"
	case c.Config.Exec != nil:
		return "execProviderConfig"
	case c.Config.Username != "":
		return "a password"
	case c.Config.Proxy != "":
		return "proxyUrl"
	}
	return ""
}

// Connect returns a client that signs in with a token, or with the client certificate of the Secret if it is empty.
func (c Cluster) Connect(token string) (*cluster.Client, error) {
	settings, err := c.Config.TLS.client()
	if err != nil {
		return nil, err
	}
	return cluster.Remote(c.Server, settings, token)
}

// client returns the settings of a TLS client. As in client-go, caData replaces the CAs of the system.
func (t TLS) client() (*tls.Config, error) {
	settings := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName, InsecureSkipVerify: t.Insecure} //nolint:gosec // as Argo CD does; MCL106 reports it
	if len(t.CAData) > 0 {
		settings.RootCAs = x509.NewCertPool()
		if !settings.RootCAs.AppendCertsFromPEM(t.CAData) {
			return nil, errors.New("its caData contains no certificate in PEM format")
		}
	}
	if len(t.CertData) > 0 {
		pair, err := tls.X509KeyPair(t.CertData, t.KeyData)
		if err != nil {
			return nil, fmt.Errorf("its certData and keyData: %w", err)
		}
		settings.Certificates = []tls.Certificate{pair}
	}
	return settings, nil
}

// claims are those of the token of a service account: https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens
type claims struct {
	Subject string  `json:"sub"`
	Expires float64 `json:"exp"`
}

// errNoAccount means that a token does not name a service account, such as that of a user.
var errNoAccount = errors.New("it is not the token of a service account")

// account returns the namespace and the name of the service account of a token, and whether the token expires.
func account(token string) (namespace, name string, expires bool, err error) {
	parts := strings.Split(token, ".")
	var of claims
	if len(parts) == 3 {
		payload, decoding := base64.RawURLEncoding.DecodeString(parts[1])
		if decoding == nil && json.Unmarshal(payload, &of) != nil {
			of = claims{}
		}
	}
	rest, isAccount := strings.CutPrefix(of.Subject, "system:serviceaccount:")
	namespace, name, both := strings.Cut(rest, ":")
	if !isAccount || !both {
		return "", "", of.Expires > 0, errNoAccount
	}
	return namespace, name, of.Expires > 0, nil
}

// Permanent reports whether the cluster is reached with the token of a service account that never expires.
func (c Cluster) Permanent() bool {
	_, _, expires, err := account(c.Config.BearerToken)
	return err == nil && !expires
}
