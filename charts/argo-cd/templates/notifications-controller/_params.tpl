{{/* argo-cd.notificationsParams: the map of environment variable to key of argocd-cmd-params-cm, as YAML. */}}
{{- define "argo-cd.notificationsParams" }}
ARGOCD_APPLICATION_NAMESPACES: application.namespaces
ARGOCD_LOG_FORMAT_TIMESTAMP: log.format.timestamp
ARGOCD_NOTIFICATIONS_CONTROLLER_LOGFORMAT: notificationscontroller.log.format
ARGOCD_NOTIFICATIONS_CONTROLLER_LOGLEVEL: notificationscontroller.log.level
ARGOCD_NOTIFICATION_CONTROLLER_PROCESSORS_COUNT: notificationscontroller.processors.count
ARGOCD_NOTIFICATION_CONTROLLER_REPO_SERVER_PLAINTEXT: notificationscontroller.repo.server.plaintext
ARGOCD_NOTIFICATION_CONTROLLER_SELF_SERVICE_NOTIFICATION_ENABLED: notificationscontroller.selfservice.enabled
{{- end }}
