package render_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/tests/render"
)

// knownUsers are the numeric users of the images of open-source programs, each with its source.
var knownUsers = map[string]int64{
	"argoproj/argocd":                     999,   // argo-cd: Dockerfile, ARGOCD_USER_ID
	"argoproj/argo-rollouts":              999,   // argo-rollouts: Dockerfile, USER 999
	"argoproj/argo-events":                9731,  // argo-events: manifests/base/controller-manager, runAsUser
	"argoproj/workflow-controller":        8737,  // argo-workflows: Dockerfile, USER 8737
	"argoproj/argocli":                    8737,  // argo-workflows: Dockerfile, USER 8737
	"dexidp/dex":                          1001,  // dex: Dockerfile, USER 1001:1001
	"library/redis":                       999,   // the published chart 0.30.0: runAsUser of argo-cd-redis
	"codefresh/sealed-secrets-controller": 1001,  // the published chart 0.30.0: runAsUser
	"nginxinc/nginx-unprivileged":         101,   // docker-nginx-unprivileged: Dockerfile, UID 101
	"fatedier/frpc":                       65532, // frp: dockerfiles/Dockerfile-for-frpc, a static program that writes no file
	"alpine/kubectl":                      999,   // a static program; the step writes no file
	"oliver006/redis_exporter":            999,   // redis_exporter: Dockerfile, a static program that writes no file
	"/validate-values":                    65532, // this project: hack/release/image
	"/gitops-runtime-installer":           65532, // this project: hack/release/image
}

// Programs run as a number and without root only where a source says that their image can; TestRestrictedPresetPassesPodSecurity covers the others.
func TestA7ProgramsRunAsUsersWithASource(t *testing.T) {
	t.Parallel()
	release := umbrella("tunnel", map[string]string{"redis.enabled": "true", "argo-cd.dex.enabled": "true", "argo-cd.commitServer.enabled": "true", "doctor.enabled": "true"})
	seen := map[string]bool{}
	for _, object := range release.Objects(t) {
		spec := podSpecOf(t, object)
		if spec == nil || slices.Contains(closed(), object.GetName()) {
			continue
		}
		for _, container := range slices.Concat(spec.InitContainers, spec.Containers) {
			where := object.GetName() + " " + container.Name
			user := spec.SecurityContext.RunAsUser
			if container.SecurityContext.RunAsUser != nil {
				user = container.SecurityContext.RunAsUser
			}
			if !assert.NotNil(t, user, where) {
				continue
			}
			image := container.Image
			name := ""
			for known := range knownUsers {
				if strings.Contains(image, known+":") {
					name = known
				}
			}
			if assert.NotEmpty(t, name, "%s: no source for the user of %s", where, image) && !strings.HasSuffix(container.Name, "copyutil") {
				assert.Equal(t, knownUsers[name], *user, where)
			}
			seen[name] = true
		}
	}
	for known := range knownUsers {
		assert.True(t, seen[known], "%s is not installed", known)
	}
	assert.NotEmpty(t, render.Names(release.Objects(t), "Deployment"))
}
