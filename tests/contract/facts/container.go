package facts

import (
	"regexp"
	"strconv"
	"strings"
)

func (m *maker) container(of fields, order string, volumes map[string]fields, mounted map[string]bool) {
	name := of.text("name")
	m.addIn(name, "image", order, of.text("image"))
	literals := m.environment(name, of)
	m.arguments(name, of, literals)
	ports := map[string]string{}
	for _, port := range of.subs("ports") {
		number := port.text("containerPort")
		ports[port.text("name")] = number
		m.addIn(name, "port", port.or("name", number), number+"/"+port.or("protocol", "TCP"))
	}
	for _, which := range []string{"readiness", "liveness", "startup"} {
		m.probe(name, which, of.sub(which+"Probe"), ports)
	}
	for _, mount := range of.subs("volumeMounts") {
		volume := mount.text("name")
		mounted[volume] = true
		source := volumeSource(volumes[volume]) + ":rw"
		if mount.isTrue("readOnly") {
			source = strings.TrimSuffix(source, "rw") + "ro"
		}
		if path := mount.text("subPath"); path != "" {
			source += ":subPath=" + path
		}
		m.addIn(name, "mount", mount.text("mountPath"), source)
	}
	for _, aspect := range []string{"securityContext", "resources"} {
		for path, value := range leaves(of.sub(aspect)) {
			m.addIn(name, aspect, path, value)
		}
	}
}

// environment records the variables of a container and returns what arguments may refer to.
func (m *maker) environment(name string, of fields) map[string]string {
	tag := tagOf(of.text("image"))
	literals := map[string]string{}
	for _, variable := range of.subs("env") {
		value := variableSource(variable)
		if literal, ok := strings.CutPrefix(value, "literal:"); ok {
			if len(tag) > 3 {
				literal = replaceWord(literal, tag, "{imageTag}")
			}
			literals[variable.text("name")], value = literal, "literal:"+literal
		} else if strings.HasPrefix(value, "fieldRef:") {
			literals[variable.text("name")] = "{" + value + "}"
		}
		m.addIn(name, "env", variable.text("name"), value)
	}
	for _, source := range of.subs("envFrom") {
		for _, which := range []string{"configMapRef", "secretRef"} {
			if source.has(which) {
				m.addIn(name, "envFrom", source.sub(which).text("name"), which+optional(source.sub(which)))
			}
		}
	}
	return literals
}

func variableSource(variable fields) string {
	if !variable.has("valueFrom") {
		return "literal:" + variable.text("value")
	}
	source := variable.sub("valueFrom")
	for _, which := range []string{"secretKeyRef", "configMapKeyRef"} {
		if ref := source.sub(which); ref != nil {
			return which + ":" + ref.text("name") + "/" + ref.text("key") + optional(ref)
		}
	}
	if source.has("fieldRef") {
		return "fieldRef:" + source.sub("fieldRef").text("fieldPath")
	}
	return "other:" + text(map[string]any(source))
}

func optional(of fields) string {
	if of.isTrue("optional") {
		return ":optional"
	}
	return ""
}

// tagOf returns the tag of an image; empty without one.
func tagOf(image string) string {
	last := image[strings.LastIndex(image, "/")+1:]
	if _, tag, ok := strings.Cut(last, ":"); ok {
		return tag
	}
	return ""
}

var (
	flag      = regexp.MustCompile(`^(--?[a-zA-Z][\w.-]*)(?:=(.*))?$`)
	reference = regexp.MustCompile(`\$\((\w+)\)`)
)

func (m *maker) arguments(name string, of fields, literals map[string]string) {
	for _, field := range []string{"command", "args"} {
		given := of.texts(field)
		for i, argument := range given {
			if strings.Contains(argument, "\n") {
				argument = "(script)"
			}
			given[i] = reference.ReplaceAllStringFunc(argument, func(variable string) string {
				if value, ok := literals[variable[2:len(variable)-1]]; ok {
					return value
				}
				return variable
			})
		}
		for i := 0; i < len(given); i++ {
			found := flag.FindStringSubmatch(given[i])
			switch {
			case found == nil:
				m.addIn(name, "arg", field+"["+strconv.Itoa(i)+"]", given[i])
			case strings.Contains(given[i], "="):
				m.addIn(name, "arg", found[1], found[2])
			case field == "args" && i+1 < len(given) && !strings.HasPrefix(given[i+1], "-"):
				i++
				m.addIn(name, "arg", found[1], given[i])
			default:
				m.addIn(name, "arg", found[1], "(given)")
			}
		}
	}
}

func (m *maker) probe(name, which string, probe fields, ports map[string]string) {
	if len(probe) == 0 {
		return
	}
	number := func(port string) string {
		if known, ok := ports[port]; ok {
			return known
		}
		return port
	}
	switch {
	case probe.has("httpGet"):
		get := probe.sub("httpGet")
		m.addIn(name, "probe", which, "httpGet "+get.text("path")+" on "+number(get.text("port")))
	case probe.has("tcpSocket"):
		m.addIn(name, "probe", which, "tcp on "+number(probe.sub("tcpSocket").text("port")))
	case probe.has("exec"):
		m.addIn(name, "probe", which, "exec "+strings.Join(probe.sub("exec").texts("command"), " "))
	}
	var timing []string
	for _, key := range []string{"initialDelaySeconds", "periodSeconds", "timeoutSeconds", "successThreshold", "failureThreshold"} {
		if probe.has(key) {
			timing = append(timing, strings.TrimSuffix(key, "Seconds")+"="+probe.text(key))
		}
	}
	m.addIn(name, "probe", which+" timing", strings.Join(timing, ","))
}
