package checks

import (
	"context"
	"regexp"
	"strings"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/mode"
)

const (
	ingressPath     = "global.runtime.ingress"
	classPath       = ingressPath + ".className"
	routePath       = "global.runtime.httpRoute"
	meshPath        = "global.runtime.ingressUrl"
	serverPath      = "tunnel-client.tunnelServer"
	addressesPath   = "tunnel-client.tunnel.ipsAllowList"
	clientImagePath = "tunnel-client.image.repository"
	// registerHost is the default of tunnel-client.tunnelServer.host.
	registerHost = "register-tunnels.cf-cd.com"
)

// hostName is a DNS name as an Ingress accepts it; only its first label may be a wildcard.
var hostName = regexp.MustCompile(`^(\*\.)?[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

// maxHost is the maximum length of a DNS name, in characters.
const maxHost = 253

func isHost(text string) bool { return len(text) <= maxHost && hostName.MatchString(text) }

// chosen reports whether a mode is the chosen one. If it is not, the outcome skips the check.
func (d *state) chosen(wanted mode.Mode) (engine.Outcome, bool) {
	if current := mode.Choose(d.Values); current != wanted {
		return nothing("not in " + string(current) + " mode"), false
	}
	return engine.Outcome{}, true
}

func checkMode(_ context.Context, d *state) engine.Outcome {
	if d.Values.Bool(ingressPath+".enabled", false) && d.Values.Bool(routePath+".enabled", false) {
		return found(findings.New("MOD101", d.place(routePath+".enabled")))
	}
	if mode.Choose(d.Values) == mode.None {
		return found(findings.New("MOD102", d.place(meshPath)))
	}
	return found()
}

func checkTunnel(_ context.Context, d *state) engine.Outcome {
	other, ok := d.chosen(mode.Tunnel)
	if !ok {
		return other
	}
	var list []findings.Finding
	if d.Values.String(accountPath, "") == "" {
		list = append(list, findings.New("MOD201", d.place(accountPath)))
	}
	if finding, broken := d.tunnelHost(d.Values.String(accountPath, "")); broken {
		list = append(list, finding)
	}
	if d.Values.String(addressesPath, "") != "" && !strings.HasSuffix("/"+d.Values.String(clientImagePath, ""), "/codefresh/frpc") {
		list = append(list, findings.New("MOD204", d.place(addressesPath)))
	}
	for _, host := range []struct{ field, fallback string }{{"host", registerHost}, {"subdomainHost", mode.SubdomainHost}} {
		path := serverPath + "." + host.field
		if value := d.Values.String(path, host.fallback); !isHost(value) {
			list = append(list, findings.New("MOD202", d.place(path), path, value))
		}
	}
	return found(list...)
}

func checkMesh(_ context.Context, d *state) engine.Outcome {
	other, ok := d.chosen(mode.Mesh)
	if !ok {
		return other
	}
	if flaw := notURL(d.Values.String(meshPath, "")); flaw != "" {
		return found(findings.New("MOD801", d.place(meshPath), flaw))
	}
	return found()
}

// checkHosts checks the host names and the protocol at two paths; empty is the code of the finding for an empty list.
func (d *state) checkHosts(hosts, protocol, empty string) []findings.Finding {
	var list []findings.Finding
	names := d.Values.List(hosts)
	if len(names) == 0 {
		list = append(list, findings.New(empty, d.place(hosts)))
	}
	for i := range names {
		at := hosts + index(i)
		name := d.Values.String(at, "")
		if !isHost(name) || i == 0 && strings.HasPrefix(name, "*") { // the first host determines the public URL
			list = append(list, findings.New("MOD302", d.place(at), name))
		}
	}
	if scheme := d.Values.String(protocol, "https"); scheme != "http" && scheme != "https" {
		list = append(list, findings.New("MOD303", d.place(protocol), protocol, scheme))
	}
	return list
}
