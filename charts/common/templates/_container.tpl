{{/*
common.env: {"env": [...]} as JSON. Later entries replace earlier ones of the same name.
Arguments: layers, a list of lists ({name, value|valueFrom}) or maps (NAME: value, or NAME: {valueFrom: ...}).
*/}}
{{- define "common.env" -}}
{{- $order := list -}}{{- $byName := dict -}}
{{- range $layer := .layers -}}
{{- if kindIs "map" $layer -}}
{{- range $name, $value := $layer -}}
{{- $order = append $order $name -}}
{{- if kindIs "map" $value -}}
{{- $_ := set $byName $name (merge (dict "name" $name) $value) -}}
{{- else -}}
{{- $_ := set $byName $name (dict "name" $name "value" (include "common.text" $value)) -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- range $layer }}{{ $order = append $order .name }}{{ $_ := set $byName .name . }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $env := list -}}
{{- range $order | uniq }}{{ $env = append $env (get $byName .) }}{{ end -}}
{{- dict "env" $env | toJson -}}
{{- end -}}

{{/*
common.proxyEnv: the proxies of global as environment variables, as a JSON map. Connections in the cluster bypass them: to the API server,
to Services by names that end with .svc or .cluster.local, and to the given hosts. Arguments: global, noProxy (a list of hosts; optional).
*/}}
{{- define "common.proxyEnv" -}}
{{- $direct := compact (list .global.noProxy) -}}
{{- if or .global.httpProxy .global.httpsProxy -}}
{{- $direct = concat $direct (list "localhost" "127.0.0.1" "::1" "$(KUBERNETES_SERVICE_HOST)" ".svc" ".cluster.local") -}}
{{- $direct = concat $direct (.noProxy | default list) -}}
{{- end -}}
{{- include "common.compact" (dict
  "HTTP_PROXY" .global.httpProxy
  "HTTPS_PROXY" .global.httpsProxy
  "NO_PROXY" (join "," $direct)
) -}}
{{- end -}}

{{/*
common.probe: a probe, as JSON; {} for none.
Arguments: fact (the component's probe), value (the user's changes; enabled: false removes the probe; httpPath, httpPort and httpScheme
change an HTTP probe), others (the component's other probes: if it has none of this kind and the user's changes contain no handler, the
first handler of these is used). A handler of the user replaces the component's.
*/}}
{{- define "common.probe" -}}
{{- $value := .value | default dict -}}
{{- $fact := .fact -}}
{{- if omit $value "enabled" -}}
{{- range prepend (.others | default list) $value -}}
{{- if not $fact }}{{ $fact = include "common.compact" (pick (. | default dict) "exec" "grpc" "httpGet" "tcpSocket") | fromJson }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if and $fact (ne (toString $value.enabled) "false") -}}
{{- range $handler := list "exec" "grpc" "httpGet" "tcpSocket" -}}
{{- if and (get $value $handler) (not (hasKey $fact $handler)) }}{{ $fact = omit $fact "exec" "grpc" "httpGet" "tcpSocket" }}{{ end -}}
{{- end -}}
{{- $probe := mergeOverwrite $fact (include "common.compact" (omit $value "enabled" "httpPath" "httpPort" "httpScheme") | fromJson) -}}
{{- if $probe.httpGet -}}
{{- $get := include "common.compact" (dict "port" $value.httpPort "scheme" $value.httpScheme) | fromJson -}}
{{- $get = include "common.layered" (list $get (dict "path" $value.httpPath)) | fromJson -}}
{{- $_ := set $probe "httpGet" (mergeOverwrite $probe.httpGet $get) -}}
{{- end -}}
{{- toJson $probe -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{/*
common.securityContext: the default container security context (Pod Security level restricted), as JSON.
Arguments: writableRoot (whether the program may write to the file system of its image).
*/}}
{{- define "common.securityContext" -}}
{{- $context := dict
  "allowPrivilegeEscalation" false
  "capabilities" (dict "drop" (list "ALL"))
  "runAsNonRoot" true
  "seccompProfile" (dict "type" "RuntimeDefault")
-}}
{{- if not .writableRoot }}{{ $_ := set $context "readOnlyRootFilesystem" true }}{{ end -}}
{{- toJson $context -}}
{{- end -}}

{{/*
common.resources: requests and limits of an additional container of a component, as JSON: the user's or, if these are null, the default
requests. Arguments: values (resources), cpu, memory (default requests).
*/}}
{{- define "common.resources" -}}
{{- $default := dict "requests" (dict "cpu" .cpu "memory" .memory) -}}
{{- (include "common.firstSet" (list .values $default) | fromJson).value | toJson -}}
{{- end -}}

{{/*
common.container: a component's main container, as JSON.
Arguments: a component (context, facts, values).
*/}}
{{- define "common.container" -}}
{{- $f := .facts -}}{{- $v := .values -}}{{- $g := .context.global -}}
{{- $scratch := list -}}
{{- range $i, $path := $f.scratch }}{{ $scratch = append $scratch (dict "name" (printf "scratch-%d" $i) "mountPath" $path) }}{{ end -}}
{{- $security := ternary dict (include "common.securityContext" (pick $f "writableRoot") | fromJson) (default false $f.unhardened) -}}
{{- range list $f.securityContext $v.securityContext $v.containerSecurityContext -}}
{{- $security = mergeOverwrite $security (. | default dict) -}}
{{- end -}}
{{- $proxies := include "common.proxyEnv" (dict "global" $g "noProxy" .context.noProxy) | fromJson -}}
{{- $mounts := list $scratch $f.volumeMounts $g.extraVolumeMounts $v.volumeMounts $v.extraVolumeMounts -}}
{{- $probes := list $f.livenessProbe $f.readinessProbe -}}
{{- $container := dict
  "name" (default $f.name $f.containerName)
  "image" (include "common.image" (dict "global" $g "images" $f.images "tag" .context.version))
  "imagePullPolicy" (include "common.imagePullPolicy" (dict "images" $f.images))
  "command" $f.command
  "args" (concat ($f.args | default list) ($v.extraArgs | default list))
  "env" (include "common.env" (dict "layers" (list $proxies $f.env $g.env $v.env $v.extraEnv)) | fromJson).env
  "envFrom" (concat ($f.envFrom | default list) ($v.envFrom | default list) ($v.extraEnvFrom | default list))
  "ports" $f.ports
  "livenessProbe" (include "common.probe" (dict "fact" $f.livenessProbe "value" $v.livenessProbe "others" $probes) | fromJson)
  "readinessProbe" (include "common.probe" (dict "fact" $f.readinessProbe "value" $v.readinessProbe "others" $probes) | fromJson)
  "startupProbe" (include "common.probe" (dict "fact" $f.startupProbe "value" $v.startupProbe "others" $probes) | fromJson)
  "lifecycle" (include "common.firstSet" (list $v.lifecycle $f.lifecycle) | fromJson).value
  "resources" (include "common.firstSet" (list $v.resources $f.resources) | fromJson).value
  "securityContext" $security
  "terminationMessagePolicy" $f.terminationMessagePolicy
  "volumeMounts" (include "common.joined" $mounts | fromJsonArray)
-}}
{{- include "common.compact" $container -}}
{{- end -}}
