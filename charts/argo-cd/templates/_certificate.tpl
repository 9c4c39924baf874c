{{/*
argo-cd.certificate: a Certificate of cert-manager, as YAML; nothing unless certificate.enabled.
Arguments: context, component, name, certificate (values), secret (name of the Secret), domain (default of certificate.domain).
*/}}
{{- define "argo-cd.certificate" -}}
{{- $c := .certificate -}}
{{- if $c.enabled -}}
{{- $domain := default .domain $c.domain -}}
{{- $spec := dict
  "secretName" .secret
  "commonName" $domain
  "dnsNames" (prepend ($c.additionalHosts | default list) $domain)
  "duration" $c.duration
  "renewBefore" $c.renewBefore
  "issuerRef" (include "common.compact" $c.issuer | fromJson)
  "privateKey" (merge (dict "size" (int $c.privateKey.size)) $c.privateKey)
  "usages" $c.usages
  "secretTemplate" (include "common.compact" (dict "annotations" $c.secretTemplateAnnotations) | fromJson)
-}}
{{- $annotations := include "common.layered" (list $c.annotations .context.global.certificateAnnotations) | fromJson -}}
{{- include "common.object" (dict
  "context" .context
  "component" .component
  "apiVersion" "cert-manager.io/v1"
  "kind" "Certificate"
  "name" .name
  "annotations" $annotations
  "spec" $spec
) -}}
{{- end -}}
{{- end -}}

{{/*
argo-cd.certificateSecret: the Secret with a component's TLS certificate, which Argo CD looks up by name, as YAML; nothing unless
certificate.enabled.
Arguments: context, component, name, certificate (values certificateSecret: ca, crt, key in PEM).
*/}}
{{- define "argo-cd.certificateSecret" -}}
{{- if .certificate.enabled -}}
apiVersion: v1
kind: Secret
metadata:
  {{- include "common.metadata" (dict
    "context" .context
    "component" .component
    "name" .name
    "labels" .certificate.labels
    "annotations" .certificate.annotations
  ) | nindent 2 }}
type: kubernetes.io/tls # cannot be changed by an upgrade, and requires both keys
data:
  {{- with .certificate.ca }}
  ca.crt: {{ b64enc . }}
  {{- end }}
  tls.crt: {{ .certificate.crt | default "" | b64enc | quote }}
  tls.key: {{ .certificate.key | default "" | b64enc | quote }}
{{- end -}}
{{- end -}}
