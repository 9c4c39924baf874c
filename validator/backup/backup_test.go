package backup_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/tests/standin/apiserver"
	"gitops-runtime/validator/backup"
	"gitops-runtime/validator/cluster"
)

type tree = map[string]any

const (
	namespace = "codefresh"
	argo      = "argoproj.io/v1alpha1"
	canary    = "canary-of-a-Secret"
)

func newServer() *apiserver.Server {
	kinds := []apiserver.Kind{
		{APIVersion: "v1", Kind: "Namespace", Plural: "namespaces"}, {APIVersion: "v1", Kind: "Secret", Plural: "secrets", Namespaced: true},
		{APIVersion: "v1", Kind: "ConfigMap", Plural: "configmaps", Namespaced: true}, {APIVersion: "apps/v1", Kind: "Deployment", Plural: "deployments", Namespaced: true},
		{APIVersion: "bitnami.com/v1alpha1", Kind: "SealedSecret", Plural: "sealedsecrets", Namespaced: true}, {APIVersion: argo, Kind: "EventBus", Plural: "eventbus", Namespaced: true},
	}
	for _, kind := range []string{"AppProject", "Application", "ApplicationSet", "EventSource", "Sensor", "WorkflowTemplate", "CronWorkflow"} {
		kinds = append(kinds, apiserver.Kind{APIVersion: argo, Kind: kind, Plural: strings.ToLower(kind) + "s", Namespaced: true})
	}
	return apiserver.New(kinds...)
}

func object(apiVersion, kind, in, name string, rest tree) tree {
	made := tree{"apiVersion": apiVersion, "kind": kind, "metadata": tree{"name": name, "uid": "old", "resourceVersion": "7", "managedFields": []any{}}}
	if in != "" {
		made["metadata"].(tree)["namespace"] = in
	}
	for key, value := range rest {
		if metadata, isMetadata := value.(tree); isMetadata && key == "metadata" {
			for name, field := range metadata {
				made["metadata"].(tree)[name] = field
			}
			continue
		}
		made[key] = value
	}
	return made
}

func secret(name string, rest tree) tree {
	fields := tree{"type": "Opaque", "data": tree{"token": base64.StdEncoding.EncodeToString([]byte(canary))}}
	maps.Copy(fields, rest)
	return object("v1", "Secret", namespace, name, fields)
}

func application(in, name string, automated any) tree {
	return object(argo, "Application", in, name, tree{
		"metadata": tree{"ownerReferences": []any{tree{"kind": "ApplicationSet", "name": "set", "uid": "old"}}}, "operation": tree{"sync": tree{}},
		"spec": tree{"project": "default", "syncPolicy": tree{"automated": automated}}, "status": tree{"sync": tree{"status": "Synced"}},
	})
}

// running returns a cluster with a runtime.
func running() *apiserver.Server {
	s := newServer()
	of := tree{"annotations": tree{"meta.helm.sh/release-name": "cf", "meta.helm.sh/release-namespace": namespace}}
	s.Add(
		object("v1", "Namespace", "", namespace, tree{"metadata": tree{"labels": tree{"level": "restricted"}}}), object("v1", "Namespace", "", "team", nil),
		secret("codefresh-token", nil), secret("sealed-secrets-keyabc", tree{"type": "kubernetes.io/tls", "metadata": tree{"labels": tree{"sealedsecrets.bitnami.com/sealed-secrets-key": "active"}}}),
		secret("argocd-secret", tree{"metadata": of}), secret("repo-1", tree{"metadata": tree{"labels": tree{"argocd.argoproj.io/secret-type": "repository"}}}),
		secret("sh.helm.release.v1.cf.v1", tree{"type": "helm.sh/release.v1"}), secret("validate-values", tree{"metadata": tree{"annotations": tree{"helm.sh/hook": "pre-install"}}}), secret("default-token", tree{"type": "kubernetes.io/service-account-token"}),
		secret("bus", tree{"metadata": tree{"ownerReferences": []any{tree{"kind": "EventBus", "name": "default", "uid": "old"}}}}),
		secret("unsealed", tree{"metadata": tree{"ownerReferences": []any{tree{"kind": "SealedSecret", "name": "unsealed", "uid": "old"}}}}),
		object("bitnami.com/v1alpha1", "SealedSecret", namespace, "unsealed", tree{"spec": tree{"encryptedData": tree{"token": "AgB"}}}),
		object(argo, "AppProject", namespace, "default", tree{"spec": tree{"description": "ours"}}), object(argo, "AppProject", namespace, "of-the-chart", tree{"metadata": of}),
		object(argo, "WorkflowTemplate", namespace, "build", nil), object(argo, "CronWorkflow", namespace, "nightly", nil),
		object(argo, "EventBus", namespace, "default", nil), object(argo, "EventSource", namespace, "github", nil), object(argo, "Sensor", namespace, "push", nil),
		object(argo, "ApplicationSet", namespace, "set", nil), application(namespace, "apps", tree{"prune": true, "selfHeal": true}), application("team", "front", tree{}),
		application("team", "manual", nil), application("team", "going", nil),
	)
	going := s.Object(apps("team", "going"))
	going["metadata"].(tree)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	s.Add(going)
	return s
}

func apps(in, name string) string {
	return "/apis/" + argo + "/namespaces/" + in + "/applications/" + name
}

func connect(t testing.TB, to *apiserver.Server) *cluster.Client {
	t.Helper()
	server := httptest.NewServer(to)
	t.Cleanup(server.Close)
	client, err := cluster.New(server.URL, server.Client())
	require.NoError(t, err)
	return client
}

var stored = &release.Release{
	Name: "cf", Namespace: namespace, Config: tree{"global": tree{"codefresh": tree{"userToken": tree{"token": canary}}}},
	Chart: &chart.Chart{Metadata: &chart.Metadata{Name: "gitops-runtime", Version: "1.0.0"}},
}

func collected(t testing.TB) backup.Archive {
	t.Helper()
	made, err := backup.Collect(t.Context(), connect(t, running()), stored, "", "production", time.Unix(0, 0))
	require.NoError(t, err)
	return made
}

func TestCollect(t *testing.T) {
	t.Parallel()
	made := collected(t)
	var names []string
	for _, each := range made.Objects {
		names = append(names, each.Name())
	}
	assert.Equal(t, []string{
		"Namespace codefresh", "Namespace team", "Secret codefresh/argocd-secret", "Secret codefresh/codefresh-token", "Secret codefresh/repo-1",
		"Secret codefresh/sealed-secrets-keyabc", "Secret codefresh/unsealed", "SealedSecret codefresh/unsealed", "AppProject codefresh/default",
		"WorkflowTemplate codefresh/build", "CronWorkflow codefresh/nightly", "EventBus codefresh/default", "EventSource codefresh/github", "Sensor codefresh/push",
		"Application codefresh/apps", "Application team/front", "Application team/manual", "ApplicationSet codefresh/set",
	}, names)
	text, err := json.Marshal(made.Objects)
	require.NoError(t, err)
	for _, gone := range []string{`"uid"`, "resourceVersion", "managedFields", "ownerReferences", `"status"`, `"operation"`} {
		assert.NotContains(t, string(text), gone)
	}
	assert.Equal(t, map[string]int{
		"Namespace": 2, "Secret": 5, "SealedSecret": 1, "AppProject": 1, "WorkflowTemplate": 1, "CronWorkflow": 1, "EventBus": 1, "EventSource": 1, "Sensor": 1, "Application": 3, "ApplicationSet": 1,
	}, made.Contains)
	assert.Contains(t, string(text), `"sealedsecrets.bitnami.com/managed":"true"`)
	assert.Contains(t, string(text), `"level":"restricted"`)
}

func TestCollectFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		with func(*apiserver.Server)
		want string
	}{
		"unregistered": {func(s *apiserver.Server) { s.Remove("/api/v1/namespaces/codefresh/secrets/codefresh-token") }, "the namespace codefresh has no Secret codefresh-token: the runtime is not registered, and a restored one would be another one"},
		"Secrets":      {func(s *apiserver.Server) { s.Denied["/secrets"] = 403 }, "the Secrets of the namespace codefresh: list secrets: HTTP 403"},
		"Sensors":      {func(s *apiserver.Server) { s.Denied["/sensors"] = 500 }, "the objects of the kind Sensor: list sensors.argoproj.io: HTTP 500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := running()
			test.with(s)
			_, err := backup.Collect(t.Context(), connect(t, s), stored, "", "production", time.Unix(0, 0))
			assert.EqualError(t, err, test.want)
		})
	}
	s := running()
	s.Denied["/v1alpha1/applications"] = 403
	made, err := backup.Collect(t.Context(), connect(t, s), stored, "", "production", time.Unix(0, 0))
	require.NoError(t, err)
	assert.Equal(t, 1, made.Contains["Application"])
	assert.Contains(t, made.Lacks, "Application objects in other namespaces: no permission to list them")
}

// An archive can only be read with its key, and not if a byte of it was changed.
func TestArchive(t *testing.T) {
	t.Parallel()
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	other, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	made := collected(t)
	var out bytes.Buffer
	require.NoError(t, made.Seal(&out, key.Recipient()))
	sealed := out.Bytes()
	for _, word := range []string{canary, base64.StdEncoding.EncodeToString([]byte(canary)), "codefresh", "Application", "production"} {
		assert.NotContains(t, string(sealed), word)
	}
	opened, err := backup.Open(sealed, key)
	require.NoError(t, err)
	assert.Equal(t, made.Objects, opened.Objects)
	assert.Equal(t, made.Values, opened.Values)
	assert.Equal(t, made.Contains, opened.Contains)
	_, err = backup.Open(sealed, other)
	assert.EqualError(t, err, "the backup cannot be decrypted with this key: give the identity, or the passphrase, that it was made for")
	for i := range sealed {
		changed := slices.Clone(sealed)
		changed[i] ^= 1
		_, err := backup.Open(changed, key)
		require.Error(t, err, "byte %d", i)
	}
	for name, changed := range map[string][]byte{"cut": sealed[:len(sealed)-1], "extended": append(slices.Clone(sealed), 0), "empty": nil} {
		_, err := backup.Open(changed, key)
		assert.Error(t, err, name)
	}
	out.Reset()
	newer, err := age.Encrypt(&out, key.Recipient())
	require.NoError(t, err)
	require.NoError(t, newer.Close())
	_, err = backup.Open(out.Bytes(), key)
	assert.EqualError(t, err, "the backup is not compressed by gzip: EOF")
}

// platform plays what runs on the cluster of a restore: Helm, and Argo CD, which compares Applications and syncs them if they are automated.
type platform struct {
	*apiserver.Server
	t        testing.TB
	archive  *backup.Archive
	installs int
	// left is the number of changes after which the client is stopped; negative for none.
	left int
	stop context.CancelFunc
	// broken is how often an install fails halfway.
	broken int
}

func newPlatform(t testing.TB, archive *backup.Archive) *platform {
	t.Helper()
	p := &platform{Server: newServer(), t: t, archive: archive, left: -1}
	p.After = func(_, path string) {
		if p.left--; p.left == 0 {
			p.stop()
		}
		live := p.Object(path)
		if live == nil { // deleted
			return
		}
		if live["kind"] != "Application" {
			return
		}
		if policy := live["spec"].(tree)["syncPolicy"].(tree); policy["automated"] != nil {
			for _, each := range p.archive.Objects { // nothing may be pruned or healed before everything is there
				if each["kind"] != "ApplicationSet" {
					assert.NotNil(p.t, p.Object(p.Path(each)), each.Name())
				}
			}
			live["status"] = tree{"sync": tree{"status": "Synced"}}
		} else if live["status"] == nil {
			live["status"] = tree{"sync": tree{"status": "OutOfSync"}}
		}
		p.Add(live)
	}
	return p
}

// Install creates what the release has, and what Argo CD creates as it starts.
func (p *platform) Install(ctx context.Context, of *backup.Archive) error {
	for _, name := range []string{"codefresh-token", "sealed-secrets-keyabc", "argocd-secret", "repo-1"} {
		assert.NotNil(p.t, p.Object("/api/v1/namespaces/codefresh/secrets/"+name), "programs start with %s", name)
	}
	p.installs++
	status := "deployed"
	if p.broken--; p.broken >= 0 {
		status = "pending-install"
	}
	p.Add(
		object("v1", "Secret", namespace, "sh.helm.release.v1.cf.v1", tree{"type": "helm.sh/release.v1", "metadata": tree{"labels": tree{"owner": "helm", "name": "cf", "status": status}}}),
		object("apps/v1", "Deployment", namespace, "cap-app-proxy", nil), object(argo, "AppProject", namespace, "default", tree{"spec": tree{"description": "Argo's"}}),
	)
	if status != "deployed" {
		return errors.New("the install was interrupted")
	}
	return ctx.Err()
}

// Abandon removes what Install created, and the Secret that Helm adopted.
func (p *platform) Abandon(context.Context, *backup.Archive) error {
	for _, path := range []string{
		"/api/v1/namespaces/codefresh/secrets/sh.helm.release.v1.cf.v1", "/apis/apps/v1/namespaces/codefresh/deployments/cap-app-proxy", "/api/v1/namespaces/codefresh/secrets/argocd-secret",
	} {
		p.Remove(path)
	}
	return nil
}

// restore runs a restore, which is stopped after a number of changes.
func (p *platform) restore(left int) error {
	ctx, cancel := context.WithCancel(p.t.Context())
	defer cancel()
	p.left, p.stop = left, cancel
	run := backup.Restore{Archive: p.archive, Target: connect(p.t, p.Server), Installer: p, Patience: 50 * time.Millisecond, Pause: time.Millisecond, Report: func(string) {}}
	return run.Run(ctx)
}

// state returns all objects, without what depends on the order of requests.
func (p *platform) state() string {
	var all []any
	for _, path := range p.Paths() {
		of := p.Object(path)
		delete(of["metadata"].(tree), "uid")
		all = append(all, of)
	}
	text, err := json.MarshalIndent(all, "", " ")
	require.NoError(p.t, err)
	return string(text)
}

func opened(t testing.TB) *backup.Archive {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, collected(t).Seal(&out, key.Recipient()))
	archive, err := backup.Open(out.Bytes(), key)
	require.NoError(t, err)
	return archive
}

func TestRestore(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, opened(t))
	require.NoError(t, p.restore(-1))
	for path, want := range map[string]any{
		apps(namespace, "apps"): tree{"prune": true, "selfHeal": true}, apps("team", "front"): tree{}, apps("team", "manual"): nil,
	} {
		live := p.Object(path)
		assert.Equal(t, want, live["spec"].(tree)["syncPolicy"].(tree)["automated"], path)
		notes, _ := live["metadata"].(tree)["annotations"].(tree)
		assert.Empty(t, notes, path)
	}
	assert.Equal(t, "ours", p.Object("/apis/" + argo + "/namespaces/codefresh/appprojects/default")["spec"].(tree)["description"])
	for _, each := range p.archive.Objects {
		assert.NotNil(t, p.Object(p.Path(each)), each.Name())
	}
	assert.Nil(t, p.Object("/api/v1/namespaces/codefresh/configmaps/gitops-runtime-restore"))
	assert.Equal(t, 1, p.installs)
	sets := slices.IndexFunc(p.Writes, func(write string) bool { return strings.Contains(write, "/applicationsets/") })
	assert.Equal(t, len(p.Writes)-2, sets, "ApplicationSets come last, before the journal is deleted")

	err := p.restore(-1)
	assert.ErrorIs(t, err, backup.ErrRuntime)
	assert.EqualError(t, err, "the namespace codefresh has a release cf: a backup is restored onto a cluster without a runtime; nothing was changed")
}

// A restore that is stopped after any of its changes continues, and has the same result.
func TestInterruptedRestoreContinues(t *testing.T) {
	t.Parallel()
	archive := opened(t)
	whole := newPlatform(t, archive)
	require.NoError(t, whole.restore(-1))
	want, changes := whole.state(), len(whole.Writes)
	require.Greater(t, changes, 20)
	for moment := 1; moment < changes; moment++ {
		p := newPlatform(t, archive)
		require.Error(t, p.restore(moment), "change %d", moment)
		require.NoError(t, p.restore(-1), "after change %d, %s", moment, p.Writes[moment-1])
		require.Equal(t, want, p.state(), "after change %d", moment)
	}
	p := newPlatform(t, archive)
	p.broken = 1
	assert.EqualError(t, p.restore(-1), "the install was interrupted; run the same command again to continue")
	require.NoError(t, p.restore(-1))
	assert.Equal(t, want, p.state())
	assert.Equal(t, 2, p.installs)
}

// A cluster with a runtime, or with a part of one, is refused before anything is changed.
func TestRestoreIsRefused(t *testing.T) {
	t.Parallel()
	archive := opened(t)
	for name, test := range map[string]struct {
		there tree
		want  string
	}{
		"release":        {secret("sh.helm.release.v1.cf.v3", tree{"metadata": tree{"labels": tree{"owner": "helm", "name": "cf"}}}), "the namespace codefresh has a release cf"},
		"another":        {object("apps/v1", "Deployment", "other", "cap-app-proxy", nil), "the cluster has a runtime, a Deployment cap-app-proxy"},
		"token":          {secret("codefresh-token", nil), "the namespace codefresh has the Secret codefresh-token of a runtime"},
		"another backup": {object("v1", "ConfigMap", namespace, "gitops-runtime-restore", tree{"data": tree{"archive": "x"}}), "a restore of another backup was interrupted here: continue that one, or delete the ConfigMap gitops-runtime-restore in namespace codefresh and what it has created"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, archive)
			p.Add(test.there)
			err := p.restore(-1)
			require.ErrorIs(t, err, backup.ErrRuntime)
			assert.EqualError(t, err, test.want+": a backup is restored onto a cluster without a runtime; nothing was changed")
			assert.Empty(t, p.Writes)
		})
	}
}

// Automated sync is held as long as Argo CD cannot compare an Application.
func TestHeldUntilCompared(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, opened(t))
	after := p.After
	p.After = func(method, path string) {
		if method != "POST" || !strings.Contains(path, "/applications/") {
			after(method, path)
		}
	}
	assert.EqualError(t, p.restore(-1), "all objects are there, but Argo CD has not compared 2 Applications with Git within 50ms (apps, front): validate-values doctor says why; "+
		"their automated sync is held until then; run the same command again to continue")
	assert.Nil(t, p.Object(apps(namespace, "apps"))["spec"].(tree)["syncPolicy"].(tree)["automated"])
	for _, path := range []string{apps(namespace, "apps"), apps("team", "front")} {
		live := p.Object(path)
		live["status"] = tree{"sync": tree{"status": "OutOfSync"}}
		p.Add(live)
	}
	require.NoError(t, p.restore(-1))
	assert.Equal(t, tree{"prune": true, "selfHeal": true}, p.Object(apps(namespace, "apps"))["spec"].(tree)["syncPolicy"].(tree)["automated"])
}
