{{/* argo-cd.controllerParams: the map of environment variable to key of argocd-cmd-params-cm, as YAML. */}}
{{- define "argo-cd.controllerParams" }}
ARGOCD_APPLICATION_CONTROLLER_COMMIT_SERVER: commit.server
ARGOCD_APPLICATION_CONTROLLER_KUBECTL_PARALLELISM_LIMIT: controller.kubectl.parallelism.limit
ARGOCD_APPLICATION_CONTROLLER_LOGFORMAT: controller.log.format
ARGOCD_APPLICATION_CONTROLLER_LOGLEVEL: controller.log.level
ARGOCD_APPLICATION_CONTROLLER_METRICS_CACHE_EXPIRATION: controller.metrics.cache.expiration
ARGOCD_APPLICATION_CONTROLLER_OPERATION_PROCESSORS: controller.operation.processors
ARGOCD_APPLICATION_CONTROLLER_OTLP_ADDRESS: otlp.address
ARGOCD_APPLICATION_CONTROLLER_OTLP_ATTRS: otlp.attrs
ARGOCD_APPLICATION_CONTROLLER_OTLP_HEADERS: otlp.headers
ARGOCD_APPLICATION_CONTROLLER_OTLP_INSECURE: otlp.insecure
ARGOCD_APPLICATION_CONTROLLER_PERSIST_RESOURCE_HEALTH: controller.resource.health.persist
ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER: repo.server
ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_PLAINTEXT: controller.repo.server.plaintext
ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_STRICT_TLS: controller.repo.server.strict.tls
ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_TIMEOUT_SECONDS: controller.repo.server.timeout.seconds
ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_CAP_SECONDS: controller.self.heal.backoff.cap.seconds
ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_COOLDOWN_SECONDS: controller.self.heal.backoff.cooldown.seconds
ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_FACTOR: controller.self.heal.backoff.factor
ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_TIMEOUT_SECONDS: controller.self.heal.backoff.timeout.seconds
ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_TIMEOUT_SECONDS: controller.self.heal.timeout.seconds
ARGOCD_APPLICATION_CONTROLLER_SERVER_SIDE_DIFF: controller.diff.server.side
ARGOCD_APPLICATION_CONTROLLER_STATUS_PROCESSORS: controller.status.processors
ARGOCD_APPLICATION_CONTROLLER_SYNC_TIMEOUT: controller.sync.timeout.seconds
ARGOCD_APPLICATION_NAMESPACES: application.namespaces
ARGOCD_APP_STATE_CACHE_EXPIRATION: controller.app.state.cache.expiration
ARGOCD_CLUSTER_CACHE_BATCH_EVENTS_PROCESSING: controller.cluster.cache.batch.events.processing
ARGOCD_CLUSTER_CACHE_EVENTS_PROCESSING_INTERVAL: controller.cluster.cache.events.processing.interval
ARGOCD_CONTROLLER_SHARDING_ALGORITHM: controller.sharding.algorithm
ARGOCD_DEFAULT_CACHE_EXPIRATION: controller.default.cache.expiration
ARGOCD_HYDRATOR_ENABLED: hydrator.enabled
ARGOCD_IGNORE_NORMALIZER_JQ_TIMEOUT: controller.ignore.normalizer.jq.timeout
ARGOCD_K8SCLIENT_RETRY_BASE_BACKOFF: controller.k8sclient.retry.base.backoff
ARGOCD_K8SCLIENT_RETRY_MAX: controller.k8sclient.retry.max
ARGOCD_K8S_CLIENT_BURST: controller.k8s.client.burst
ARGOCD_K8S_CLIENT_MAX_IDLE_CONNECTIONS: controller.k8s.client.max.idle.connections
ARGOCD_K8S_CLIENT_QPS: controller.k8s.client.qps
ARGOCD_K8S_TCP_IDLE_TIMEOUT: controller.k8s.tcp.idle.timeout
ARGOCD_K8S_TCP_KEEPALIVE: controller.k8s.tcp.keepalive
ARGOCD_K8S_TCP_TIMEOUT: controller.k8s.tcp.timeout
ARGOCD_K8S_TLS_HANDSHAKE_TIMEOUT: controller.k8s.tls.handshake.timeout
ARGOCD_LOG_FORMAT_TIMESTAMP: log.format.timestamp
ARGOCD_REPO_ERROR_GRACE_PERIOD_SECONDS: controller.repo.error.grace.period.seconds
ARGOCD_SYNC_WAVE_DELAY: controller.sync.wave.delay.seconds
GRPC_ENABLE_TXT_SERVICE_CONFIG: controller.grpc.enable.txt.service.config
REDISDB: redis.db
REDIS_COMPRESSION: redis.compression
REDIS_SERVER: redis.server
{{- end }}

{{/* argo-cd.controllerSettings: the map of environment variable to key of argocd-cm, as YAML. */}}
{{- define "argo-cd.controllerSettings" }}
ARGOCD_HARD_RECONCILIATION_TIMEOUT: timeout.hard.reconciliation
ARGOCD_RECONCILIATION_JITTER: timeout.reconciliation.jitter
ARGOCD_RECONCILIATION_TIMEOUT: timeout.reconciliation
{{- end }}
