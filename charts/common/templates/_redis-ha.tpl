{{/*
common.redisHA: the settings that the parts of a replicated Redis share, as JSON: replicas, server (name of the StatefulSet), announce (name
prefix of the Services, one for each server), haproxy (address), config (name of the ConfigMap), secret (with the password in the key auth;
empty without one). Arguments: name (prefix of the objects), values (those of redis-ha).
*/}}
{{- define "common.redisHA" -}}
{{- dict
  "replicas" (.values.replicas | int)
  "server" (printf "%s-server" .name)
  "announce" (printf "%s-announce" .name)
  "haproxy" (printf "%s-haproxy" .name)
  "config" .name
  "secret" (ternary .values.existingSecret "" .values.auth)
| toJson -}}
{{- end -}}

{{/*
common.redisPassword: environment variables of the given names with the password, as a YAML list; empty without a secret.
Arguments: secret, names.
*/}}
{{- define "common.redisPassword" -}}
{{- if .secret -}}
{{- range .names }}
- {name: {{ . }}, valueFrom: {secretKeyRef: {name: {{ toJson $.secret }}, key: auth}}}
{{- end }}
{{- end }}
{{- end -}}

{{/*
common.redisHAAffinity: the affinity that keeps pods of a component on different nodes, as JSON. Arguments: context, component (name),
values (affinity as text or map, which replaces it, even if the map is empty; hardAntiAffinity, additionalAffinities).
*/}}
{{- define "common.redisHAAffinity" -}}
{{- $v := .values -}}
{{- if or $v.affinity (kindIs "map" $v.affinity) -}}
{{- if kindIs "string" $v.affinity }}{{ include "common.parsed" $v.affinity }}{{ else }}{{ toJson $v.affinity }}{{ end -}}
{{- else -}}
{{- $term := dict
  "topologyKey" "kubernetes.io/hostname"
  "labelSelector" (dict "matchLabels" (include "common.selectorLabels" (dict "context" .context "name" .component) | fromJson))
-}}
{{- $rule := ternary
  (dict "requiredDuringSchedulingIgnoredDuringExecution" (list $term))
  (dict "preferredDuringSchedulingIgnoredDuringExecution" (list (dict "weight" 100 "podAffinityTerm" $term)))
  $v.hardAntiAffinity
-}}
{{- merge (dict "podAntiAffinity" $rule) ($v.additionalAffinities | default dict) | toJson -}}
{{- end -}}
{{- end -}}

{{/*
common.redisHAConfig: the ConfigMap with the script of the servers, and a Service for each server, whose address remains valid when the pod
is replaced; servers and sentinels identify each other by it. As YAML documents. Arguments: context, values, names (common.redisHA).
*/}}
{{- define "common.redisHAConfig" -}}
{{- $names := .names -}}{{- $context := .context -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "common.metadata" (dict "context" $context "component" "redis-ha-server" "name" $names.config) | nindent 2 }}
data:
  config.sh: |
    {{- include "common.redisHAScript" . | nindent 4 }}
{{- range until (int $names.replicas) }}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "common.metadata" (dict
    "context" $context
    "component" "redis-ha-server"
    "name" (printf "%s-%d" $names.announce .)
  ) | nindent 2 }}
spec:
  publishNotReadyAddresses: true
  ports:
    - {name: tcp-redis, port: 6379, targetPort: redis}
    - {name: tcp-sentinel, port: 26379, targetPort: sentinel}
  selector:
    {{- include "common.selectorLabels" (dict "context" $context "name" "redis-ha-server") | fromJson | toYaml | nindent 4 }}
    statefulset.kubernetes.io/pod-name: {{ printf "%s-%d" $names.server . }}
{{- end }}
{{- end -}}

{{/*
common.redisHAScript: the script that writes the configuration files of Redis and Sentinel before they start. The master is the server that
running sentinels report, which is another server after they have detected that this one was unavailable; if none runs yet, it is the first
server. Both programs update their files when roles change. Arguments: values, names (common.redisHA).
*/}}
{{- define "common.redisHAScript" -}}
{{- $v := .values -}}{{- $names := .names -}}
set -eu
umask 077
self="{{ $names.announce }}-${HOSTNAME##*-}"
group="{{ .values.redis.masterGroupName }}"
leader() { timeout 3 redis-cli -h "$1" -p 26379 sentinel get-master-addr-by-name "$group" 2>/dev/null | head -n 1; }
master=""
# the others may refuse a new pod until their NetworkPolicies have its address
for attempt in 1 2 3 4 5; do
  for i in {{ range until (int $names.replicas) }}{{ . }} {{ end }}; do
    peer="{{ $names.announce }}-$i"
    [ "$peer" = "$self" ] && continue
    master=$(leader "$peer")
    # who comes back with nothing must not lead: the others would copy that
    if [ "$master" = "$self" ]; then
      timeout 3 redis-cli -h "$peer" -p 26379 sentinel failover "$group" >&2 || true
      for second in 1 2 3 4 5 6 7 8 9 10; do
        master=$(leader "$peer")
        [ "$master" = "$self" ] && sleep 1 || break
      done
    fi
    case "$master" in "{{ $names.announce }}"-*) break 2 ;; *) master="" ;; esac
  done
  sleep 1
done
master="${master:-{{ $names.announce }}-0}"
{
  echo "port 6379"
  echo "dir /data"
  echo "replica-announce-ip $self"
  {{- range $key, $value := .values.redis.config }}
  echo {{ printf "%s %v" $key $value | squote }}
  {{- end }}
  [ "$master" = "$self" ] || echo "replicaof $master 6379"
  [ -z "${REDIS_PASSWORD:-}" ] || printf 'requirepass "%s"\nmasterauth "%s"\n' "$REDIS_PASSWORD" "$REDIS_PASSWORD"
} > /data/redis.conf
{
  echo "port 26379"
  echo "dir /data"
  echo "sentinel resolve-hostnames yes"
  echo "sentinel announce-hostnames yes"
  echo "sentinel announce-ip $self"
  echo "sentinel monitor $group $master 6379 {{ add1 (div (int $names.replicas) 2) }}"
  {{- range $key, $value := .values.sentinel.config }}
  echo "sentinel {{ $key }} $group {{ $value }}"
  {{- end }}
  {{- $lines := `sentinel auth-pass %s "%s"\nrequirepass "%s"\nsentinel sentinel-pass "%s"\n` }}
  [ -z "${REDIS_PASSWORD:-}" ] || printf '{{ $lines }}' "$group" "$REDIS_PASSWORD" "$REDIS_PASSWORD" "$REDIS_PASSWORD"
} > /data/sentinel.conf
# No connection to this server may be opened before its Service has it as an endpoint. kube-proxy rejects connections to a Service without
# endpoints, and Linux may nevertheless establish one when it sends the first packet again: the rejection stays in the error queue of the
# socket, which neither Redis nor Sentinel reads, and epoll reports it again and again. A server on the port of Sentinel, which copies no
# data, shows when the endpoint is there.
{
  echo "port 26379"
  echo 'save ""'
  echo "protected-mode no"
  [ -z "${REDIS_PASSWORD:-}" ] || printf 'requirepass "%s"\n' "$REDIS_PASSWORD"
} | redis-server - > /dev/null &
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  [ "$(timeout 3 redis-cli -h "$self" -p 26379 ping 2>/dev/null)" = PONG ] && break || sleep 1
done
kill $! 2>/dev/null || true
wait
{{- end -}}

{{/*
common.haproxyConfig: the configuration of HAProxy. A server is up while it reports that it is the master. Names are resolved only at
startup, since they are names of Services; if one cannot be resolved, HAProxy exits and is restarted.
Arguments: values, names (common.redisHA).
*/}}
{{- define "common.haproxyConfig" -}}
{{- $names := .names -}}
defaults
  mode tcp
  timeout connect 4s
  timeout client 330s
  timeout server 330s
  timeout check 2s

frontend redis
  bind :6379
  default_backend master

backend master
  option tcp-check
  tcp-check connect
  {{- if $names.secret }}
  tcp-check send "AUTH ${REDIS_PASSWORD}\r\n"
  tcp-check expect string +OK
  {{- end }}
  tcp-check send "info replication\r\n"
  tcp-check expect string role:master
  tcp-check send "QUIT\r\n"
  tcp-check expect string +OK
  default-server check inter 1s fall 2 rise 1 init-addr libc on-marked-down shutdown-sessions
  {{- range until (int $names.replicas) }}
  server redis-{{ . }} {{ $names.announce }}-{{ . }}:6379
  {{- end }}

frontend health
  mode http
  bind :8888
  monitor-uri /healthz
{{- if .values.haproxy.metrics.enabled }}

frontend metrics
  mode http
  bind :9101
  http-request use-service prometheus-exporter if { path /metrics }
{{- end }}
{{- end -}}

{{/*
common.redisHAServer: the facts of the servers: each pod has a Redis and a Sentinel. Arguments: context, values, names (common.redisHA),
images, init {initContainers, volumes, rules}, user (pod security context), clients (peers of Redis and Sentinel), servers
(egress rules to them), exporter (a container, as YAML), serviceName and imagePullSecrets (optional).
*/}}
{{- define "common.redisHAServer" -}}
{{- $v := .values -}}{{- $names := .names -}}
{{- $image := include "common.image" (dict "global" .context.global "images" .images) -}}
{{- $policy := include "common.imagePullPolicy" (dict "images" .images) -}}
{{- $security := mergeOverwrite (include "common.securityContext" . | fromJson) ($v.containerSecurityContext | default dict) | toJson -}}
{{- $password := dict "secret" $names.secret "names" (list "REDIS_PASSWORD" "REDISCLI_AUTH") }}
name: redis-ha-server
fullname: {{ toJson $names.server }}
kind: StatefulSet
serviceName: {{ default $names.server .serviceName | toJson }}
containerName: redis
images: {{ toJson .images }}
resources: {requests: {cpu: 10m, memory: 32Mi}}
command: [redis-server, /data/redis.conf]
env:
  {{- include "common.redisPassword" $password | nindent 2 }}
ports:
  - {name: redis, containerPort: 6379}
  - {name: sentinel, containerPort: 26379}
livenessProbe:
  tcpSocket: {port: redis}
  initialDelaySeconds: 30
  periodSeconds: 15
readinessProbe:
  tcpSocket: {port: redis}
  periodSeconds: 5
affinity: {{ include "common.redisHAAffinity" (dict "context" .context "component" "redis-ha-server" "values" $v) }}
podSecurityContext: {{ toJson .user }}
automountServiceAccountToken: false
services:
  - headless: true
    name: {{ default $names.server .serviceName | toJson }}
    ports: [{name: tcp-redis, port: 6379, targetPort: redis}, {name: tcp-sentinel, port: 26379, targetPort: sentinel}]
    spec: {publishNotReadyAddresses: true}
networkPolicy:
  ingress: [{ports: [redis, sentinel], from: {{ toJson .clients }}}]
  egress: {peers: {{ toJson .servers }}}
{{- if $v.exporter.enabled }}
metrics: {port: metrics, servicePort: 9121}
{{- end }}
imagePullSecrets: {{ toJson (.imagePullSecrets | default list) }}
initContainers:
  {{- with .init.initContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  - name: config
    image: {{ $image }}
    imagePullPolicy: {{ $policy }}
    command: [sh, /scripts/config.sh]
    env:
      {{- include "common.redisPassword" $password | nindent 6 }}
    resources: {requests: {cpu: 10m, memory: 32Mi}}
    securityContext: {{ $security }}
    volumeMounts:
      - {name: scripts, mountPath: /scripts, readOnly: true}
      - {name: data, mountPath: /data}
sidecars:
  - name: sentinel
    image: {{ $image }}
    imagePullPolicy: {{ $policy }}
    command: [redis-server, /data/sentinel.conf, --sentinel]
    resources: {requests: {cpu: 10m, memory: 16Mi}}
    securityContext: {{ $security }}
    livenessProbe:
      tcpSocket: {port: 26379}
      initialDelaySeconds: 30
      periodSeconds: 15
    readinessProbe:
      tcpSocket: {port: 26379}
      periodSeconds: 5
    volumeMounts:
      - {name: data, mountPath: /data}
  {{- if $v.exporter.enabled }}
  - {{ .exporter | nindent 4 | trim }}
  {{- end }}
volumes:
  - {name: scripts, configMap: {name: {{ toJson $names.config }}}}
  {{- with .init.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- if not $v.persistentVolume.enabled }}
  - {name: data, emptyDir: {}}
  {{- end }}
volumeMounts:
  - {name: data, mountPath: /data}
{{- if $v.persistentVolume.enabled }}
volumeClaimTemplates:
  - metadata: {name: data}
    spec: {{ include "common.compact" (dict
      "accessModes" $v.persistentVolume.accessModes
      "storageClassName" $v.persistentVolume.storageClass
      "resources" (dict "requests" (dict "storage" $v.persistentVolume.size))
    ) }}
{{- end }}
checksum: {{ include "common.redisHAScript" . | sha256sum }}
rules: {{ toJson .init.rules }}
{{- end -}}

{{/*
common.redisHAProxy: the facts of HAProxy, which routes all clients to the master. Arguments: context, values, names (common.redisHA),
images, user (pod security context), clients (peers), servers (egress rules to the servers).
*/}}
{{- define "common.redisHAProxy" -}}
{{- $v := .values.haproxy -}}{{- $names := .names }}
name: redis-ha-haproxy
fullname: {{ toJson $names.haproxy }}
containerName: haproxy
images: {{ toJson .images }}
resources: {requests: {cpu: 10m, memory: 32Mi}}
command: [haproxy, -db, -f, /etc/redis-haproxy/haproxy.cfg]
env:
  {{- include "common.redisPassword" (dict "secret" $names.secret "names" (list "REDIS_PASSWORD")) | nindent 2 }}
ports:
  - {name: redis, containerPort: 6379}
  - {name: health, containerPort: 8888}
  {{- if $v.metrics.enabled }}
  - {name: metrics, containerPort: 9101}
  {{- end }}
livenessProbe:
  httpGet: {path: /healthz, port: health}
readinessProbe:
  httpGet: {path: /healthz, port: health}
services:
  - ports: [{name: tcp-redis, port: 6379, targetPort: redis}]
metrics: {port: metrics, servicePort: 9101}
networkPolicy:
  ingress: [{ports: [redis], from: {{ toJson .clients }}}]
  egress: {peers: {{ toJson .servers }}}
affinity: {{ include "common.redisHAAffinity" (dict "context" .context "component" "redis-ha-haproxy" "values" $v) }}
podSecurityContext: {{ toJson .user }}
volumes:
  - {name: config, configMap: {name: {{ toJson $names.haproxy }}}}
volumeMounts:
  - {name: config, mountPath: /etc/redis-haproxy, readOnly: true}
checksum: {{ include "common.haproxyConfig" . | sha256sum }}
{{- end -}}

{{/*
common.redisHASpread: the topology spread constraints of the servers, {"constraints": [...]} as JSON: that of topologySpreadConstraints,
which is a map in the community's chart, or those of global. Arguments: values, global.
*/}}
{{- define "common.redisHASpread" -}}
{{- $spread := .global.topologySpreadConstraints -}}
{{- $own := .values.topologySpreadConstraints -}}
{{- if $own.enabled -}}
{{- $spread = list (dict
  "maxSkew" (int (default 1 $own.maxSkew))
  "topologyKey" (default "topology.kubernetes.io/zone" $own.topologyKey)
  "whenUnsatisfiable" (default "ScheduleAnyway" $own.whenUnsatisfiable)
) -}}
{{- end -}}
{{- dict "constraints" $spread | toJson -}}
{{- end -}}
