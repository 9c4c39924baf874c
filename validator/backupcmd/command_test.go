package backupcmd_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/tests/standin/apiserver"
	"gitops-runtime/validator/backupcmd"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/validatecmd"
)

type tree = map[string]any

const canary = "canary-of-a-value"

func newServer() *apiserver.Server {
	return apiserver.New(
		apiserver.Kind{APIVersion: "v1", Kind: "Namespace", Plural: "namespaces"}, apiserver.Kind{APIVersion: "v1", Kind: "Secret", Plural: "secrets", Namespaced: true},
		apiserver.Kind{APIVersion: "v1", Kind: "ConfigMap", Plural: "configmaps", Namespaced: true}, apiserver.Kind{APIVersion: "apps/v1", Kind: "Deployment", Plural: "deployments", Namespaced: true},
		apiserver.Kind{APIVersion: "argoproj.io/v1alpha1", Kind: "Application", Plural: "applications", Namespaced: true},
	)
}

// running returns a cluster with a runtime.
func running(t *testing.T) *apiserver.Server {
	t.Helper()
	text, err := json.Marshal(release.Release{
		Name: "cf-gitops-runtime", Namespace: "codefresh", Version: 2, Info: &release.Info{Status: release.StatusDeployed},
		Config: tree{"global": tree{"runtime": tree{"name": "production"}, "codefresh": tree{"userToken": tree{"token": canary}}}},
		Chart:  &chart.Chart{Metadata: &chart.Metadata{Name: "gitops-runtime", Version: "1.2.3", APIVersion: "v2"}},
	})
	require.NoError(t, err)
	var packed bytes.Buffer
	into := gzip.NewWriter(&packed)
	_, err = into.Write(text)
	require.NoError(t, errors.Join(err, into.Close()))
	content := base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString(packed.Bytes())))
	s := newServer()
	s.Add(
		tree{"apiVersion": "v1", "kind": "Namespace", "metadata": tree{"name": "codefresh"}},
		tree{"apiVersion": "v1", "kind": "Secret", "type": "helm.sh/release.v1", "data": tree{"release": content}, "metadata": tree{
			"name": "sh.helm.release.v1.cf-gitops-runtime.v2", "namespace": "codefresh", "labels": tree{"owner": "helm", "name": "cf-gitops-runtime", "status": "deployed", "version": "2"},
		}},
		tree{"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": tree{"name": "codefresh-token", "namespace": "codefresh"}, "data": tree{"token": "eA=="}},
		tree{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": tree{"name": "apps", "namespace": "codefresh"}, "spec": tree{"project": "default"}},
	)
	return s
}

// run runs the program with an API server, and returns exit code, output and errors.
func run(t *testing.T, on *apiserver.Server, in string, args ...string) (code int, out, failed string) {
	t.Helper()
	server := httptest.NewServer(on)
	t.Cleanup(server.Close)
	var stdout, stderr bytes.Buffer
	code = validatecmd.Main(t.Context(), args, validatecmd.System{
		In: strings.NewReader(in), Out: &stdout, Err: &stderr, Version: "0.1.0", Now: func() time.Time { return time.Unix(0, 0) }, Getenv: func(string) string { return "" },
		Connect: func(context.Context, validatecmd.Connection) (validatecmd.Cluster, string, error) {
			client, err := cluster.New(server.URL, server.Client())
			return client, "codefresh", err
		},
		Further: []func(validatecmd.System, *int) *cobra.Command{backupcmd.Backup, backupcmd.Restore},
	})
	return code, stdout.String(), stderr.String()
}

// file writes a file into the folder of the test.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700)) //nolint:gosec // one is a program
	return path
}

const contained = `validate-values: runtime production, release cf-gitops-runtime in namespace codefresh, chart gitops-runtime 1.2.3
     1 Application
     1 Namespace
     1 Secret
not contained:
  - the chart and its images: restore takes the chart of --chart, in the version of the backup
`

// A backup is restored with helm, which gets the values by standard input; with a key and with a passphrase.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	identity, passphrase := file(t, "key.txt", "# a key\n"+key.String()+"\n"), file(t, "passphrase.txt", "correct horse\n")
	for name, keys := range map[string]struct{ seal, open []string }{
		"key":        {[]string{"--recipient", key.Recipient().String()}, []string{"--identity", identity}},
		"file":       {[]string{"--recipients-file", file(t, "recipients.txt", key.Recipient().String())}, []string{"--identity", identity}},
		"passphrase": {[]string{"--passphrase-file", passphrase}, []string{"--passphrase-file", passphrase}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive := filepath.Join(t.TempDir(), "runtime.age")
			code, out, failed := run(t, running(t), "", append([]string{"backup", "--file", archive}, keys.seal...)...)
			require.Equal(t, 0, code, failed)
			assert.Empty(t, out)
			assert.True(t, strings.HasPrefix(failed, contained), failed)
			info, err := os.Stat(archive)
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

			calls := filepath.Join(t.TempDir(), "calls")
			helm := file(t, "helm", "#!/bin/sh\necho \"$@\" >>"+calls+"\ncat >>"+calls+"\n")
			empty := newServer()
			code, _, failed = run(t, empty, "", append([]string{"restore", "--file", archive, "--chart", "oci://r.example.com/gitops-runtime", "--helm", helm, "--context", "new"}, keys.open...)...)
			require.Equal(t, 0, code, failed)
			assert.True(t, strings.HasSuffix(failed, "validate-values: restore: secrets\nvalidate-values: restore: install\nvalidate-values: restore: objects\nvalidate-values: restore: release\n"+
				"validate-values: the runtime production is restored\n"), failed)
			called, err := os.ReadFile(calls)
			require.NoError(t, err)
			assert.Equal(t, "upgrade --install cf-gitops-runtime oci://r.example.com/gitops-runtime --version 1.2.3 --namespace codefresh --wait --timeout 15m --values - --kube-context new\n"+
				`{"global":{"codefresh":{"userToken":{"token":"`+canary+`"}},"runtime":{"name":"production"}}}`, string(called))
			assert.Equal(t, []string{"/api/v1/namespaces/codefresh", "/api/v1/namespaces/codefresh/secrets/codefresh-token", "/apis/argoproj.io/v1alpha1/namespaces/codefresh/applications/apps"}, empty.Paths())
		})
	}
}

// A backup reads what the role on the page docs/security.md allows, and nothing else; it writes nothing.
func TestReads(t *testing.T) {
	t.Parallel()
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	on := running(t)
	code, _, failed := run(t, on, "", "backup", "--file", "-", "--recipient", key.Recipient().String())
	require.Equal(t, 0, code, failed)
	assert.Equal(t, []string{
		"/api/v1/namespaces/codefresh", "/api/v1/namespaces/codefresh/secrets", "/api/v1/namespaces/codefresh/secrets/sh.helm.release.v1.cf-gitops-runtime.v2",
		"/apis/argoproj.io/v1alpha1/applications", "/apis/argoproj.io/v1alpha1/applicationsets", "/apis/argoproj.io/v1alpha1/appprojects", "/apis/argoproj.io/v1alpha1/cronworkflows",
		"/apis/argoproj.io/v1alpha1/eventbus", "/apis/argoproj.io/v1alpha1/eventsources", "/apis/argoproj.io/v1alpha1/sensors", "/apis/argoproj.io/v1alpha1/workflowtemplates",
		"/apis/bitnami.com/v1alpha1/sealedsecrets", "/version",
	}, on.Reads())
	assert.Empty(t, on.Writes)
}

// The archive passes standard output and input; a dry run changes nothing.
func TestStreams(t *testing.T) {
	t.Parallel()
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	code, archive, failed := run(t, running(t), "", "backup", "--file", "-", "--recipient", key.Recipient().String())
	require.Equal(t, 0, code, failed)
	assert.NotContains(t, archive, canary)
	empty := newServer()
	code, _, failed = run(t, empty, archive, "restore", "--file", "-", "--identity", file(t, "key.txt", key.String()), "--dry-run")
	assert.Equal(t, 0, code)
	assert.True(t, strings.HasPrefix(failed, contained), failed)
	assert.Empty(t, empty.Writes)
}

// In a folder an archive is named after the release and the time, old ones are removed, and restore takes the newest.
func TestFolder(t *testing.T) {
	t.Parallel()
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	folder := t.TempDir() + "/"
	old := folder + "codefresh-cf-gitops-runtime-19691231T000000Z.age"
	require.NoError(t, os.WriteFile(old, []byte("old"), 0o600))
	code, _, failed := run(t, running(t), "", "backup", "--file", folder, "--keep", "1", "--recipient", key.Recipient().String())
	require.Equal(t, 0, code, failed)
	name := folder + "codefresh-cf-gitops-runtime-19700101T000000Z.age"
	assert.True(t, strings.HasPrefix(failed, "validate-values: wrote "+name+"\nvalidate-values: removed "+old+"\n"+contained), failed)
	assert.NoFileExists(t, old)
	code, _, failed = run(t, newServer(), "", "restore", "--file", folder, "--identity", file(t, "key.txt", key.String()), "--dry-run")
	require.Equal(t, 0, code, failed)
	assert.True(t, strings.HasPrefix(failed, "validate-values: reading "+name+"\n"+contained), failed)
}

// A runtime that Argo CD has installed is saved without the Application that installs it, and restored by a sync of that Application.
func TestInstalledByArgoCD(t *testing.T) {
	t.Parallel()
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	on := running(t)
	on.Remove("/api/v1/namespaces/codefresh/secrets/sh.helm.release.v1.cf-gitops-runtime.v2")
	on.Add(tree{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": tree{"name": "runtime", "namespace": "codefresh"},
		"spec": tree{
			"destination": tree{"name": "in-cluster"},
			"source":      tree{"repoURL": "r.example.com", "chart": "gitops-runtime", "targetRevision": "1.2.3", "helm": tree{"releaseName": "cf", "valuesObject": tree{"global": tree{"runtime": tree{"name": "production"}}}}},
		},
		"status": tree{"resources": []any{tree{"group": "apps", "kind": "Deployment", "namespace": "codefresh", "name": "cap-app-proxy"}}},
	})
	code, sealed, failed := run(t, on, "", "backup", "--file", "-", "--recipient", key.Recipient().String())
	require.Equal(t, 0, code, failed)
	assert.True(t, strings.HasPrefix(failed, "validate-values: runtime production, release cf in namespace codefresh, chart gitops-runtime 1.2.3\n     1 Application\n"), failed)
	assert.Contains(t, failed, "the Application codefresh/runtime, which installs the runtime: it belongs to the Argo CD that it is in")
	empty, identity := newServer(), file(t, "key.txt", key.String())
	code, _, failed = run(t, empty, sealed, "restore", "--file", "-", "--identity", identity, "--timeout", "2s")
	assert.Equal(t, 1, code)
	assert.Contains(t, failed, "validate-values: restore: waiting for Argo CD: sync the Application codefresh/runtime now")
	assert.Contains(t, failed, "the Deployment cap-app-proxy in namespace codefresh is not ready; run the same command again to continue")
	assert.NotNil(t, empty.Object("/api/v1/namespaces/codefresh/secrets/codefresh-token"), "Secrets come first")
	empty.Add(tree{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": tree{"name": "cap-app-proxy", "namespace": "codefresh"}, "status": tree{"readyReplicas": 1}})
	code, _, failed = run(t, empty, sealed, "restore", "--file", "-", "--identity", identity)
	assert.Equal(t, 0, code, failed)
	assert.NotNil(t, empty.Object("/apis/argoproj.io/v1alpha1/namespaces/codefresh/applications/apps"))
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	other, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	_, sealed, failed := run(t, running(t), "", "backup", "--file", "-", "--recipient", key.Recipient().String())
	require.NotEmpty(t, sealed, failed)
	archive, identity, wrong := file(t, "runtime.age", sealed), file(t, "key.txt", key.String()), file(t, "other.txt", other.String())
	changed := []byte(sealed)
	changed[len(changed)-20] ^= 1
	public, chart := key.Recipient().String(), "gitops-runtime"
	for name, test := range map[string]struct {
		on   *apiserver.Server
		args []string
		code int
		want string
	}{
		"no file":        {newServer(), []string{"backup", "--recipient", public}, 2, "give --file, the file to write, or - for standard output"},
		"keep a file":    {newServer(), []string{"backup", "--file", "x", "--keep", "3", "--recipient", public}, 2, "--keep is a number of archives in a folder: end --file with a slash"},
		"no credentials": {newServer(), []string{"backup", "--file", "s3://backups/x", "--recipient", public}, 2, "no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"},
		"empty folder":   {newServer(), []string{"restore", "--file", t.TempDir() + "/", "--chart", chart, "--identity", identity}, 2, "there is no archive"},
		"nobody":         {newServer(), []string{"backup", "--file", "x"}, 2, "nobody could read the backup: give --recipient with a public key of age (age-keygen makes one), or --passphrase-file"},
		"two ways":       {newServer(), []string{"backup", "--file", "x", "--recipient", public, "--passphrase-file", "x"}, 2, "--passphrase-file excludes --recipient and --recipients-file"},
		"empty password": {newServer(), []string{"backup", "--file", "x", "--passphrase-file", file(t, "empty", "\n")}, 2, "empty: the passphrase is empty"},
		"no release":     {newServer(), []string{"backup", "--file", "x", "--recipient", public}, 2, "there is no release cf-gitops-runtime in the namespace codefresh; `helm list --namespace codefresh` names the releases, and --release chooses one"},
		"private key":    {newServer(), []string{"backup", "--file", "x", "--recipient", "age1wrong"}, 2, "a recipient is not a public key of age, such as age1...: "},
		"no key":         {newServer(), []string{"restore", "--file", archive, "--chart", chart}, 2, "give --identity with the file of the private key, or --passphrase-file"},
		"not a key":      {newServer(), []string{"restore", "--file", archive, "--chart", chart, "--identity", archive}, 2, "has no private key of age, a line that begins with AGE-SECRET-KEY-1"},
		"wrong key":      {newServer(), []string{"restore", "--file", archive, "--chart", chart, "--identity", wrong}, 2, "the backup cannot be decrypted with this key: give the identity, or the passphrase, that it was made for"},
		"flipped byte":   {newServer(), []string{"restore", "--file", file(t, "changed.age", string(changed)), "--chart", chart, "--identity", identity}, 2, "the backup was changed or is incomplete: "},
		"no chart":       {newServer(), []string{"restore", "--file", archive, "--identity", identity}, 2, "give --chart, the chart to install"},
		"no archive":     {newServer(), []string{"restore", "--identity", identity, "--chart", chart}, 2, "give --file, the archive"},
		"a runtime":      {running(t), []string{"restore", "--file", archive, "--chart", chart, "--identity", identity}, 2, "the namespace codefresh has a release cf-gitops-runtime: a backup is restored onto a cluster without a runtime; nothing was changed"},
		"helm fails": {newServer(), []string{"restore", "--file", archive, "--chart", chart, "--identity", identity, "--helm", file(t, "helm", "#!/bin/sh\necho no such chart >&2\nexit 1\n")}, 1,
			"helm upgrade --install: exit status 1: no such chart; run the same command again to continue"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, _, failed := run(t, test.on, "", test.args...)
			assert.Equal(t, test.code, code, failed)
			assert.Contains(t, failed, test.want)
			assert.NotContains(t, failed, canary)
			if test.code == 2 {
				assert.Empty(t, test.on.Writes)
			}
		})
	}
	assert.NoFileExists(t, "x")
}
