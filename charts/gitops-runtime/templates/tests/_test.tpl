{{/*
gitops-runtime.test: a pod that `helm test` runs, with its service account, only the permissions that it needs, and its NetworkPolicy;
nothing if it is not in gitops-runtime.tests. The template test-<name>.facts returns its facts from the root. Only the pod is a hook,
because `helm test --logs` requests the log of a pod with the name of each hook. It is kept with its log until the next run.
Arguments: root, name, weight (of the hook), pods (whether the test creates pods).
*/}}
{{- define "gitops-runtime.test" -}}
{{- if has .name (include "gitops-runtime.tests" .root | fromJsonArray) -}}
{{- $context := include "gitops-runtime.context" (dict "root" .root "name" (printf "test-%s" .name) "values" dict) | fromJson -}}
{{- $own := include "common.facts" (dict
  "context" $context
  "facts" (include (printf "test-%s.facts" .name) .root)
) | fromJson -}}
{{- $shared := include "gitops-runtime.test.facts" . | fromYaml -}}
{{- $facts := mergeOverwrite $shared $own (dict
  "args" (concat $shared.args ($own.args | default list))
  "env" (concat $shared.env ($own.env | default list))
) -}}
{{- if .pods -}}
{{- $pod := include "gitops-runtime.test.pod" (dict "context" $context "values" .root.Values.installer "facts" $facts) -}}
{{- $_ := set $facts "env" (append $facts.env (dict "name" "TEST_POD" "value" $pod)) -}}
{{- end -}}
{{- include "common.job" (dict "context" $context "values" .root.Values.installer "facts" (toYaml $facts)) -}}
{{- end -}}
{{- end -}}

{{/* gitops-runtime.tests: the names of the tests of this release, as a JSON list. Arguments: the root. */}}
{{- define "gitops-runtime.tests" -}}
{{- $tests := list -}}
{{- if .Values.tests.enabled -}}
{{- $tests = list "components" "app-proxy" "router" "access" -}}
{{- if or (index .Values "argo-cd").enabled (include "gitops-runtime.usesExternalArgoCD" .) -}}
{{- $tests = append $tests "argo-cd" -}}
{{- end -}}
{{- range $chart := list "argo-workflows" "argo-rollouts" "argo-events" -}}
{{- if include "gitops-runtime.installs" (dict "root" $ "chart" $chart) }}{{ $tests = append $tests $chart }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $kept := list -}}
{{- range $tests }}{{ if not (has . ($.Values.tests.skip | default list)) }}{{ $kept = append $kept . }}{{ end }}{{ end -}}
{{- toJson $kept -}}
{{- end -}}

{{/* gitops-runtime.test.facts: the facts that the tests share, as YAML. Arguments: root, name, weight. */}}
{{- define "gitops-runtime.test.facts" -}}
{{- $ca := include "runtime.platformCA" (dict "global" .root.Values.global) | fromJson -}}
fullname: test-{{ .name }}
containerName: test
kind: Pod
workloadAnnotations:
  helm.sh/hook: test
  helm.sh/hook-weight: {{ .weight | quote }}
  helm.sh/hook-delete-policy: before-hook-creation
images: [{{ toJson .root.Values.installer.image }}]
args:
  - test
  - {{ .name }}
  - --timeout={{ int .root.Values.tests.timeoutSeconds | default 120 }}s
  {{- if $ca.name }}
  - --ca-file=/platform-ca/ca-bundle.crt
  {{- end }}
env:
  - {name: POD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
{{- if $ca.name }}
volumes:
  - name: platform-ca
    secret: {secretName: {{ toJson $ca.name }}, optional: true, items: [{key: {{ toJson $ca.key }}, path: ca-bundle.crt}]}
volumeMounts:
  - {name: platform-ca, mountPath: /platform-ca, readOnly: true}
{{- end }}
terminationMessagePolicy: FallbackToLogsOnError
podSecurityContext: {runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532}
job: {activeDeadlineSeconds: {{ add (int .root.Values.tests.timeoutSeconds | default 120) 60 }}}
{{- end -}}

{{/*
gitops-runtime.test.pod: the settings of a test's pod that the pods it creates share: scheduling, pull secrets, security context, as JSON
{metadata, spec, container}. Arguments: a component (context, facts, values).
*/}}
{{- define "gitops-runtime.test.pod" -}}
{{- $pod := include "common.pod" . | fromJson -}}
{{- $given := list .values .context.global -}}
{{- $labels := dict -}}{{- $annotations := dict -}}
{{- range $given -}}
{{- $labels = merge $labels (.podLabels | default dict) -}}
{{- $annotations = merge $annotations (.podAnnotations | default dict) -}}
{{- end -}}
{{- dict
  "metadata" (include "common.compact" (dict "labels" $labels "annotations" $annotations) | fromJson)
  "spec" (pick $pod.spec
    "securityContext" "imagePullSecrets" "affinity" "nodeSelector" "tolerations" "priorityClassName" "runtimeClassName" "hostAliases"
    "dnsConfig"
  )
  "container" (pick (first $pod.spec.containers) "image" "imagePullPolicy" "resources" "securityContext")
| toJson -}}
{{- end -}}

{{/* gitops-runtime.test.address: the URL of a test's pod, through its Service. Arguments: root, name (of the test). */}}
{{- define "gitops-runtime.test.address" -}}
{{- printf "http://test-%s.%s.svc.%s:8080" .name .root.Release.Namespace (index .root.Values "internal-router").clusterDomain -}}
{{- end -}}

{{/* gitops-runtime.test.router: the URL of internal-router's Service. Arguments: the root. */}}
{{- define "gitops-runtime.test.router" -}}
{{- $router := index .Values "internal-router" -}}
{{- printf "http://%s.%s.svc.%s:%d"
  (default "internal-router" $router.fullnameOverride)
  .Release.Namespace
  $router.clusterDomain
  (int $router.service.port)
-}}
{{- end -}}

{{/*
gitops-runtime.test.peers: the egress rules of a test to programs of this release, as JSON.
Arguments: root, to (app-proxy, internal-router, argo-server).
*/}}
{{- define "gitops-runtime.test.peers" -}}
{{- $peers := list -}}
{{- range $part := .to -}}
{{- if eq $part "argo-server" -}}
{{- $workflows := index $.root.Values "argo-workflows" -}}
{{- if and $workflows.enabled (ne (toString ($workflows.server).enabled) "false") -}}
{{- $pods := include "gitops-runtime.podsOf" (dict
  "root" $.root
  "chart" "argo-workflows"
  "component" $workflows.server.name
) | fromJson -}}
{{- $peers = append $peers (dict "ports" (list 2746) "to" (list (dict "podSelector" $pods))) -}}
{{- end -}}
{{- else -}}
{{- $pods := include "gitops-runtime.podsOfPart" (dict "root" $.root "name" $part) | fromJson -}}
{{- $peers = append $peers (dict "ports" (list 8080) "to" (list (dict "podSelector" $pods))) -}}
{{- end -}}
{{- end -}}
{{- toJson $peers -}}
{{- end -}}
