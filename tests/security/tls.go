package security

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

//go:embed tls.yaml
var reasonsText []byte

var (
	// weakens are names of settings that switch TLS or its verification off where they are true.
	weakens = regexp.MustCompile(`(?i)insecure|(skip|no|disable|without|ignore)[-_. ]?(tls|ssl|verif|cert|host)|plain-?text|allow[-_.]?http\b`)
	// protects are names of settings that switch TLS or its verification off where they are false.
	protects = regexp.MustCompile(`(?i)^-*(.*[-_.])?(secure|tls[-_.]?verify|ssl[-_.]?verify|verify[-_.]?(tls|ssl|cert|peer|host)[a-z]*|strict[-_.]?tls|reject[-_]?unauthorized|ssl[-_.]?mode|use[-_.]?(tls|ssl))$`)
	off      = regexp.MustCompile(`(?i)^(false|0|no|off|disable|disabled|none)$`)
	flag     = regexp.MustCompile(`^(--?[A-Za-z][\w.-]*)(?:=(.*))?$`)
	line     = regexp.MustCompile(`^\s*(?:- )?"?([A-Za-z][\w.-]*)"?\s*[:=]\s*"?([^"]*?)"?,?$`)
	plainURL = regexp.MustCompile(`http://([A-Za-z0-9$_.-]+(?::\d+)?)`)
)

// weak reports whether a setting switches TLS or its verification off.
func weak(name, value string) bool {
	value = strings.TrimSpace(value)
	if weakens.MatchString(name) {
		return value != "" && !off.MatchString(value)
	}
	return protects.MatchString(name) && off.MatchString(value)
}

// unprotected returns the settings of a rendered object that switch TLS or its verification off, as name=value, and the hosts of URLs that it
// reaches without TLS, as http://host.
func unprotected(object *unstructured.Unstructured) []string {
	var found []string
	add := func(name, value string) {
		if weak(name, value) {
			found = union(found, []string{name + "=" + strings.TrimSpace(value)})
		}
	}
	text := func(value string) {
		for _, match := range plainURL.FindAllStringSubmatch(value, -1) {
			if strings.HasPrefix(match[1], "127.0.0.1") {
				continue // within the pod
			}
			found = union(found, []string{"http://" + host(match[1])})
		}
		if strings.Contains(value, "\n") {
			for _, each := range strings.Split(value, "\n") {
				if match := line.FindStringSubmatch(each); match != nil {
					add(match[1], match[2])
				}
			}
		} else if match := flag.FindStringSubmatch(value); match != nil {
			if match[2] == "" {
				match[2] = "true"
			}
			add(match[1], match[2])
		}
	}
	var walk func(any)
	walk = func(node any) {
		switch n := node.(type) {
		case map[string]any:
			if name, ok := n["name"].(string); ok && n["value"] != nil {
				add(name, fmt.Sprint(n["value"])) // an environment variable, or a parameter
			}
			for key, value := range n {
				switch value.(type) {
				case string, bool:
					add(key, fmt.Sprint(value))
				}
				walk(value)
			}
		case []any:
			for _, item := range n {
				walk(item)
			}
		case string:
			text(n)
		}
	}
	if object.GetKind() != "CustomResourceDefinition" {
		walk(object.Object)
	}
	return found
}

// host returns a host without the names of the release's namespace and the cluster.
func host(name string) string {
	name, port, _ := strings.Cut(name, ":")
	if cut := strings.Index(name, ".svc"); cut >= 0 {
		name, _, _ = strings.Cut(name[:cut], ".")
	}
	if port != "" {
		return name + ":" + port
	}
	return name
}

// weakness is a setting or a host that is not protected by TLS, and the objects that have it.
type weakness struct {
	objects []string
	when    occasions
}

// weaknesses returns the weaknesses of the releases.
func weaknesses(all []release) (found ordered[weakness]) {
	for _, made := range all {
		for _, document := range made.documents {
			for _, name := range unprotected(document.Object) {
				of := found.at(name)
				of.objects = union(of.objects, []string{document.Object.GetKind() + "/" + document.Object.GetName()})
				of.when.add(made.name)
			}
		}
	}
	for _, key := range found.keys {
		slices.Sort(found.at(key).objects)
	}
	return found
}

// reasons returns why a setting or a host is not protected by TLS, from tls.yaml.
func reasons() (map[string]string, error) {
	var read map[string]string
	if err := yaml.UnmarshalStrict(reasonsText, &read); err != nil {
		return nil, fmt.Errorf("tests/security/tls.yaml: %w", err)
	}
	return read, nil
}

// unreasoned lists weaknesses without a reason, and reasons without a weakness.
func unreasoned(found ordered[weakness], why map[string]string) []string {
	var missing []string
	for _, name := range found.sorted() {
		if why[name] == "" {
			missing = append(missing, fmt.Sprintf("%s (%s): explain in tests/security/tls.yaml why it is not protected by TLS", name, strings.Join(found.at(name).objects, ", ")))
		}
	}
	for name := range why {
		if found.values[name] == nil {
			missing = append(missing, "tests/security/tls.yaml has a reason for "+name+", which no object has")
		}
	}
	return missing
}

func writeTLS(out *bytes.Buffer, every occasions, found ordered[weakness], why map[string]string) {
	out.WriteString(`
## What TLS does not protect

Every setting of a rendered object that turns TLS or its verification off, and every URL without TLS. All of these are connections inside the cluster;
a service mesh with mutual TLS can protect them. External connections are verified: the platform, the tunnel, Git. In addition, components of Argo CD use
TLS to the repo-server without verifying its certificate, which it generates at startup; with a certificate in the Secret ` + "`argocd-repo-server-tls`" + ` and
` + "`argo-cd.configs.params.{controller,server,applicationsetcontroller}.repo.server.strict.tls`" + ` they verify it. Argo CD has no client certificates for
the repo-server: its NetworkPolicy restricts what can reach it. Connections to Redis use a password but not TLS.

| setting or URL | in | why | cases |
| --- | --- | --- | --- |
`)
	for _, name := range found.sorted() {
		of := found.at(name)
		row(out, "`"+name+"`", strings.Join(of.objects, ", "), why[name], of.when.of(every))
	}
}
