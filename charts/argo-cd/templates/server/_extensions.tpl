{{/*
argo-cd.serverFiles: {initContainers, volumes, volumeMounts} as YAML: the style sheet, and the extensions of the web UI, each of which an
init container downloads. Arguments: context, values.
*/}}
{{- define "argo-cd.serverFiles" -}}
{{- $e := .values.server.extensions }}
initContainers:
  {{- if $e.enabled }}
  {{- $images := list .values.global.image $e.image }}
  {{- range $e.extensionList }}
  - name: {{ toJson .name }}
    image: {{ include "common.image" (dict "global" $.values.global "images" (list $e.image)) | toJson }}
    imagePullPolicy: {{ include "common.imagePullPolicy" (dict "images" $images) | toJson }}
    env: {{ toJson .env }}
    resources: {{ include "common.resources" (dict "values" $e.resources "cpu" "10m" "memory" "32Mi") }}
    securityContext: {{ mergeOverwrite
      (include "common.securityContext" . | fromJson)
      ($e.containerSecurityContext | default dict)
    | toJson }}
    volumeMounts:
      - {name: extensions, mountPath: /tmp/extensions/}
      - {name: extensions-tmp, mountPath: /tmp}
  {{- end }}
  {{- end }}
volumes:
  {{- if $e.enabled }}
  - {name: extensions, emptyDir: {}}
  - {name: extensions-tmp, emptyDir: {}}
  {{- end }}
  - {name: styles, configMap: {name: argocd-styles-cm, optional: true}}
volumeMounts:
  {{- if $e.enabled }}
  - {name: extensions, mountPath: /tmp/extensions/}
  {{- end }}
  - {name: styles, mountPath: /shared/app/custom, readOnly: true}
{{- end -}}
