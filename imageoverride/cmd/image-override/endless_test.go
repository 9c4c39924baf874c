//go:build !race

// These tests feed inputs to a process of its own, which is built without the race detector.

package main_test

import (
	"encoding/json"
	"fmt"
)

// limited are the arguments for a chart whose renders may take two seconds each.
func limited() []string {
	return []string{"generate", "CHART", "--registry", "reg.corp", "-o", "out", "--render-time", "2s"}
}

// endless returns templates that a limit on loops does not stop: functions that use much time or memory, and values that contain themselves.
func endless() []input {
	const (
		tooDeep = "takes more than 50 MiB of stack"
		tooLong = "takes more than 2s of CPU time; allow more with --render-time"
		itself  = `{{ $x := dict }}{{ $_ := set $x "a" $x }}`
		double  = `{{ $x := dict "a" 1 }}{{ range until 30 }}{{ $x = dict "a" $x "b" $x }}{{ end }}`
	)
	return []input{
		{"a list that doubles", template(`{{ $x := list 1 }}{{ range until 40 }}{{ $x = concat $x $x }}{{ end }}`), nil, 1, "concat makes more than"},
		{"a text that doubles by printf", template(`{{ $x := "a" }}{{ range until 40 }}{{ $x = printf "%s%s" $x $x }}{{ end }}`), nil, 1, "printf makes more than"},
		{"a text that doubles by cat", template(`{{ $x := "a" }}{{ range until 40 }}{{ $x = cat $x $x }}{{ end }}`), nil, 1, "cat makes more than"},
		{"a wide indentation", template(`a: {{ indent 2000000000 "x" }}`), nil, 1, "indent makes more than"},
		{"a long sequence", template(`a: {{ seq 1 2000000000 }}`), nil, 1, "seq makes more than"},
		{"a long random text", template(`a: {{ randAlphaNum 2000000000 }}`), nil, 1, "a random text makes more than"},
		{"millions of matches", template(`a: {{ regexFindAll "." (repeat 20000000 "x") -1 | len }}`), nil, 1, "regexFindAll makes more than"},
		{"a cyclic map as YAML", template(itself + `a: {{ toYaml $x }}`), nil, 1, tooDeep},
		{"a copy of a cyclic map", template(itself + `a: {{ deepCopy $x }}`), nil, 1, tooDeep},
		{"output of a cyclic map", template(itself + `a: {{ $x }}`), nil, 1, "takes more than"},
		{"a cyclic map as JSON", template(itself + `a: {{ toJson $x }}`), nil, 0, "0 image references"},
		{"an exponential map as JSON", template(double + `a: {{ toJson $x }}`), nil, 1, "toJson makes more than"},
		{"a copy of an exponential map", template(double + `a: {{ deepCopy $x }}`), nil, 1, "takes more than"},
		{"hours of hashes", template(`{{ $x := repeat 20000000 "x" }}{{ range until 5000 }}{{ $y := sha256sum $x }}{{ end }}`), limited(), 1, tooLong},
		{"a deep map", template(`{{ $x := dict }}{{ range until 900000 }}{{ $x = dict "a" $x }}{{ end }}a: {{ $x }}`), nil, 1, "takes more than"},
	}
}

// schemas returns inputs with a values schema.
func schemas() []input {
	chart := func(name string, schema any, code int, want string) input {
		text, isText := schema.(string)
		if !isText {
			data, _ := json.Marshal(schema)
			text = string(data)
		}
		return input{name, map[string]string{"values.yaml": "a: 1\n", "values.schema.json": text}, nil, code, want}
	}
	doubling := map[string]any{"d0": map[string]any{"type": "object"}}
	for i := range 40 {
		below := map[string]any{"$ref": fmt.Sprintf("#/definitions/d%d", i)}
		doubling[fmt.Sprintf("d%d", i+1)] = map[string]any{"allOf": []any{below, below}}
	}
	return []input{
		chart("a schema with exponential references", map[string]any{"definitions": doubling, "$ref": "#/definitions/d40"}, 1, "this run takes more than 4.5s of CPU time"),
		chart("a schema that refers to itself", `{"$ref": "#"}`, 1, "the schema refuses them"),
		chart("a schema with a password", `{"$ref": "http://me:canary@127.0.0.1:1/x.json"}`, 0, "not fetched"),
		chart("a backtracking pattern", `{"properties": {"a": {"pattern": "^(a+)+$"}}}`, 0, "0 image references"),
		chart("a large pattern", `{"patternProperties": {"(a{1000}|b{1000}){50}": {}}}`, 1, ""),
	}
}

// addresses returns inputs with passwords in URLs.
func addresses() []input {
	chart := func(name, address string, code int, want string) input {
		return input{name, nil, []string{"generate", address, "--registry", "reg.corp"}, code, want}
	}
	return []input{
		chart("a chart by HTTPS", "https://me:canary@example.com/c.tgz?token=canary", 1, "https://example.com/c.tgz?..."),
		chart("a chart in a registry", "oci://me:canary@127.0.0.1:1/c:1.0.0", 1, "oci://127.0.0.1:1/c:1.0.0"),
		{"a registry with a password", nil, []string{"generate", "CHART", "--registry", "https://me:canary@reg.corp"}, 2, "has a user"},
		{"a registry with a password and no scheme", nil, []string{"generate", "CHART", "--registry", "me:canary@reg.corp"}, 2, "has a user"},
		{"a prefix with a password", nil, []string{"generate", "CHART", "--registry", "reg.corp", "--map", "quay.io=me:canary@reg.corp"}, 2, "has a user"},
		{"a scenario with a password", nil, []string{"generate", "CHART", "--registry", "reg.corp", "--scenario", "a=http://me:canary@127.0.0.1:1/x.yaml"}, 2, "http://127.0.0.1:1/x.yaml"},
		{"a --set-file URL with a password", nil, []string{"generate", "CHART", "--registry", "reg.corp", "--set-file", "a=http://me:canary@127.0.0.1:1/x"}, 2, "http://127.0.0.1:1/x"},
		{"a dependency with a password", map[string]string{"Chart.yaml": meta("a") + "dependencies: [{name: b, version: 1.0.0, repository: 'https://me:canary@example.com/x?t=canary'}]\n"}, nil, 1, "https://example.com/x?..."},
	}
}
