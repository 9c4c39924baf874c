package published

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

// workload returns the spec of a Deployment or StatefulSet. The table has no selectors of dependencies: the community charts select by name and
// instance, as the selectors of their Services in the table do.
func workload(name facts.Object, from source, options Options) (map[string]any, error) {
	selector, podLabels := values(from.of("selector")), values(from.of("podLabel"))
	if len(selector) == 0 {
		selector["app.kubernetes.io/name"] = podLabels["app.kubernetes.io/name"]
		if name.Name != "argo-cd-redis" { // whose Deployment selects only by name there
			selector["app.kubernetes.io/instance"] = podLabels["app.kubernetes.io/instance"]
		}
	}
	maps.Copy(podLabels, selector)
	var containers []any
	for _, container := range from.containers() {
		made, err := containerOf(container, from, options)
		if err != nil {
			return nil, err
		}
		containers = append(containers, made)
	}
	if len(containers) == 0 {
		return nil, fmt.Errorf("it has no container")
	}
	spec := map[string]any{
		"replicas": int64(1), "selector": map[string]any{"matchLabels": selector},
		"template": template(podLabels, cmp.Or(from.of("serviceAccount")["name"], "default"), containers...),
	}
	if name.Kind == "StatefulSet" {
		spec["serviceName"], spec["revisionHistoryLimit"] = name.Name, int64(5) // as the community's chart of Argo CD has them
	}
	return spec, nil
}

// template returns a pod template of the Pod Security level restricted.
func template(labels map[string]any, account string, containers ...any) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"labels": labels},
		"spec": map[string]any{
			"serviceAccountName": account, "automountServiceAccountToken": false,
			"containers":      containers,
			"securityContext": map[string]any{"runAsNonRoot": true, "runAsUser": int64(65532), "seccompProfile": map[string]any{"type": "RuntimeDefault"}},
		},
	}
}

// containerOf returns a container with the ports of the contract.
func containerOf(name string, from source, options Options) (map[string]any, error) {
	ports := map[string]int64{}
	for port, declared := range from.ofContainer(name, "port") {
		number, protocol, _ := strings.Cut(declared, "/")
		parsed, err := strconv.ParseInt(number, 10, 32)
		if err != nil || protocol != "TCP" {
			return nil, fmt.Errorf("the port %s of the container %s is %q and not NUMBER/TCP", port, name, declared)
		}
		ports[port] = parsed
	}
	return standInContainer(name, ports, options.Image), nil
}

// standInContainer returns a container whose stand-in listens on ports.
func standInContainer(name string, ports map[string]int64, image string) map[string]any {
	arguments, declared := []any{"health", "-listen", ":12345"}, []any{} // one port at least
	for _, port := range slices.Sorted(maps.Keys(ports)) {
		declared = append(declared, map[string]any{"name": port, "containerPort": ports[port], "protocol": "TCP"})
		arguments = append(arguments, "-listen", fmt.Sprintf(":%d", ports[port]))
	}
	return map[string]any{
		"name": name, "image": image, "args": arguments, "ports": declared,
		"resources":       map[string]any{"requests": map[string]any{"cpu": "10m", "memory": "16Mi"}},
		"securityContext": map[string]any{"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}}},
	}
}

// service returns the spec of a Service; a port's value is "name=http target=8080 protocol=TCP".
func service(from source) (map[string]any, error) {
	rows := from.of("servicePort")
	spec := map[string]any{"selector": values(from.of("selector")), "type": cmp.Or(rows["(type)"], "ClusterIP")}
	if address := rows["(clusterIP)"]; address != "" {
		spec["clusterIP"] = address
	}
	var ports []any
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		if strings.HasPrefix(key, "(") {
			continue
		}
		number, err := strconv.ParseInt(key, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("the port %q is not a number", key)
		}
		port := map[string]any{"port": number}
		for field := range strings.FieldsSeq(rows[key]) {
			what, value, _ := strings.Cut(field, "=")
			switch {
			case what == "name" && value != "-":
				port["name"] = value
			case what == "protocol":
				port["protocol"] = value
			case what == "target":
				port["targetPort"] = target(value)
			}
		}
		ports = append(ports, port)
	}
	spec["ports"] = ports
	return spec, nil
}

// target returns a target port: a number or a name.
func target(text string) any {
	if number, err := strconv.ParseInt(text, 10, 32); err == nil {
		return number
	}
	return text
}
