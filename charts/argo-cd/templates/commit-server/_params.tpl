{{/* argo-cd.commitServerParams: the map of environment variable to key of argocd-cmd-params-cm, as YAML. */}}
{{- define "argo-cd.commitServerParams" }}
ARGOCD_COMMIT_SERVER_LISTEN_ADDRESS: commitserver.listen.address
ARGOCD_COMMIT_SERVER_LOGFORMAT: commitserver.log.format
ARGOCD_COMMIT_SERVER_LOGLEVEL: commitserver.log.level
ARGOCD_COMMIT_SERVER_METRICS_LISTEN_ADDRESS: commitserver.metrics.listen.address
ARGOCD_LOG_FORMAT_TIMESTAMP: log.format.timestamp
GRPC_ENABLE_TXT_SERVICE_CONFIG: commitserver.grpc.enable.txt.service.config
{{- end }}
