{{/* argo-cd.repoServerParams: the map of environment variable to key of argocd-cmd-params-cm, as YAML. */}}
{{- define "argo-cd.repoServerParams" }}
ARGOCD_DEFAULT_CACHE_EXPIRATION: reposerver.default.cache.expiration
ARGOCD_GIT_LS_REMOTE_PARALLELISM_LIMIT: reposerver.git.lsremote.parallelism.limit
ARGOCD_GIT_MODULES_ENABLED: reposerver.enable.git.submodule
ARGOCD_GIT_REQUEST_TIMEOUT: reposerver.git.request.timeout
ARGOCD_GRPC_MAX_SIZE_MB: reposerver.grpc.max.size
ARGOCD_HELM_USER_AGENT: reposerver.helm.user.agent
ARGOCD_LOG_FORMAT_TIMESTAMP: log.format.timestamp
ARGOCD_REPO_CACHE_EXPIRATION: reposerver.repo.cache.expiration
ARGOCD_REPO_SERVER_ALLOW_OUT_OF_BOUNDS_SYMLINKS: reposerver.allow.oob.symlinks
ARGOCD_REPO_SERVER_DISABLE_HELM_MANIFEST_MAX_EXTRACTED_SIZE: reposerver.disable.helm.manifest.max.extracted.size
ARGOCD_REPO_SERVER_DISABLE_OCI_MANIFEST_MAX_EXTRACTED_SIZE: reposerver.disable.oci.manifest.max.extracted.size
ARGOCD_REPO_SERVER_DISABLE_TLS: reposerver.disable.tls
ARGOCD_REPO_SERVER_ENABLE_BUILTIN_GIT_CONFIG: reposerver.enable.builtin.git.config
ARGOCD_REPO_SERVER_HELM_MANIFEST_MAX_EXTRACTED_SIZE: reposerver.helm.manifest.max.extracted.size
ARGOCD_REPO_SERVER_INCLUDE_HIDDEN_DIRECTORIES: reposerver.include.hidden.directories
ARGOCD_REPO_SERVER_LISTEN_ADDRESS: reposerver.listen.address
ARGOCD_REPO_SERVER_LISTEN_METRICS_ADDRESS: reposerver.metrics.listen.address
ARGOCD_REPO_SERVER_LOGFORMAT: reposerver.log.format
ARGOCD_REPO_SERVER_LOGLEVEL: reposerver.log.level
ARGOCD_REPO_SERVER_MAX_COMBINED_DIRECTORY_MANIFESTS_SIZE: reposerver.max.combined.directory.manifests.size
ARGOCD_REPO_SERVER_OCI_LAYER_MEDIA_TYPES: reposerver.oci.layer.media.types
ARGOCD_REPO_SERVER_OCI_MANIFEST_MAX_EXTRACTED_SIZE: reposerver.oci.manifest.max.extracted.size
ARGOCD_REPO_SERVER_OTLP_ADDRESS: otlp.address
ARGOCD_REPO_SERVER_OTLP_ATTRS: otlp.attrs
ARGOCD_REPO_SERVER_OTLP_HEADERS: otlp.headers
ARGOCD_REPO_SERVER_OTLP_INSECURE: otlp.insecure
ARGOCD_REPO_SERVER_PARALLELISM_LIMIT: reposerver.parallelism.limit
ARGOCD_REPO_SERVER_PLUGIN_TAR_EXCLUSIONS: reposerver.plugin.tar.exclusions
ARGOCD_REPO_SERVER_PLUGIN_USE_MANIFEST_GENERATE_PATHS: reposerver.plugin.use.manifest.generate.paths
ARGOCD_REPO_SERVER_STREAMED_MANIFEST_MAX_EXTRACTED_SIZE: reposerver.streamed.manifest.max.extracted.size
ARGOCD_REPO_SERVER_STREAMED_MANIFEST_MAX_TAR_SIZE: reposerver.streamed.manifest.max.tar.size
ARGOCD_REVISION_CACHE_LOCK_TIMEOUT: reposerver.revision.cache.lock.timeout
ARGOCD_TLS_CIPHERS: reposerver.tls.ciphers
ARGOCD_TLS_MAX_VERSION: reposerver.tls.maxversion
ARGOCD_TLS_MIN_VERSION: reposerver.tls.minversion
GRPC_ENABLE_TXT_SERVICE_CONFIG: reposerver.grpc.enable.txt.service.config
REDISDB: redis.db
REDIS_COMPRESSION: redis.compression
REDIS_SERVER: redis.server
{{- end }}

{{/* argo-cd.repoServerSettings: the map of environment variable to key of argocd-cm, as YAML. */}}
{{- define "argo-cd.repoServerSettings" }}
ARGOCD_RECONCILIATION_TIMEOUT: timeout.reconciliation
{{- end }}
