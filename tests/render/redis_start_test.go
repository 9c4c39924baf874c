package render_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/tests/render"
)

// redisCommands are fakes of the commands that the script runs. The Service routes to the pod at the third attempt.
var redisCommands = map[string]string{
	"redis-cli": `#!/bin/sh
echo "$@" >> asked
case "$*" in *ping) [ "$(grep -c ping asked)" -ge 3 ] && echo PONG ;; esac`,
	"redis-server": `#!/bin/sh
trap 'echo "$1" > ended; exit 0' TERM
cat > temporary.conf
while :; do sleep 0.1; done`,
	"sleep": `#!/bin/sh
exec /bin/sleep 0.1`,
}

// The script starts a temporary server and waits until the pod's Service routes to it: if kube-proxy rejects the first connections, Redis and
// Sentinel loop forever.
func TestRedisStartsWhenItsServiceRoutesToIt(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]string{
		"secret": "port 26379\nsave \"\"\nprotected-mode no\nrequirepass \"secret\"\n",
		"":       "port 26379\nsave \"\"\nprotected-mode no\n",
	} {
		read := startRedis(t, "1", password, redisCommands["redis-cli"])
		assert.Equal(t, want, read("temporary.conf"))
		assert.Equal(t, "-\n", read("ended"))
		assert.Equal(t, 3, strings.Count(read("asked"), "-h argo-cd-redis-ha-announce-1 -p 26379 ping\n"))
		assert.Contains(t, read("redis.conf"), "replicaof argo-cd-redis-ha-announce-0 6379\n")
		assert.Contains(t, read("sentinel.conf"), "sentinel monitor argocd argo-cd-redis-ha-announce-0 6379 2\n")
	}
}

// A server that comes back with nothing has another one lead, also if the others refuse it at first, since their NetworkPolicies do not have its address
// yet.
func TestRedisThatComesBackDoesNotLead(t *testing.T) {
	t.Parallel()
	read := startRedis(t, "0", "", `#!/bin/sh
echo "$@" >> asked
case "$*" in
*ping) echo PONG ;;
*failover*) touch failed-over ;;
*) [ "$(grep -c get-master asked)" -lt 6 ] && exit 1 # both, in two attempts and a half
	[ -f failed-over ] && echo argo-cd-redis-ha-announce-2 || echo argo-cd-redis-ha-announce-0 ;;
esac`)
	assert.Equal(t, 1, strings.Count(read("asked"), "sentinel failover argocd\n"))
	assert.Contains(t, read("redis.conf"), "replicaof argo-cd-redis-ha-announce-2 6379\n")
	assert.Contains(t, read("sentinel.conf"), "sentinel monitor argocd argo-cd-redis-ha-announce-2 6379 2\n")
}

// startRedis runs the script of a server with a fake of redis-cli. The result reads the files that it has written.
func startRedis(t *testing.T, number, password, client string) func(name string) string {
	t.Helper()
	objects := umbrella("tunnel", map[string]string{"argo-cd.redis-ha.enabled": "true"}).Objects(t)
	config, err := render.As[corev1.ConfigMap](render.Find(objects, "ConfigMap", "argo-cd-redis-ha"))
	require.NoError(t, err)
	folder := t.TempDir()
	for name, text := range redisCommands {
		if name == "redis-cli" {
			text = client
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700)) //nolint:gosec // a program
	}
	command := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(config.Data["config.sh"], "/data/", folder+"/"))
	command.Dir = folder
	command.Env = []string{"PATH=" + folder + ":" + os.Getenv("PATH"), "HOSTNAME=argo-cd-redis-ha-server-" + number, "REDIS_PASSWORD=" + password}
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		return string(text)
	}
}
