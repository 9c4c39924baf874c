{{- /*
sealed-secrets.proxier: the permission to reach the controller's Service through the API server, with which kubeseal fetches the public
certificate and requests the verification or re-encryption of a SealedSecret. Arguments: values, context.
*/}}
{{- define "sealed-secrets.proxier" -}}
{{- $name := .context.fullname }}
{{- $object := dict "context" .context "name" (printf "%s-service-proxier" $name) "labels" .values.rbac.labels }}
{{- $proxier := (.values.rbac).serviceProxier | default dict }}
{{- if and .values.rbac.create $proxier.create }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  {{- include "common.metadata" $object | nindent 2 }}
rules:
  # kubeseal looks up the name of the port
  - apiGroups: [""]
    resources: [services]
    resourceNames: [{{ include "common.scalar" $name }}]
    verbs: [get]
  # the certificate is public; what is checked or sealed again is encrypted
  - apiGroups: [""]
    resources: [services/proxy]
    resourceNames: {{ list (printf "http:%s:" $name) (printf "http:%s:http" $name) $name | toJson }}
    verbs: [create, get]
{{- if $proxier.bind }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- include "common.metadata" $object | nindent 2 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ printf "%s-service-proxier" $name | include "common.scalar" }}}
subjects:
  {{- with $proxier.subjects }}
  {{- ternary . (toYaml .) (kindIs "string" .) | nindent 2 }}
  {{- else }}
  - {apiGroup: rbac.authorization.k8s.io, kind: Group, name: "system:authenticated"}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* sealed-secrets.existingClusterRole: the binding to a ClusterRole that the user created. Arguments: values, context. */}}
{{- define "sealed-secrets.existingClusterRole" -}}
{{- $rbac := .values.rbac }}
{{- if and $rbac.create $rbac.clusterRoleName (not $rbac.clusterRole) (not $rbac.namespacedRoles) }}
{{- $component := dict "context" .context "values" .values "facts" (dict "fullname" .context.fullname) }}
{{- $name := include "common.clusterName" (dict "context" .context "name" "existing") }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  {{- include "common.metadata" (dict "context" .context "name" $name "clusterScoped" true "labels" $rbac.labels) | nindent 2 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {{ toJson $rbac.clusterRoleName }}}
subjects:
  - kind: ServiceAccount
    name: {{ include "common.serviceAccountName" $component | toJson }}
    namespace: {{ toJson .context.namespace }}
{{- end }}
{{- end }}

{{- /* sealed-secrets.namespacedRoles: Roles in additionalNamespaces instead of the ClusterRole. Arguments: values, context. */}}
{{- define "sealed-secrets.namespacedRoles" -}}
{{- $rbac := .values.rbac }}
{{- if and $rbac.create $rbac.namespacedRoles (not $rbac.clusterRole) }}
{{- range .values.additionalNamespaces }}
{{- $scope := merge (dict "namespace" .) $.context }}
{{- $component := dict "context" $.context "values" $.values "facts" (dict "fullname" $.context.fullname) }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  {{- include "common.metadata" (dict "context" $scope "name" $rbac.namespacedRolesName "labels" $rbac.labels) | nindent 2 }}
rules:
  {{- include "common.reasoned" (include "sealed-secrets.rules" $.values | fromYamlArray) | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- include "common.metadata" (dict "context" $scope "name" $.context.fullname "labels" $rbac.labels) | nindent 2 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ toJson $rbac.namespacedRolesName }}}
subjects:
  - kind: ServiceAccount
    name: {{ include "common.serviceAccountName" $component | toJson }}
    namespace: {{ toJson $.context.namespace }}
{{- end }}
{{- end }}
{{- end }}
