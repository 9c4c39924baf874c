// Package addons creates the Kubernetes objects of the stand-ins and of the controllers that a local cluster needs in addition to a runtime: the
// platform with its TLS front, the tunnel server, the Git server, a mesh gateway, Traefik, and the Gateway API. Of the runtime it knows only the
// namespace and the Service that a mesh routes to.
package addons

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/standin/certs"
	"gitops-runtime/tests/standin/platformapi"
)

//go:embed templates fronts apps definitions
var files embed.FS

// Namespace is the namespace of the stand-ins.
const Namespace = "platform"

// Node ports of the cluster, which are mapped to ports of the host.
const (
	HTTPNodePort  = 30080 // HTTPNodePort is the port of Traefik or the mesh gateway.
	HTTPSNodePort = 30443 // HTTPSNodePort is the port of the TLS front.
)

// TunnelServer is the name of the tunnel server's objects; PluginURL is the URL at which it verifies tokens.
const (
	TunnelServer = "tunnels"
	PluginURL    = "http://platform-internal:8080"
)

// SubdomainHost is the domain of the tunnels' host names. It is the domain of a namespace: a Service with the name of the runtime's public host
// resolves it for pods, in place of public DNS.
const SubdomainHost = TunnelsNamespace + ".svc.cluster.local"

// TunnelsNamespace is the namespace of the Services by which pods find public hosts of tunnels.
const TunnelsNamespace = "tunnels"

// ServerNames returns the names that the TLS front's certificate must contain.
func ServerNames() []string {
	return []string{
		"platform.platform.svc.cluster.local", "platform.platform.svc", "tunnels.platform.svc.cluster.local",
		"tunnels.platform.svc", "*." + SubdomainHost, "localhost", "127.0.0.1",
	}
}

// Images are full references that the cluster can pull.
type Images struct {
	StandIn string // StandIn is gitops-runtime/standin:dev.
	Nginx   string // Nginx is the image of internal-router; it is the TLS front and the gateway of a mesh.
	Traefik string // Traefik is docker.io/library/traefik:v3.6.12; needed with Ingress and Gateway.
	// KubeRouter is docker.io/cloudnativelabs/kube-router:v2.1.0; needed with NetworkPolicies.
	KubeRouter string
}

// Options determine the objects, which always include the platform and the Git server.
type Options struct {
	Images Images
	TLS    certs.Bundle // TLS is the result of certs.New(ServerNames()...) or Kubectl.TLS.
	Seed   []byte       // Seed is the platform's seed in YAML; empty for the default one.
	// TunnelServer contains the objects of charts/tunnel-server with the name TunnelServer in the Namespace; empty for no tunnel server.
	TunnelServer []*unstructured.Unstructured
	Ingress      bool // Ingress adds Traefik with the IngressClass traefik, at HTTPNodePort.
	Gateway      bool // Gateway adds Traefik with the Gateway traefik/public, at HTTPNodePort; the cluster needs the Definitions.
	Mesh         bool // Mesh adds a gateway at HTTPNodePort that routes everything to internal-router.
	// NetworkPolicies adds kube-router, in kube-system, which enforces them, for nodes whose network plugin does not.
	NetworkPolicies bool
	// RuntimeNamespace is the namespace of internal-router; needed with Mesh.
	RuntimeNamespace string
	// TunnelName is the name that the runtime's tunnel has under SubdomainHost.
	TunnelName string
}

func (o Options) check() error {
	for _, needed := range []struct {
		when bool
		name string
		text string
	}{
		{true, "Images.StandIn", o.Images.StandIn}, {true, "Images.Nginx", o.Images.Nginx}, {true, "TLS", string(o.TLS.Cert)}, {true, "TunnelName", o.TunnelName},
		{o.Ingress || o.Gateway, "Images.Traefik", o.Images.Traefik},
		{o.NetworkPolicies, "Images.KubeRouter", o.Images.KubeRouter}, {o.Mesh, "RuntimeNamespace", o.RuntimeNamespace},
	} {
		if needed.when && needed.text == "" {
			return fmt.Errorf("the stand-ins' manifests need the option %s", needed.name)
		}
	}
	if (o.Ingress || o.Gateway) && o.Mesh {
		return fmt.Errorf("the stand-ins' manifests have Traefik and the mesh gateway on one node port: choose Mesh or one of Ingress and Gateway")
	}
	return nil
}

// Objects returns the objects in the order in which they can be applied.
func Objects(options Options) ([]*unstructured.Unstructured, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	view, err := newView(options)
	if err != nil {
		return nil, err
	}
	names := []string{"platform.yaml", "git-server.yaml"}
	for _, optional := range []struct {
		chosen bool
		name   string
	}{{options.NetworkPolicies, "kube-router.yaml"}, {options.Mesh, "mesh.yaml"}, {options.Ingress || options.Gateway, "traefik.yaml"}} {
		if optional.chosen {
			names = append(names, optional.name)
		}
	}
	var objects []*unstructured.Unstructured
	for _, name := range names {
		text, err := render("templates/"+name, view)
		if err != nil {
			return nil, err
		}
		for document := range strings.SplitSeq(text, "\n---\n") {
			object, err := read(name, []byte(document))
			if err != nil {
				return nil, err
			}
			objects = append(objects, object)
		}
	}
	return append(objects, options.TunnelServer...), nil
}

// Definitions returns the CRDs of the Gateway API, which have to exist before Objects with Gateway are applied. They are kept when the mode changes:
// a release with an HTTPRoute could not be upgraded without its CRD.
func Definitions() ([]*unstructured.Unstructured, error) {
	entries, err := files.ReadDir("definitions")
	if err != nil {
		return nil, fmt.Errorf("listing the definitions of the Gateway API: %w", err)
	}
	var objects []*unstructured.Unstructured
	for _, entry := range entries {
		text, err := files.ReadFile("definitions/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the definition %s: %w", entry.Name(), err)
		}
		object, err := read(entry.Name(), text)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// read parses one YAML document; name is its name in errors.
func read(name string, document []byte) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict(document, &object.Object); err != nil {
		return nil, fmt.Errorf("reading the rendered %s: %w", name, err)
	}
	return object, nil
}

// app is a file of the Git server's repository. Key is its key in a ConfigMap, which may not contain a slash.
type app struct{ Key, Path, Content string }

// view is the data of the templates.
type view struct {
	Options
	Namespace, SubdomainHost, TunnelsNamespace, AppsDigest string
	PlatformFront, MeshFront                               string // PlatformFront and MeshFront are configurations of nginx.
	HTTPNodePort, HTTPSNodePort                            int
	Apps                                                   []app
}

func newView(options Options) (view, error) {
	seen := view{
		Options: options, Namespace: Namespace, SubdomainHost: SubdomainHost, TunnelsNamespace: TunnelsNamespace,
		HTTPNodePort: HTTPNodePort, HTTPSNodePort: HTTPSNodePort,
	}
	if len(seen.Seed) == 0 {
		seen.Seed = platformapi.DefaultSeedDocument()
	}
	var err error
	if seen.PlatformFront, err = render("fronts/platform.conf", seen); err != nil {
		return view{}, err
	}
	if seen.MeshFront, err = render("fronts/mesh.conf", seen); err != nil {
		return view{}, err
	}
	err = fs.WalkDir(files, "apps", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := render(name, seen)
		path := strings.TrimPrefix(name, "apps/")
		seen.Apps = append(seen.Apps, app{Key: strings.ReplaceAll(path, "/", "."), Path: path, Content: content})
		seen.AppsDigest += path + "\n" + content
		return err
	})
	return seen, err
}

func render(name string, seen view) (string, error) {
	source, err := files.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("reading the template %s: %w", name, err)
	}
	parsed, err := template.New(name).Option("missingkey=error").Funcs(functions()).Parse(string(source))
	if err != nil {
		return "", fmt.Errorf("reading the template %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, seen); err != nil {
		return "", fmt.Errorf("rendering the template %s: %w", name, err)
	}
	return out.String(), nil
}

// functions returns the template functions. All return JSON, which is valid YAML on one line.
func functions() template.FuncMap {
	return template.FuncMap{
		"text": func(value any) (string, error) {
			document, err := json.Marshal(asText(value))
			return string(document), err
		},
		"base64": base64.StdEncoding.EncodeToString,
		"checksum": func(values ...any) string {
			sum := sha256.New()
			for _, value := range values {
				sum.Write([]byte(asText(value)))
			}
			return fmt.Sprintf("%q", fmt.Sprintf("%x", sum.Sum(nil))[:16])
		},
		"resources": func() string { return `{requests: {cpu: 10m, memory: 16Mi}, limits: {memory: 128Mi}}` },
		"podSecurity": func() string {
			return `{runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532, seccompProfile: {type: RuntimeDefault}}`
		},
		"containerSecurity": func() string {
			return `{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}`
		},
	}
}

func asText(value any) string {
	if document, ok := value.([]byte); ok {
		return string(document)
	}
	return fmt.Sprint(value)
}
