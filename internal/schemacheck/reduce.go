package schemacheck

import "maps"

// reduce keeps only the parts of a plain rule that a value may violate: every part that is certainly valid becomes true. The violations of the reduced
// rule are those of the whole, and it compiles in a fraction of the time.
func reduce(rule, value any) any {
	keywords, isMap := rule.(map[string]any)
	if !isMap {
		return rule
	}
	if fits(rule, value) {
		return true
	}
	reduced := maps.Clone(keywords)
	delete(reduced, "title")
	delete(reduced, "description")
	if properties, has := keywords["properties"].(map[string]any); has {
		held, _ := value.(map[string]any)
		inner := make(map[string]any, len(properties))
		for name, property := range properties {
			inner[name] = true // keep the name, which typos are compared with
			if below, given := held[name]; given {
				inner[name] = reduce(property, below)
			}
		}
		reduced["properties"] = inner
	}
	if rule, has := keywords["items"]; has && fitsKeyword("items", rule, keywords, value) {
		reduced["items"] = true
	}
	for _, branch := range []string{"then", "else"} {
		if rule, has := keywords[branch]; has {
			reduced[branch] = reduce(rule, value)
		}
	}
	return reduced
}
