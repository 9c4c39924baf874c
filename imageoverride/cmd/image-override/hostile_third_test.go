//go:build !race

package main_test

import "fmt"

// renders returns charts of which no single step takes long, and all steps together take hours: the limits that hold without --render-time.
func renders() []input {
	const tooLong = "this run takes more than 4.5s of CPU time"
	loop := func(name, before, step string) input {
		return input{name, template(before + `{{ range until 900000 }}{{ $_ := ` + step + ` }}{{ end }}`), nil, 1, tooLong}
	}
	nested := func(levels int) string {
		text := "1"
		for range levels {
			text = "dict \"a\" (" + text + ") \"b\" (list 1 2 3)"
		}
		return text
	}
	slow := `{{ $x := repeat 20000000 "x" }}{{ range until 100 }}{{ $_ := sha256sum $x }}{{ end }}` + "\n"
	images, values := "", ""
	for i := range 60 {
		images += fmt.Sprintf("{{ if .Values.s%d.enabled }}\n---\n"+pod+"{{ end }}", i, fmt.Sprintf("{{ .Values.s%d.image }}", i))
		values += fmt.Sprintf("s%d: {enabled: true, image: 'quay.io/a/b%d:1'}\n", i, i)
	}
	return []input{
		loop("passwords derived from passwords", "", `derivePassword 1 "long" "a" "b" "c"`),
		loop("YAML of a map, read again", `{{ $x := `+nested(40)+` }}`, `$x | toYaml | fromYaml`),
		loop("merged maps", `{{ $x := `+nested(40)+` }}`, `mergeOverwrite (deepCopy $x) (deepCopy $x)`),
		loop("texts with replaced parts", `{{ $x := repeat 20000 "abc" }}`, `regexReplaceAll "(a|b|c)+?" $x "$1"`),
		loop("templates in values", `{{ $x := repeat 400 "{{ if false }}a{{ end }}" }}`, `tpl $x $`),
		loop("patterns for the names of files", "", `$.Files.Glob "**"`),
		loop("distances of words", `{{ $x := repeat 5000 "ab" }}`, `contains (reverse (splitList "" $x) | join "") $x`),
		{"a slow chart with sixty switches", with(template(slow+images), "values.yaml", values), nil, 1, tooLong},
	}
}
