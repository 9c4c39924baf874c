{{/*
common.context: the data about a chart that its templates share, as JSON.
Arguments: chart, release, values (nameOverride, fullnameOverride, namespaceOverride, global, commonLabels, apiVersionOverrides), partOf,
selector (labels that select a component's pods instead of its name and the release), labels (of every object), singleNamespace (whether
the chart is limited to its namespace), outside (added to the table of common.outside).
*/}}
{{- define "common.context" -}}
{{- $v := .values -}}
{{- $name := default .chart.Name $v.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- $fullname := ternary .release.Name (printf "%s-%s" .release.Name $name) (contains $name .release.Name) -}}
{{- dict
  "name" $name
  "fullname" (default $fullname $v.fullnameOverride | trunc 63 | trimSuffix "-")
  "namespace" (default .release.Namespace $v.namespaceOverride)
  "release" .release.Name
  "releaseNamespace" .release.Namespace
  "managedBy" .release.Service
  "chart" (printf "%s-%s" .chart.Name .chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")
  "version" .chart.AppVersion
  "partOf" (default .chart.Name .partOf)
  "selector" (.selector | default dict)
  "labels" (include "common.layered" (list .labels $v.commonLabels ($v.global).additionalLabels) | fromJson)
  "global" ($v.global | default dict)
  "apiVersions" ($v.apiVersionOverrides | default dict)
  "singleNamespace" (.singleNamespace | default false)
  "outside" (.outside | default dict)
| toJson -}}
{{- end -}}

{{/*
common.fullname: the name of a component's object, of at most limit characters (default 63); the component's name is not shortened.
Arguments: context, name (may be empty), limit.
*/}}
{{- define "common.fullname" -}}
{{- $limit := .limit | default 63 | int -}}
{{- if .name -}}
{{- printf "%s-%s" (.context.fullname | trunc (int (sub $limit (add1 (len .name)))) | trimSuffix "-") .name -}}
{{- else -}}
{{- .context.fullname | trunc $limit | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/*
common.clusterName: the name of a cluster-scoped object; it contains the namespace, so that no two releases use the same name.
Arguments: context, name.
*/}}
{{- define "common.clusterName" -}}
{{- printf "%s-%s" .context.namespace (include "common.fullname" (dict "context" .context "name" .name "limit" 180)) -}}
{{- end -}}

{{/* common.componentName: the name of a component's objects. Arguments: a component (context, facts). */}}
{{- define "common.componentName" -}}
{{- $limit := ternary 52 63 (eq (default "Deployment" .facts.kind) "StatefulSet") -}}
{{- default (include "common.fullname" (dict "context" .context "name" .facts.name "limit" $limit)) .facts.fullname -}}
{{- end -}}

{{/*
common.compact: a map as JSON without the keys whose value is null, "", {} or []; numbers and booleans are kept.
Arguments: the map.
*/}}
{{- define "common.compact" -}}
{{- $kept := dict -}}
{{- $omitted := list "invalid" "string" "map" "slice" -}}
{{- range $key, $value := . -}}
{{- if or $value (not (has (kindOf $value) $omitted)) }}{{ $_ := set $kept $key $value }}{{ end -}}
{{- end -}}
{{- toJson $kept -}}
{{- end -}}

{{/*
common.firstSet: {"value": ...} as JSON: the first item of a list that is not null; 0, false and empty values count.
Arguments: the list.
*/}}
{{- define "common.firstSet" -}}
{{- $set := dict -}}
{{- range . }}{{ if and (not (hasKey $set "value")) (not (kindIs "invalid" .)) }}{{ $_ := set $set "value" . }}{{ end }}{{ end -}}
{{- toJson $set -}}
{{- end -}}

{{/* common.firstNumber: common.firstSet of whole numbers, which may be in quotes. Arguments: the list. */}}
{{- define "common.firstNumber" -}}
{{- $set := include "common.firstSet" . | fromJson -}}
{{- if kindIs "string" $set.value }}{{ $_ := set $set "value" (int64 $set.value) }}{{ end -}}
{{- toJson $set -}}
{{- end -}}

{{/* common.scalar: a text as YAML, quoted if it could be parsed as another type. Arguments: the text. */}}
{{- define "common.scalar" -}}
{{- $words := list "true" "false" "null" "yes" "no" "on" "off" "y" "n" -}}
{{- $plain := and (regexMatch "^[A-Za-z][A-Za-z0-9._/-]*$" (toString .)) (not (has (lower (toString .)) $words)) -}}
{{- if $plain }}{{ . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end -}}

{{/*
common.layered: several maps merged into one, as JSON. The first map with a key takes precedence, even if the value is 0, false or empty; a
null value is ignored. Arguments: the list of maps; null maps are omitted.
*/}}
{{- define "common.layered" -}}
{{- $made := dict -}}
{{- range . }}{{ range $key, $value := . -}}
{{- if not (or (hasKey $made $key) (kindIs "invalid" $value)) }}{{ $_ := set $made $key $value }}{{ end -}}
{{- end }}{{ end -}}
{{- toJson $made -}}
{{- end -}}

{{/* common.joined: the items of several lists as one JSON list; null and empty lists are omitted. Arguments: the list of lists. */}}
{{- define "common.joined" -}}
{{- $items := list -}}
{{- range . }}{{ $items = concat $items (. | default list) }}{{ end -}}
{{- toJson $items -}}
{{- end -}}

{{/*
common.evaluated: {"value": ...} as JSON: a value with the templates in its texts evaluated.
Arguments: value, root (only for tpl; without it nothing is evaluated).
*/}}
{{- define "common.evaluated" -}}
{{- $value := dict "value" .value -}}
{{- $text := toYaml $value -}}
{{- if and .root (contains "{{" $text) }}{{ $value = tpl $text .root | fromYaml }}{{ end -}}
{{- with $value.Error }}{{ fail (printf "\na template in a value does not make YAML: %s" .) }}{{ end -}}
{{- toJson $value -}}
{{- end -}}

{{/*
common.text: a scalar as text. Numbers in values files are floating-point: a large integer would otherwise become 1e+06.
Arguments: the scalar.
*/}}
{{- define "common.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ toString . }}{{ end -}}
{{- end -}}
