{{/*
argo-workflows.config: the configuration that controller and server read from their ConfigMap (upstream type config.Config), as YAML. Both
exit if it contains an unknown key.
Arguments: context, values, root (only for tpl).
*/}}
{{- define "argo-workflows.config" -}}
{{- $v := .values -}}{{- $c := $v.controller -}}
{{- $config := dict
  "instanceID" (include "argo-workflows.instanceID" .)
  "parallelism" $c.parallelism
  "namespaceParallelism" $c.namespaceParallelism
  "resourceRateLimit" $c.resourceRateLimit
  "initialDelay" $c.initialDelay
  "nodeEvents" (dict "enabled" $c.nodeEvents.enabled)
  "workflowEvents" (dict "enabled" $c.workflowEvents.enabled)
  "executor" (include "argo-workflows.container" (dict
    "container" $v.executor
    "env" (include "argo-workflows.proxies" $v.global | fromJson)
    "pullPolicy" (coalesce $v.executor.image.pullPolicy $v.images.pullPolicy)
  ) | fromJson)
  "mainContainer" (include "argo-workflows.container" (dict
    "container" $v.mainContainer
    "pullPolicy" $v.mainContainer.imagePullPolicy
  ) | fromJson)
  "kubeConfig" $c.kubeConfig
  "artifactRepository" (include "argo-workflows.artifactRepository" (dict "values" $v "root" .root) | fromJson)
  "metricsConfig" (include "argo-workflows.metricsConfig" $c.metricsConfig | fromJson)
  "persistence" $c.persistence
  "synchronization" $c.synchronization
  "links" $c.links
  "columns" $c.columns
  "navColor" $c.navColor
  "workflowDefaults" (include "argo-workflows.workflowDefaults" $v | fromJson)
  "workflowRestrictions" $c.workflowRestrictions
  "retentionPolicy" $c.retentionPolicy
  "podGCGracePeriodSeconds" $c.podGCGracePeriodSeconds
  "podGCDeleteDelayDuration" $c.podGCDeleteDelayDuration
  "images" ($v.emissary).images
  "sso" (include "argo-workflows.sso" $v.server.sso | fromJson)
-}}
{{- include "common.compact" $config | fromJson | toYaml -}}
{{- end -}}

{{/*
argo-workflows.proxies: the proxies that executors use for object storage and Git, as a JSON map; {} if one of them contains a password,
because a ConfigMap must not contain passwords. Arguments: global.
*/}}
{{- define "argo-workflows.proxies" -}}
{{- if contains "@" (print .httpProxy .httpsProxy) }}{}{{ else }}{{ include "common.proxyEnv" (dict "global" .) }}{{ end -}}
{{- end -}}

{{/* argo-workflows.instanceID: the ID that distinguishes several controllers in a cluster; empty for none. Arguments: context, values. */}}
{{- define "argo-workflows.instanceID" -}}
{{- with .values.controller.instanceID -}}
{{- if .enabled -}}
{{- if .useReleaseName -}}
{{- $.context.release -}}
{{- else -}}
{{- required
  "controller.instanceID.enabled needs a name: set controller.instanceID.explicitID, or controller.instanceID.useReleaseName=true"
  .explicitID
-}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
argo-workflows.container: the settings of containers in workflow pods, as JSON.
Arguments: container (values), pullPolicy, env (before that of the values; optional).
*/}}
{{- define "argo-workflows.container" -}}
{{- with .container -}}
{{- include "common.compact" (dict
  "imagePullPolicy" $.pullPolicy
  "resources" .resources
  "args" .args
  "env" (include "common.env" (dict "layers" (list ($.env | default dict) (.env | default list))) | fromJson).env
  "envFrom" .envFrom
  "securityContext" .securityContext
) -}}
{{- end -}}
{{- end -}}

{{/*
argo-workflows.artifactRepository: the default artifact repository, as JSON; {} for none. The default endpoint of S3 is Amazon's, and the
S3 keys are omitted if the client finds credentials itself. Templates are evaluated as in the community chart, except in keyFormat of S3,
which contains templates of Argo Workflows. Arguments: values, root (only for tpl).
*/}}
{{- define "argo-workflows.artifactRepository" -}}
{{- $own := .values.artifactRepository.s3 | default dict -}}
{{- $literal := list "keyFormat" "roleARN" "encryptionOptions" -}}
{{- $evaluated := merge (dict "s3" (omit $own "keyFormat" "roleARN" "encryptionOptions")) (omit .values.artifactRepository "s3") -}}
{{- $given := (include "common.evaluated" (dict "value" $evaluated "root" .root) | fromJson).value -}}
{{- $s3 := $given.s3 | default dict -}}
{{- range $key, $value := $own }}{{ if has $key $literal }}{{ $_ := set $s3 $key $value }}{{ end }}{{ end -}}
{{- if $s3 -}}
{{- if or (not .values.useStaticCredentials) $s3.useSDKCreds }}{{ $s3 = omit $s3 "accessKeySecret" "secretKeySecret" }}{{ end -}}
{{- if not $s3.endpoint }}{{ $_ := set $s3 "endpoint" "s3.amazonaws.com" }}{{ end -}}
{{- end -}}
{{- $kinds := include "common.compact" (dict "s3" $s3 "gcs" $given.gcs "azure" $given.azure) | fromJson -}}
{{- $repository := merge $kinds (.values.customArtifactRepository | default dict) -}}
{{- if $given.archiveLogs }}{{ $_ := set $repository "archiveLogs" true }}{{ end -}}
{{- toJson $repository -}}
{{- end -}}

{{/*
argo-workflows.metricsConfig: the configuration of the metrics endpoint, as JSON; without one the program's defaults apply, which serve
metrics, too, for a Prometheus that finds pods without a Service. Arguments: controller.metricsConfig.
*/}}
{{- define "argo-workflows.metricsConfig" -}}
{{- if .enabled -}}
{{- $port := dict "port" (int .port) -}}
{{- include "common.compact" (merge $port (pick . "enabled" "path" "metricsTTL" "ignoreErrors" "secure" "modifiers")) -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{/*
argo-workflows.workflowDefaults: the user's defaults, merged over the image pull secrets, as JSON. The pods of workflows are the user's:
they get no security context from this chart. Arguments: values.
*/}}
{{- define "argo-workflows.workflowDefaults" -}}
{{- $secrets := (include "common.imagePullSecrets" (dict
  "lists" (list ((.global).imagePullSecrets | default list) (.images.pullSecrets | default list))
) | fromJson).secrets -}}
{{- $own := ternary (dict "spec" (dict "imagePullSecrets" $secrets)) dict (not (empty $secrets)) -}}
{{- mergeOverwrite $own (deepCopy (.controller.workflowDefaults | default dict)) | toJson -}}
{{- end -}}

{{/* argo-workflows.sso: the configuration of single sign-on, as JSON; {} for none. Arguments: server.sso. */}}
{{- define "argo-workflows.sso" -}}
{{- if .enabled -}}
{{- $settings := pick .
  "issuer" "issuerAlias" "clientId" "clientSecret" "redirectUrl" "scopes" "sessionExpiry" "customGroupClaimName" "userInfoPath"
  "insecureSkipVerify" "filterGroupsRegex"
-}}
{{- include "common.compact" (merge (dict "rbac" (dict "enabled" .rbac.enabled)) $settings) -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}
