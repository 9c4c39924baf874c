package facts

import (
	"maps"
	"slices"
	"strings"
)

func (m *maker) service(spec fields) {
	m.add("servicePort", "(type)", spec.or("type", "ClusterIP"))
	if address := spec.text("clusterIP"); address != "" {
		m.add("servicePort", "(clusterIP)", address)
	}
	selector := spec.sub("selector")
	m.each("selector", selector)
	for _, port := range spec.subs("ports") {
		target, ok := port["targetPort"]
		if !ok {
			target = port["port"]
		}
		if name, ok := target.(string); ok {
			target = m.around.port(selector, name)
		}
		m.add("servicePort", port.text("port"), "name="+port.or("name", "-")+" target="+text(target)+" protocol="+port.or("protocol", "TCP"))
	}
}

func (m *maker) ingress(spec fields) {
	m.add("route", "ingressClassName", spec["ingressClassName"])
	for _, tls := range spec.subs("tls") {
		m.add("route", "tls "+strings.Join(tls.texts("hosts"), ","), tls["secretName"])
	}
	for _, rule := range spec.subs("rules") {
		for _, path := range rule.sub("http").subs("paths") {
			backend := path.sub("backend").sub("service")
			port := backend.sub("port")
			m.add("route", rule.or("host", "None")+" "+path.text("path"), path.text("pathType")+" to "+backend.text("name")+":"+port.or("number", port.text("name")))
		}
	}
}

func (m *maker) httpRoute(spec fields) {
	for _, parent := range spec.subs("parentRefs") {
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(parent)) {
			parts = append(parts, key+"="+parent.text(key))
		}
		m.add("route", "parent "+parent.text("name"), strings.Join(parts, ","))
	}
	for _, host := range spec.texts("hostnames") {
		m.add("route", "hostname", host)
	}
	for _, rule := range spec.subs("rules") {
		var backends []string
		for _, backend := range rule.subs("backendRefs") {
			backends = append(backends, backend.text("name")+":"+backend.text("port"))
		}
		for _, match := range rule.subs("matches") {
			path := match.sub("path")
			m.add("route", path.text("value"), path.text("type")+" to "+strings.Join(backends, ","))
		}
	}
}
