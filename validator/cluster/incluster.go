package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// serviceAccount is the folder of the token and the CA certificate of a pod's service account, see
// https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// Timeouts of one connection, as in client-go.
const (
	dialTime      = 30 * time.Second
	handshakeTime = 10 * time.Second
)

// errNoPod means that the program does not run in a pod with a service account.
var errNoPod = errors.New("this is not a pod with a service account")

// InCluster connects as the pod's service account.
func InCluster() (*Client, error) {
	return inPod(os.Getenv, serviceAccount)
}

// inPod connects with the environment and the mounted folder of a pod.
func inPod(getenv func(string) string, folder string) (*Client, error) {
	host, port := getenv("KUBERNETES_SERVICE_HOST"), getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, fmt.Errorf("%w (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set); on your own machine run validate-values without hook", errNoPod)
	}
	authority, err := os.ReadFile(filepath.Join(folder, "ca.crt"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoPod, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("%w: %s has no certificate in PEM form", errNoPod, filepath.Join(folder, "ca.crt"))
	}
	token := filepath.Join(folder, "token")
	if _, err := os.Stat(token); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoPod, err)
	}
	next := transport(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12})
	return New("https://"+net.JoinHostPort(host, port), &http.Client{Transport: signedIn{file: token, next: next}})
}

func transport(settings *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
		TLSHandshakeTimeout: handshakeTime,
		TLSClientConfig:     settings,
		ForceAttemptHTTP2:   true,
	}
}

// signedIn adds the token of a service account to requests. The kubelet replaces the file before the token expires, so it is read for every request.
type signedIn struct {
	file string
	next http.RoundTripper
}

// RoundTrip sends a request with the token.
func (s signedIn) RoundTrip(request *http.Request) (*http.Response, error) {
	token, err := os.ReadFile(s.file)
	if err != nil {
		return nil, fmt.Errorf("token of the service account: %w", err)
	}
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	return s.next.RoundTrip(request)
}
