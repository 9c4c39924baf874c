package facts

import "slices"

// Secrets returns the names of Secrets that an object refers to, anywhere in it, sorted.
func Secrets(object map[string]any) []string {
	var names []string
	walkSecrets(object, func(name any) {
		if text, ok := name.(string); ok && text != "" && !slices.Contains(names, text) {
			names = append(names, text)
		}
	})
	slices.Sort(names)
	return names
}

func walkSecrets(node any, add func(name any)) {
	switch at := node.(type) {
	case map[string]any:
		for key, value := range at {
			fields, _ := value.(map[string]any)
			switch key {
			case "secretKeyRef", "secretRef", "caCertSecret", "clientCertSecret", "clientKeySecret", "accessKeySecret", "secretKeySecret":
				add(fields["name"])
			case "secret":
				add(fields["name"]) // of a projected volume
			case "secretName":
				add(value)
			case "imagePullSecrets":
				list, _ := value.([]any)
				for _, item := range list {
					entry, _ := item.(map[string]any)
					add(entry["name"])
				}
			}
			walkSecrets(value, add)
		}
	case []any:
		for _, item := range at {
			walkSecrets(item, add)
		}
	}
}
