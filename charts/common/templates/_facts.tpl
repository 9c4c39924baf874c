{{/*
common.facts: the facts of a component, parsed and checked, as JSON. Facts that do not parse (fromYaml returns the error under the key
Error), a key that no template reads, and a value of the wrong type fail the render with a message that names the component and the error:
a value that is inserted without quotes, such as `a: b`, becomes a map or breaks the YAML. Arguments: context, facts (YAML text).
*/}}
{{- define "common.facts" -}}
{{- $facts := fromYaml .facts -}}
{{- $name := regexFind "(?m)^(full)?name: .*$" .facts | splitList ": " | last | trimAll "\"" -}}
{{- $component := printf "chart %s, component %q" .context.chart (default .context.fullname $name) -}}
{{- with $facts.Error -}}
{{- /* The parser counts some lines from zero. */ -}}
{{- $lines := splitList "\n" (printf "\n%s\n\n" $.facts) -}}
{{- $number := regexFind "line [0-9]+" . | trimPrefix "line " | default "0" | int | min (sub (len $lines) 2) | int -}}
{{- fail (printf
  (print "\n%s: its facts do not parse: %s, near %q." "\n  fix: put quotes around the value that is inserted there")
  $component . (printf "%s\n%s" (index $lines $number) (index $lines (add1 $number)) | trim)
) -}}
{{- end -}}
{{- include "common.checkFacts" (dict "component" $component "facts" $facts) -}}
{{- toJson $facts -}}
{{- end -}}

{{/*
common.parsed: YAML that a template rendered, as JSON. A parse error fails the render: fromYaml would return it as a map that contains only
the key Error. Arguments: the text of a map.
*/}}
{{- define "common.parsed" -}}
{{- $parsed := fromYaml . -}}
{{- with $parsed.Error -}}
{{- fail (printf
  (print "\na value breaks the YAML that it is inserted into: %s." "\n  fix: remove quotes, colons and line breaks from it")
  .
) -}}
{{- end -}}
{{- toJson $parsed -}}
{{- end -}}

{{/*
common.checkFacts: fails the render if facts have a key that no template reads, or a value of the wrong type. Types are text, number,
boolean, map, list, texts (a list of texts), maps (a list of maps) and env (a list of maps whose value is text); null is valid for every
type. Values are checked without including another template, since every render checks all facts. Arguments: component (its name in
messages), facts (a map).
*/}}
{{- define "common.checkFacts" -}}
{{- $types := include "common.factTypes" . | fromJson -}}
{{- $kinds := dict "text" "string" "number" "float64" "boolean" "bool" "map" "map" "variable" "map" -}}
{{- $items := dict "texts" "text" "maps" "map" "env" "variable" -}}
{{- range $key, $value := .facts -}}
{{- $type := get $types $key -}}
{{- if not $type -}}
{{- fail (printf
  (print "\n%s: %q is not a fact of a component." "\n  fix: use one of those in charts/common/README.md, or add it to common.factTypes")
  $.component $key
) -}}
{{- end -}}
{{- if not (or (kindIs (get $kinds $type | default "slice") $value) (kindIs "invalid" $value)) -}}
{{- include "common.wrongFact" (dict "component" $.component "path" $key "type" $type "value" $value) -}}
{{- end -}}
{{- with get $items $type -}}
{{- $type := . -}}
{{- $kind := get $kinds . -}}
{{- range $i, $item := $value -}}
{{- if not (or (kindIs $kind $item) (kindIs "invalid" $item)) -}}
{{- include "common.wrongFact" (dict "component" $.component "path" (printf "%s[%d]" $key $i) "type" $type "value" $item) -}}
{{- end -}}
{{- if and (eq $type "variable") $item -}}
{{- if not (or (kindIs "string" $item.value) (kindIs "invalid" $item.value)) -}}
{{- include "common.wrongFact" (dict "component" $.component "path" (printf "%s[%d].value" $key $i) "type" "text" "value" $item.value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* common.wrongFact: fails the render because the value of a fact has the wrong type. Arguments: component, path, type, value. */}}
{{- define "common.wrongFact" -}}
{{- fail (printf
  (print "\n%s: the fact %s is not a %s: %s." "\n  fix: put quotes around the value that is inserted there")
  .component .path .type (toJson .value)
) -}}
{{- end -}}

{{/*
common.factTypes: the facts of a component and their types, as JSON. charts/common/README.md describes them. Arguments: none.
*/}}
{{- define "common.factTypes" -}}
{{- dict
  "affinity" "map"
  "annotations" "map"
  "args" "texts"
  "automountServiceAccountToken" "boolean"
  "checksum" "text"
  "clusterRules" "maps"
  "command" "texts"
  "containerName" "text"
  "cronJob" "map"
  "env" "env"
  "envFrom" "maps"
  "fullname" "text"
  "imagePullSecrets" "list"
  "images" "maps"
  "initContainers" "maps"
  "job" "map"
  "kind" "text"
  "lifecycle" "map"
  "livenessProbe" "map"
  "managedNamespace" "text"
  "metrics" "map"
  "name" "text"
  "nodeSelector" "map"
  "namespaced" "boolean"
  "networkPolicy" "map"
  "podAnnotations" "map"
  "podLabels" "map"
  "podManagementPolicy" "text"
  "podSecurityContext" "map"
  "ports" "maps"
  "publishedClusterRules" "maps"
  "publishedRules" "maps"
  "readinessProbe" "map"
  "replicas" "number"
  "resources" "map"
  "rules" "maps"
  "scratch" "texts"
  "securityContext" "map"
  "serviceAccountName" "text"
  "serviceMonitor" "map"
  "serviceName" "text"
  "services" "maps"
  "sidecars" "maps"
  "startupProbe" "map"
  "strategy" "map"
  "terminationGracePeriodSeconds" "number"
  "terminationMessagePolicy" "text"
  "unhardened" "boolean"
  "usesAPI" "boolean"
  "volumeClaimTemplates" "maps"
  "volumeMounts" "maps"
  "volumes" "maps"
  "workloadAnnotations" "map"
  "writableRoot" "boolean"
| toJson -}}
{{- end -}}
