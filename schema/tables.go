package schema

import (
	"maps"
	"slices"
)

// requireTables makes the schema reject merged values that lack a table of settings. Helm removes a table with its defaults if a values file has its key
// with nothing below it (`app-proxy:`), and --reuse-values does not know the tables that a newer chart adds: templates would fail on missing settings,
// with Go's error message. Maps that accept any key, and empty ones, may be missing.
//
// It does not apply to a values file alone, as editors validate it: a file has fewer keys than the merged values.
func requireTables(node, tables Node) {
	if tables["properties"] == nil {
		return
	}
	node["if"] = Node{"minProperties": tables["keys"]}
	delete(tables, "keys")
	node["then"] = tables
}

// rootTables returns the tables that the chart's values always contain, as a schema; its "keys" is the number of keys that distinguishes merged
// values from a user's file. For a subchart, whose own schema requires its tables, it requires only `enabled`.
func rootTables(node Node, subcharts []string) Node {
	properties, _ := node["properties"].(Node)
	own := maps.Clone(properties)
	switches := Node{}
	for _, key := range subcharts {
		subchart, _ := own[key].(Node)
		delete(own, key)
		if known, _ := subchart["properties"].(Node); known["enabled"] != nil {
			switches[key] = Node{"required": []any{"enabled"}}
		}
	}
	tables := tablesOf(own)
	if len(switches) > 0 {
		tables["properties"] = merged(tables["properties"], switches)
	}
	// Merged values have all of them except those that were removed; a file for every image of the umbrella has three quarters of them.
	tables["keys"] = max(2, (4*len(properties)+4)/5)
	return tables
}

// tablesOf returns the tables among properties: those that have settings and accept no others.
func tablesOf(properties Node) Node {
	within, required := Node{}, []any{}
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		child, _ := properties[key].(Node)
		settings, _ := child["properties"].(Node)
		if len(settings) == 0 || child["additionalProperties"] != false {
			continue
		}
		required = append(required, key)
		if below := tablesOf(settings); len(below) > 0 {
			within[key] = below
		}
	}
	if len(required) == 0 {
		return Node{}
	}
	return Node{"required": required, "properties": within}
}

func merged(tables any, more Node) Node {
	all, _ := tables.(Node)
	if all == nil {
		all = Node{}
	}
	maps.Copy(all, more)
	return all
}
