{{/* argo-cd.dexParams: the map of environment variable to key of argocd-cmd-params-cm, as YAML. */}}
{{- define "argo-cd.dexParams" }}
ARGOCD_DEX_SERVER_DISABLE_TLS: dexserver.disable.tls
ARGOCD_DEX_SERVER_LOGFORMAT: dexserver.log.format
ARGOCD_DEX_SERVER_LOGLEVEL: dexserver.log.level
ARGOCD_LOG_FORMAT_TIMESTAMP: log.format.timestamp
DEX_CONTINUE_ON_CONNECTOR_FAILURE: dexserver.connector.failure.continue
{{- end }}
