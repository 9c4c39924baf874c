package validatecmd_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/standin/gitapi"
	"gitops-runtime/tests/standin/platformapi"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/validatecmd"
)

// world is the environment of a case: a platform, a cluster, a Git server and the public URL of an ingress, all on loopback. In values and arguments
// {platform}, {git}, {ingress} and {closed} stand for their addresses, {ca} for the CA that signed their TLS certificates (indented for a block of
// YAML).
type world struct {
	spec      worldSpec
	words     map[string]string
	names     map[string]string
	events    []string
	mu        sync.Mutex
	changes   []string
	api       *httptest.Server
	authority string
	gitHost   http.Handler
}

// worldSpec is the section "world" of a case.
type worldSpec struct {
	// Faults of the platform; Repository and Provider change its account.
	Faults     []platformapi.Fault   `json:"faults"`
	Provider   *string               `json:"provider"`
	Repository *string               `json:"repository"`
	NoAccount  bool                  `json:"noAccount"`
	Runtimes   []platformapi.Runtime `json:"runtimes"`
	Limits     *platformapi.Limits   `json:"limits"`
	TLS        string                `json:"tls"`
	GitURL     string                `json:"gitURL"`
	// Git has the responses by path; "*" is the default.
	Git map[string]answer `json:"git"`
	// GitHost responds as a provider to paths that are not in Git.
	GitHost *gitapi.Options `json:"gitHost"`
	// Ingress is the response of the public URL.
	Ingress *answer           `json:"ingress"`
	Cluster *clusterSpec      `json:"cluster"`
	Env     map[string]string `json:"env"`
	// NoConsent omits the option that allows plain HTTP, which the servers use unless TLS is set.
	NoConsent bool `json:"noConsent"`
}

// answer is a scripted HTTP response.
type answer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	// Delay is the time before the response; Drop closes the connection without a response.
	Delay string `json:"delay"`
	Drop  bool   `json:"drop"`
	// Cut closes the connection in the middle of the body; Trickle delays the last byte of the body.
	Cut     bool   `json:"cut"`
	Trickle string `json:"trickle"`
}

func (a answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		a.garble(w)
		return
	}
	if wait, err := time.ParseDuration(a.Delay); err == nil {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return
		}
	}
	if a.Drop {
		panic(http.ErrAbortHandler)
	}
	for name, value := range a.Headers {
		w.Header().Set(name, value)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	a.write(w, r)
}

func (a answer) write(w http.ResponseWriter, r *http.Request) {
	wait, err := time.ParseDuration(a.Trickle)
	if err == nil && len(a.Body) > 0 {
		_, _ = io.WriteString(w, a.Body[:len(a.Body)-1])
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, a.Body[len(a.Body)-1:])
		return
	}
	if a.Cut {
		_, _ = io.WriteString(w, a.Body[:len(a.Body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = io.WriteString(w, a.Body)
}

// garble accepts a CONNECT request and then responds without TLS.
func (a answer) garble(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer connection.Close()
	_, _ = io.WriteString(connection, "HTTP/1.1 200 OK\r\n\r\nthis is no TLS\r\n")
}

func startWorld(t *testing.T, text string) *world {
	t.Helper()
	w := &world{words: map[string]string{}, names: map[string]string{}}
	err := yaml.UnmarshalStrict([]byte(text), &w.spec)
	require.NoError(t, err, "world")
	if w.spec.GitHost != nil {
		host, err := gitapi.New(*w.spec.GitHost)
		require.NoError(t, err, "world")
		w.gitHost = host
	}
	git := w.serve(t, "git", http.HandlerFunc(w.git))
	gitURL := git.URL
	if w.spec.GitURL != "" {
		gitURL = strings.ReplaceAll(w.spec.GitURL, "{git}", git.URL)
	}
	w.serve(t, "platform", w.platform(t, gitURL))
	w.serve(t, "ingress", w.ingress())
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.name("closed", "http://"+closed.Addr().String())
	closed.Close()
	w.api = httptest.NewServer(w)
	t.Cleanup(w.api.Close)
	w.name("cluster", w.api.URL)
	w.manage(t)
	w.words["{ca}"] = w.authority
	w.words["{leaf}"] = certificate(t, "leaf", false, today.AddDate(1, 0, 0))
	w.words["{expired}"] = certificate(t, "expired CA", true, today.AddDate(0, -1, 0))
	w.words["{soon}"] = certificate(t, "ending CA", true, today.AddDate(0, 0, 10))
	return w
}

// serve starts a server and replaces its address with a name for the case.
func (w *world) serve(t *testing.T, name string, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if w.spec.TLS == "all" || w.spec.TLS == name {
		server.EnableHTTP2 = true // as every provider does
		server.StartTLS()
		block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		w.authority = indented(block)
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	w.name(name, server.URL)
	return server
}

func indented(text []byte) string {
	const space = "            "
	return space + strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n"+space)
}

// certificate creates a self-signed certificate in PEM, indented for YAML.
func certificate(t *testing.T, name string, authority bool, end time.Time) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: today.AddDate(-1, 0, 0), NotAfter: end, IsCA: authority, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	require.NoError(t, err)
	return indented(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
}

func (w *world) name(name, address string) {
	parsed, _ := url.Parse(address)
	w.words["{"+name+"}"] = address
	w.words["{"+name+".host}"] = parsed.Host
	w.names[parsed.Host] = name + ".test"
}

func (w *world) replace(text string) string {
	for word, meaning := range w.words {
		text = strings.ReplaceAll(text, word, meaning)
	}
	return text
}

func (w *world) mask(text string) string {
	for address, name := range w.names {
		text = strings.ReplaceAll(text, address, name)
	}
	return text
}

func (w *world) getenv(name string) string { return w.replace(w.spec.Env[name]) }

func (w *world) connect(_ context.Context, how validatecmd.Connection) (validatecmd.Cluster, string, error) {
	if w.spec.Cluster == nil {
		return nil, "", errors.New("kubeconfig: there is no cluster here")
	}
	client, err := cluster.New(w.api.URL, w.api.Client())
	if how.InCluster {
		return client, "", err
	}
	return client, "default", err
}

func (w *world) platform(t *testing.T, gitURL string) http.Handler {
	t.Helper()
	seed := platformapi.DefaultSeed()
	seed.Accounts[0].GitAPIURL = gitURL
	if w.spec.Provider != nil {
		seed.Accounts[0].GitProvider = *w.spec.Provider
	}
	if w.spec.Repository != nil {
		seed.Accounts[0].SharedConfigRepo = *w.spec.Repository
	}
	seed.Accounts[0].Limits = w.spec.Limits
	if w.spec.NoAccount {
		seed.Users[0].Account = ""
	}
	seed.Runtimes = append(seed.Runtimes, w.spec.Runtimes...)
	made, err := platformapi.New(platformapi.Options{Seed: &seed, Faults: w.spec.Faults})
	require.NoError(t, err)
	return made
}

func (w *world) git(out http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		out.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	root := regexp.MustCompile(`^/(api/v[34]|2\.0)/`) // the API path that the client adds to an address without a path
	for _, path := range []string{r.URL.RequestURI(), r.URL.Path, root.ReplaceAllString(r.URL.Path, "/"), "*"} {
		if scripted, known := w.spec.Git[path]; known {
			scripted.ServeHTTP(out, r)
			return
		}
	}
	if w.spec.GitHost != nil {
		if w.spec.GitURL == "" {
			r.URL.Path = root.ReplaceAllString(r.URL.Path, "/")
		}
		w.gitHost.ServeHTTP(out, r)
		return
	}
	out.WriteHeader(http.StatusNotFound)
}

func (w *world) ingress() http.Handler {
	if w.spec.Ingress != nil {
		return w.spec.Ingress
	}
	return answer{Status: http.StatusNotFound}
}

func decode(body io.Reader, into any) error { return json.NewDecoder(body).Decode(into) }
