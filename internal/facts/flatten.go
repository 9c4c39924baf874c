package facts

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// document is one object with the facts that depend on it alone.
type document struct {
	kind, object, namespace string
	facts                   map[string]string
	data                    map[string]string // of a ConfigMap, by key
	content                 tree              // of a role or a binding
}

func (d *document) name() string { return d.kind + "/" + d.object }

// tree is a JSON object. A missing field, or one of another type, is read as empty.
type tree map[string]any

func (t tree) sub(key string) tree { sub, _ := t[key].(map[string]any); return sub }

func (t tree) text(key string) string {
	if t[key] == nil {
		return ""
	}
	return scalar(t[key])
}

func (t tree) subs(key string) []tree {
	var all []tree
	list, _ := t[key].([]any)
	for _, item := range list {
		if each, ok := item.(map[string]any); ok {
			all = append(all, each)
		}
	}
	return all
}

func (t tree) texts(key string) []string {
	list, _ := t[key].([]any)
	all := make([]string, len(list))
	for i, item := range list {
		all[i] = scalar(item)
	}
	return all
}

func (t tree) without(keys ...string) tree {
	rest := maps.Clone(t)
	for _, key := range keys {
		delete(rest, key)
	}
	return rest
}

func flatten(object tree) *document {
	metadata := object.sub("metadata")
	d := &document{kind: object.text("kind"), object: metadata.text("name"), namespace: metadata.text("namespace"), facts: map[string]string{}}
	d.leaf("apiVersion", object["apiVersion"])
	d.leaf("namespace", metadata["namespace"])
	d.entries("label.", metadata.sub("labels"))
	d.entries("annotation.", metadata.sub("annotations"))
	spec := object.sub("spec")
	rest := object.without("apiVersion", "kind", "metadata", "status")
	switch d.kind {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job":
		d.add("spec", map[string]any(spec.without("template")))
		d.pod(spec.sub("template"))
	case "CronJob":
		d.add("spec", map[string]any(spec.without("jobTemplate")))
		d.add("job", map[string]any(spec.sub("jobTemplate").sub("spec").without("template")))
		d.pod(spec.sub("jobTemplate").sub("spec").sub("template"))
	case "Service":
		for _, port := range spec.subs("ports") {
			d.servicePort(port)
		}
		d.add("spec", map[string]any(spec.without("ports")))
	case "ConfigMap":
		d.configMap(object)
	case "Secret":
		d.secret(object)
	case "Role", "ClusterRole":
		d.content = rest
		d.add("aggregationRule", object["aggregationRule"])
	case "RoleBinding", "ClusterRoleBinding":
		d.content = rest
		d.add("roleRef", object["roleRef"])
	default:
		for key, value := range rest {
			d.add(key, value)
		}
	}
	return d
}

// entries adds the entries of a map of strings.
func (d *document) entries(prefix string, from tree) {
	for key, value := range from {
		d.leaf(prefix+key, value)
	}
}

// leaf adds a scalar; null is no fact.
func (d *document) leaf(path string, value any) {
	if value != nil {
		d.facts[path] = scalar(value)
	}
}

// add adds a value and what is below it. The items of a list are identified by their names if they are unique. Empty lists and maps are facts.
func (d *document) add(path string, value any) {
	switch at := value.(type) {
	case map[string]any:
		if len(at) == 0 && strings.Contains(path, ".") {
			d.facts[path] = "{}"
		}
		for key, below := range at {
			d.add(path+"."+key, below)
		}
	case []any:
		if len(at) == 0 {
			d.facts[path] = "[]"
		}
		for i, name := range names(at) {
			d.add(path+"["+name+"]", at[i])
		}
	case string:
		d.text(path, at)
	default:
		d.leaf(path, value)
	}
}

func names(list []any) []string {
	named, numbers := make([]string, len(list)), make([]string, len(list))
	unique := true
	for i, item := range list {
		each, _ := item.(map[string]any)
		named[i], _ = each["name"].(string)
		numbers[i] = strconv.Itoa(i)
		unique = unique && named[i] != "" && !slices.Contains(named[:i], named[i])
	}
	if unique {
		return named
	}
	return numbers
}

// pod adds the facts of a pod template.
func (d *document) pod(template tree) {
	d.entries("podLabel.", template.sub("metadata").sub("labels"))
	d.entries("podAnnotation.", template.sub("metadata").sub("annotations"))
	spec := template.sub("spec")
	d.add("pod", map[string]any(spec.without("containers", "initContainers", "volumes")))
	volumes, mounted := map[string]string{}, map[string]bool{}
	for _, volume := range spec.subs("volumes") {
		volumes[volume.text("name")] = compact(map[string]any(volume.without("name")))
	}
	for _, list := range []struct{ field, prefix string }{{"initContainers", "init"}, {"containers", "c"}} {
		for _, container := range spec.subs(list.field) {
			d.container(fmt.Sprintf("%s[%s].", list.prefix, container.text("name")), container, volumes, mounted)
		}
	}
	for name, volume := range volumes {
		if !mounted[name] {
			d.facts["volume(unmounted)."+volume] = "yes"
		}
	}
}

func (d *document) container(at string, container tree, volumes map[string]string, mounted map[string]bool) {
	for _, variable := range container.subs("env") {
		d.facts[at+"env."+variable.text("name")] = value(variable)
	}
	for _, mount := range container.subs("volumeMounts") {
		text := volumes[mount.text("name")]
		if text == "" {
			text = "claim " + mount.text("name")
		}
		if mount["readOnly"] == true {
			text += " ro"
		}
		for _, key := range []string{"subPath", "subPathExpr", "mountPropagation", "recursiveReadOnly"} {
			if mount[key] != nil {
				text += " " + key + "=" + mount.text(key)
			}
		}
		d.facts[at+"mount."+mount.text("mountPath")] = text
		mounted[mount.text("name")] = true
	}
	for _, port := range container.subs("ports") {
		d.facts[at+"port."+port.text("containerPort")+"/"+or(port.text("protocol"), "TCP")] = port.text("name")
	}
	if container["command"] != nil {
		d.facts[at+"command"] = compact(container["command"])
	}
	d.arguments(at+"args", container.texts("args"))
	for key, below := range container.without("name", "env", "volumeMounts", "ports", "command", "args") {
		d.add(at+key, below)
	}
}

// arguments adds a fact for each flag, with the word that follows it as its value if it has none, and for each other word.
func (d *document) arguments(at string, words []string) {
	others := 0
	for i := 0; i < len(words); i++ {
		name, value, given := strings.Cut(words[i], "=")
		if !strings.HasPrefix(name, "-") || strings.ContainsAny(name, " \n") {
			d.facts[fmt.Sprintf("%s[%d]", at, others)] = words[i]
			others++
			continue
		}
		if !given && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			i++
			value = words[i]
		} else if !given {
			value = "(given)"
		}
		if before, twice := d.facts[at+"."+name]; twice {
			value = before + " " + value
		}
		d.facts[at+"."+name] = value
	}
}

// value returns the value of a variable, or where it comes from.
func value(variable tree) string {
	from := variable.sub("valueFrom")
	for _, source := range []struct{ field, prefix string }{{"secretKeyRef", "secret "}, {"configMapKeyRef", configMap}} {
		if reference := from.sub(source.field); reference != nil {
			text := source.prefix + reference.text("name") + "/" + reference.text("key")
			if reference["optional"] == true {
				text += "?"
			}
			return text
		}
	}
	if from != nil {
		return compact(map[string]any(from))
	}
	return "=" + variable.text("value")
}

func (d *document) servicePort(port tree) {
	text := port.text("name") + " -> " + or(port.text("targetPort"), port.text("port")) + " " + or(port.text("protocol"), "TCP")
	for _, key := range []string{"nodePort", "appProtocol"} {
		if port[key] != nil {
			text += " " + key + "=" + port.text(key)
		}
	}
	path := "port." + port.text("port")
	if _, twice := d.facts[path]; twice {
		path += "/" + or(port.text("protocol"), "TCP")
	}
	d.facts[path] = text
}

func (d *document) configMap(object tree) {
	d.data = map[string]string{}
	for key, content := range object.sub("data") {
		text := scalar(content)
		d.data[key] = text
		d.text("data."+key, text)
	}
	d.entries("binaryData.", object.sub("binaryData"))
	d.leaf("immutable", object["immutable"])
}

// text adds a text, or the fields of one with several lines that is YAML, JSON or an INI file.
func (d *document) text(path, text string) {
	trimmed := strings.TrimSpace(text)
	first, _, several := strings.Cut(trimmed, "\n")
	if !several {
		d.facts[path] = text
		return
	}
	if strings.HasPrefix(first, "[") && strings.HasSuffix(first, "]") {
		d.sections(path, trimmed)
		return
	}
	var parsed any
	parse := yaml.Unmarshal
	if strings.HasPrefix(first, "[") || strings.HasPrefix(first, "{") { // YAML would take a part of the text
		parse = func(text []byte, into any, _ ...yaml.JSONOpt) error { return json.Unmarshal(text, into) }
	}
	if err := parse([]byte(text), &parsed); err == nil {
		switch parsed.(type) {
		case map[string]any, []any:
			d.add(path, parsed)
			return
		}
	}
	d.facts[path] = text
}

// sections adds the settings of an INI file.
func (d *document) sections(path, text string) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
		} else if key, value, ok := strings.Cut(line, "="); ok && !strings.ContainsAny(line[:1], "#;") {
			d.facts[path+"."+section+" "+strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
}

// secret adds the decoded content of a Secret.
func (d *document) secret(object tree) {
	d.leaf("type", or(object.text("type"), "Opaque"))
	d.leaf("immutable", object["immutable"])
	for key, content := range object.sub("data") {
		text := scalar(content)
		if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
			text = string(decoded)
		}
		d.facts["data."+key] = text
	}
	d.entries("data.", object.sub("stringData"))
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// scalar returns a scalar as YAML prints it, anything else as JSON.
func scalar(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return compact(value)
}

func compact(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSpace(out.String())
}
