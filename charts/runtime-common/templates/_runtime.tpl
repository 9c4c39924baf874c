{{/*
runtime.accessMode: the access mode of the runtime: ingress, gateway, tunnel or mesh. Everything that depends on the mode uses this
template. Contradictory or missing values fail the render, with the code that validate-values uses for them.
Arguments: global, tunnelEnabled (the value tunnel-client.enabled).
*/}}
{{- define "runtime.accessMode" -}}
{{- $runtime := .global.runtime | default dict -}}
{{- $ingress := ($runtime.ingress).enabled -}}{{- $gateway := ($runtime.httpRoute).enabled -}}
{{- if and $ingress $gateway -}}
{{- fail "\nMOD101: Both global.runtime.ingress and global.runtime.httpRoute are enabled.\n  fix: set enabled: false in one of the two" -}}
{{- else if $ingress -}}
{{- if not $runtime.ingress.hosts -}}
{{- fail "\nMOD301: Ingress access needs at least one host.\n  fix: --set global.runtime.ingress.hosts={runtime.example.com}" -}}
{{- end -}}
{{- include "runtime.checkHosts" (dict "path" "global.runtime.ingress.hosts" "hosts" $runtime.ingress.hosts) -}}
ingress
{{- else if $gateway -}}
{{- if not $runtime.httpRoute.hostnames -}}
{{- fail (print
  "\nMOD601: Gateway access needs at least one host name."
  "\n  fix: --set global.runtime.httpRoute.hostnames={runtime.example.com}"
) -}}
{{- end -}}
{{- if not $runtime.httpRoute.parentRefs -}}
{{- fail (print
  "\nMOD602: Gateway access needs at least one parent Gateway with a name."
  "\n  fix: set global.runtime.httpRoute.parentRefs[0].name"
) -}}
{{- end -}}
{{- range $i, $parent := $runtime.httpRoute.parentRefs -}}
{{- if not $parent.name -}}
{{- fail (printf
  (print
    "\nMOD602: Gateway access needs at least one parent Gateway with a name."
    "\n  fix: set global.runtime.httpRoute.parentRefs[%d].name"
  )
  $i
) -}}
{{- end -}}
{{- end -}}
{{- include "runtime.checkHosts" (dict "path" "global.runtime.httpRoute.hostnames" "hosts" $runtime.httpRoute.hostnames) -}}
gateway
{{- else if .tunnelEnabled -}}
{{- if not (.global.codefresh).accountId -}}
{{- fail "\nMOD201: Tunnel access needs global.codefresh.accountId.\n  fix: --set global.codefresh.accountId=<account id>" -}}
{{- end -}}
tunnel
{{- else if not $runtime.ingressUrl -}}
{{- fail (print
  "\nMOD102: No access mode is chosen: the tunnel is off, there is no ingress and no HTTPRoute, and global.runtime.ingressUrl is "
  "empty."
  "\n  fix: set global.runtime.ingressUrl=https://<host>, or enable tunnel-client, global.runtime.ingress or "
  "global.runtime.httpRoute"
) -}}
{{- else if not (include "runtime.isURL" $runtime.ingressUrl) -}}
{{- fail (printf
  (print "\nMOD801: global.runtime.ingressUrl is not an http or https URL: %s." "\n  fix: --set global.runtime.ingressUrl=https://<host>")
  (include "runtime.shownURL" $runtime.ingressUrl)
) -}}
{{- else -}}
mesh
{{- end -}}
{{- end -}}

{{/* runtime.isURL: "true" if a text is an http or https URL with a host and without a user. Arguments: the text. */}}
{{- define "runtime.isURL" -}}
{{- if regexMatch "^https?://[^/?#\\s@]+([/?#]\\S*)?$" (toString .) }}true{{ end -}}
{{- end -}}

{{/* runtime.shownURL: a URL for an error message, without user and password. Arguments: the text. */}}
{{- define "runtime.shownURL" -}}
{{- regexReplaceAll "//[^/?#]*@" (toString .) "//***@" -}}
{{- end -}}

{{/*
runtime.checkHosts: fails the render if one of the hosts is not a host name that an Ingress or a route accepts. The first label may be a
wildcard, except in the first host, which is used for the public URL. Arguments: path (of the value), hosts.
*/}}
{{- define "runtime.checkHosts" -}}
{{- $path := .path -}}{{- $label := "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?" -}}
{{- range $i, $host := .hosts -}}
{{- if not (regexMatch (printf "^%s%s(\\.%s)*$" (ternary "(\\*\\.)?" "" (gt $i 0)) $label $label) (toString $host)) -}}
{{- fail (printf
  (print
    "\nMOD302: %q is not a host name."
    "\n  fix: set %s[%d] to the host alone, in lower case, without scheme, path and port%s"
  )
  (toString $host) $path $i (ternary "" "; it makes the public URL, so it has no wildcard" (gt $i 0))
) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* runtime.name: the runtime's name, which is unique in the account; a missing or invalid one fails the render. Arguments: global. */}}
{{- define "runtime.name" -}}
{{- $name := (.global.runtime).name | default "" -}}
{{- if not $name }}{{ fail "\nRUN101: The runtime has no name.\n  fix: --set global.runtime.name=<name>" }}{{ end -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$" $name) -}}
{{- fail (printf
  (print
    "\nRUN102: The runtime name %q is not allowed: a lower-case letter first, then lower-case letters, digits and dashes, no dash "
    "at the end, 63 characters at most."
    "\n  fix: --set global.runtime.name=<name>"
  )
  $name
) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/*
runtime.tunnelHost: the host name that the tunnel server assigns to the runtime; invalid values fail the render. Arguments: global,
tunnelServer.
*/}}
{{- define "runtime.tunnelHost" -}}
{{- $host := printf "%s-%s.%s" .global.codefresh.accountId (include "runtime.name" .) .tunnelServer.subdomainHost -}}
{{- $is := "^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$" -}}
{{- range $path, $name := dict
  "tunnel-client.tunnelServer.host" .tunnelServer.host
  "tunnel-client.tunnelServer.subdomainHost" .tunnelServer.subdomainHost
-}}
{{- if not (regexMatch $is (toString $name)) -}}
{{- fail (printf
  (print "\nMOD202: %s is not a host name: %q." "\n  fix: set %s to the host alone, without scheme, path and port")
  $path
  (toString $name)
  $path
) -}}
{{- end -}}
{{- end -}}
{{- $label := printf "%s-%s" .global.codefresh.accountId (include "runtime.name" .) -}}
{{- if gt (len $label) 63 -}}
{{- fail (printf
  (print
    "\nRUN103: %s, the host label of the tunnel, has %d characters; 63 are allowed."
    "\n  fix: set global.runtime.name to a name of %d characters at most"
  )
  $label
  (len $label)
  (sub 62 (len .global.codefresh.accountId))
) -}}
{{- end -}}
{{- if not (regexMatch $is $host) -}}
{{- fail (printf
  (print
    "\nMOD203: global.codefresh.accountId is %q, which cannot be part of a host name: %s."
    "\n  fix: --set-string global.codefresh.accountId=<account id>"
  )
  .global.codefresh.accountId
  $host
) -}}
{{- end -}}
{{- $host -}}
{{- end -}}

{{/* runtime.url: the runtime's public URL. Arguments: global, tunnelClient (the values tunnel-client). */}}
{{- define "runtime.url" -}}
{{- $mode := include "runtime.accessMode" (dict "global" .global "tunnelEnabled" .tunnelClient.enabled) -}}
{{- $runtime := .global.runtime -}}
{{- if eq $mode "ingress" -}}
{{- printf "%s://%s" ($runtime.ingress.protocol | default "https") (first $runtime.ingress.hosts) -}}
{{- else if eq $mode "gateway" -}}
{{- printf "%s://%s" ($runtime.httpRoute.protocol | default "https") (first $runtime.httpRoute.hostnames) -}}
{{- else if eq $mode "tunnel" -}}
{{- printf "https://%s" (include "runtime.tunnelHost" (dict "global" .global "tunnelServer" .tunnelClient.tunnelServer)) -}}
{{- else -}}
{{- trimSuffix "/" $runtime.ingressUrl -}}
{{- end -}}
{{- end -}}

{{/* runtime.token: the Secret with the runtime's token after the runtime is registered, {name, key} as JSON. Arguments: none. */}}
{{- define "runtime.token" -}}
{{- dict "name" "codefresh-token" "key" "token" | toJson -}}
{{- end -}}

{{/* runtime.platformCA: the Secret with the platform's CA certificates, {name, key} as JSON; {} without one. Arguments: global. */}}
{{- define "runtime.platformCA" -}}
{{- $ca := ((.global.codefresh).tls).caCerts | default dict -}}
{{- if ($ca.secret).create -}}
{{- dict "name" "codefresh-tls-certs" "key" ($ca.secret.key | default "ca-bundle.crt") | toJson -}}
{{- else if values ($ca.secretKeyRef | default dict) | compact -}}
{{- if not $ca.secretKeyRef.name -}}
{{- fail (print
  "\nCRT108: The reference to the CA bundle's Secret has no name."
  "\n  fix: set global.codefresh.tls.caCerts.secretKeyRef.name and .key"
) -}}
{{- end -}}
{{- dict "name" $ca.secretKeyRef.name "key" ($ca.secretKeyRef.key | default "ca-bundle.crt") | toJson -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{/*
runtime.trust: the settings that make a container trust the platform's CA, {env, volumes, volumeMounts, checksum} as JSON; empty without
one. Go programs read the directory SSL_CERT_DIR in addition to their bundle, Node.js reads the file NODE_EXTRA_CA_CERTS: both only at
startup, so a changed checksum restarts them.
Arguments: global.
*/}}
{{- define "runtime.trust" -}}
{{- $ca := include "runtime.platformCA" . | fromJson -}}
{{- $trust := dict "env" list "volumes" list "volumeMounts" list "checksum" "" -}}
{{- with ((((.global.codefresh).tls).caCerts).secret).content }}{{ $_ := set $trust "checksum" (sha256sum .) }}{{ end -}}
{{- if $ca.name -}}
{{- $_ := set $trust "env"
  (list
    (dict "name" "NODE_EXTRA_CA_CERTS" "value" "/etc/platform-ca/ca-bundle.crt")
    (dict "name" "SSL_CERT_DIR" "value" "/etc/ssl/certs:/etc/platform-ca")
  )
-}}
{{- $_ := set $trust "volumes"
  (list (dict "name" "platform-ca" "secret" (dict "secretName" $ca.name "items" (list (dict "key" $ca.key "path" "ca-bundle.crt")))))
-}}
{{- $_ := set $trust "volumeMounts" (list (dict "name" "platform-ca" "mountPath" "/etc/platform-ca" "readOnly" true)) -}}
{{- end -}}
{{- toJson $trust -}}
{{- end -}}

{{/*
runtime.tunnelTarget: the Service to which the tunnel client sends requests, {host, port} as JSON: tunnel.forwardTo, its name in the
published chart, or target. Arguments: the values of the tunnel client.
*/}}
{{- define "runtime.tunnelTarget" -}}
{{- $older := (.tunnel).forwardTo | default dict -}}
{{- $host := coalesce $older.host .target.host -}}
{{- dict "host" $host "port" (coalesce $older.port .target.port | int) | toJson -}}
{{- end -}}
