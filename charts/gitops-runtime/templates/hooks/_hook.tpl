{{/*
gitops-runtime.hook: a Job that runs the installer image as a Helm hook, with its service account and only the permissions that it needs,
as YAML documents. Everything except the Job is deleted whether the hook succeeds or fails.
Arguments: root, hook (Helm's events), name, facts (of the hook, as YAML text), secret (name of the Secret that was created for the hook,
if the Job may fail).
*/}}
{{- define "gitops-runtime.hook" -}}
{{- $global := .root.Values.global -}}
{{- include "gitops-runtime.published" (dict "root" .root "image" .root.Values.installer.image "path" "installer") -}}
{{- $context := include "gitops-runtime.context" (dict "root" .root "name" .name "values" dict) | fromJson -}}
{{- $own := include "common.facts" (dict "context" $context "facts" .facts) | fromJson -}}
{{- $shared := include "gitops-runtime.hook.facts" . | include "common.parsed" | fromJson -}}
{{- $facts := mergeOverwrite $shared $own (dict "env" (concat $shared.env ($own.env | default list))) -}}
{{- if $global.runtime.singleNamespace }}{{ $facts = omit $facts "clusterRules" }}{{ end -}}
{{- /* The pod does not listen on a port, so it needs a policy only if egress is restricted. */ -}}
{{- if not $global.networkPolicy.restrictEgress }}{{ $facts = omit $facts "networkPolicy" }}{{ end -}}
{{- if and .secret (semverCompare "<3.19.0-0" (default "v3.0.0" .root.Capabilities.HelmVersion.Version)) -}}
{{- $remove := include "gitops-runtime.hook.remove" (dict "context" $context "facts" $facts "secret" .secret) -}}
{{- $remove = include "common.parsed" $remove | fromJson -}}
{{- range $key, $added := $remove }}{{ $_ := set $facts $key (concat (get $facts $key | default list) ($added | default list)) }}{{ end -}}
{{- end -}}
{{- include "common.job" (dict "context" $context "values" .root.Values.installer "facts" (toYaml $facts)) -}}
{{- end -}}

{{- /*
gitops-runtime.published: fails if an image of the product is the default of a checkout without an address, which no registry has, and the
render is for a cluster: only then the API versions contain kinds. Arguments: root, image (of the values), path (of the value with it).
*/}}
{{- define "gitops-runtime.published" -}}
{{- $root := .root -}}
{{- $image := include "common.image" (dict "global" $root.Values.global "images" (list .image) "tag" $root.Chart.AppVersion) -}}
{{- if and (hasPrefix "address-not-set.invalid/" $image) ($root.Capabilities.APIVersions.Has "v1/Namespace") -}}
{{- fail (print
  .path ".image.repository names no registry, because this chart is a checkout that was not published. "
  "Publish it (make publish REGISTRY=<host/path>) and install it from there, or push the image that `make program-images` writes "
  "and set " .path ".image.repository to its name"
) -}}
{{- end -}}
{{- end -}}

{{- /* gitops-runtime.hook.facts: the facts that the hooks share. Arguments: root, hook, name. */}}
{{- define "gitops-runtime.hook.facts" -}}
fullname: {{ toJson .name }}
containerName: {{ toJson .name }}
annotations:
  helm.sh/hook: {{ .hook }}
  helm.sh/hook-weight: "-20"
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
workloadAnnotations: {helm.sh/hook-weight: "-10"}
images: [{{ toJson .root.Values.installer.image }}]
env:
  - {name: POD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
  - {name: RELEASE_NAME, value: {{ .root.Release.Name | quote }}}
terminationMessagePolicy: FallbackToLogsOnError
podSecurityContext: {runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532}
usesAPI: true
job:
  backoffLimit: 0
  activeDeadlineSeconds: 120
  {{- if semverCompare ">=1.26.0-0" .root.Capabilities.KubeVersion.Version }}
  # a failed Job names its pod and the exit code, and not a limit that was reached
  podFailurePolicy:
    rules:
      - action: FailJob
        onExitCodes: {containerName: {{ toJson .name }}, operator: NotIn, values: [0]}
  {{- end }}
{{- end -}}

{{- /*
gitops-runtime.hook.remove: the facts args, rules and clusterRules with which a hook's Job deletes the objects that were created for it, as
YAML. If the Job fails, only Helm 3.19 and later deletes them; older versions, the first of which do not report their version, would leave
the values, the service account and its permissions. The first object becomes the owner of the others, because the Job could not delete the
rest after it has deleted some of its permissions. Arguments: context, facts, secret (its name).
*/}}
{{- define "gitops-runtime.hook.remove" -}}
{{- $name := .facts.fullname -}}
{{- $cluster := include "common.clusterName" (dict "context" .context "name" "") -}}
{{- $owner := list "get" "delete" -}}
{{- $owned := list "patch" "delete" -}}
{{- $objects := list
  (list "rbac.authorization.k8s.io" "roles" (ternary $owned $owner (not (empty .facts.clusterRules))))
  (list "rbac.authorization.k8s.io" "rolebindings" $owned)
  (list "" "serviceaccounts" $owned)
  (list "" "secrets" $owned)
-}}
{{- if .facts.networkPolicy }}{{ $objects = append $objects (list "networking.k8s.io" "networkpolicies" $owned) }}{{ end -}}
args:
  {{- if .facts.clusterRules }}
  - --remove=clusterroles.v1.rbac.authorization.k8s.io/{{ $cluster }}
  - --remove=clusterrolebindings.v1.rbac.authorization.k8s.io/{{ $cluster }}
  {{- end }}
  {{- range $objects }}
  - --remove={{ index . 1 }}.v1{{ with index . 0 }}.{{ . }}{{ end }}/{{ ternary $.secret $name (eq (index . 1) "secrets") }}
  {{- end }}
rules:
  {{- range $objects }}
  - why: before Helm 3.19 the Job deletes the objects that were created for it; OpenShift requires delete where an owner is set
    apiGroups: [{{ index . 0 | quote }}]
    resources: [{{ index . 1 }}]
    resourceNames: [{{ ternary $.secret $name (eq (index . 1) "secrets") }}]
    verbs: {{ index . 2 | toJson }}
  {{- end }}
{{- if .facts.clusterRules }}
clusterRules:
  {{- range $resource, $verbs := dict "clusterroles" $owner "clusterrolebindings" $owned }}
  - why: before Helm 3.19 the Job deletes the objects that were created for it; OpenShift requires delete where an owner is set
    apiGroups: [rbac.authorization.k8s.io]
    resources: [{{ $resource }}]
    resourceNames: [{{ $cluster }}]
    verbs: {{ toJson $verbs }}
  {{- end }}
{{- end }}
{{- end -}}
