package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/render"
)

// cronJob returns the spec of a CronJob and its container.
func cronJob(t *testing.T, objects []unstructured.Unstructured, name string) (spec, pod, container map[string]any) {
	t.Helper()
	found := render.Find(objects, "CronJob", name)
	require.NotNil(t, found, name)
	spec = found.Object["spec"].(map[string]any)
	pod, _, err := unstructured.NestedMap(spec, "jobTemplate", "spec", "template", "spec")
	require.NoError(t, err)
	return spec, pod, pod["containers"].([]any)[0].(map[string]any)
}

// The CronJobs of doctor and backup are off by default; their values are arguments, the environment and volumes.
func TestDayTwo(t *testing.T) {
	t.Parallel()
	for _, object := range umbrella("tunnel", nil).Objects(t) {
		assert.NotEqual(t, "CronJob", object.GetKind())
		assert.NotContains(t, []string{"runtime-doctor", "runtime-backup"}, object.GetName())
	}
	objects := umbrella("tunnel", map[string]string{
		"doctor.enabled": "true", "doctor.events": "false", "doctor.skip": "{BUS101,CLK102}", "doctor.timeZone": "Etc/UTC", "doctor.pushgateway": "https://push.example.com",
		"doctor.envFrom[0].secretRef.name": "push",
		"backup.enabled":                   "true", "backup.recipients": "{age1a,age1b}", "backup.keep": "0", "backup.schedule": "@daily", "backup.s3.bucket": "b", "backup.s3.prefix": "/a/b/",
		"backup.s3.endpoint": "http://minio.storage.svc:9000", "backup.s3.region": "eu-west-1", "backup.s3.credentialsSecret": "keys", `backup.serviceAccount.annotations.eks\.amazonaws\.com/role-arn`: "arn",
	}).Objects(t)
	spec, _, container := cronJob(t, objects, "runtime-doctor")
	assert.Equal(t, []any{"*/30 * * * *", "Etc/UTC", "Forbid"}, []any{spec["schedule"], spec["timeZone"], spec["concurrencyPolicy"]})
	assert.Equal(t, []any{"doctor", "--namespace=codefresh", "--release=cf", "--skip=BUS101,CLK102", "--push-metrics=https://push.example.com"}, container["args"])
	assert.Equal(t, []any{map[string]any{"secretRef": map[string]any{"name": "push"}}}, container["envFrom"])
	role := render.Find(objects, "Role", "runtime-doctor")
	for _, rule := range role.Object["rules"].([]any) {
		assert.NotContains(t, rule.(map[string]any)["verbs"], "create", "it writes no Events")
	}
	spec, pod, container := cronJob(t, objects, "runtime-backup")
	assert.Equal(t, "@daily", spec["schedule"])
	assert.NotContains(t, spec, "timeZone")
	assert.Equal(t, []any{"backup", "--namespace=codefresh", "--release=cf", "--keep=0", "--file=s3://b/a/b/", "--recipient=age1a", "--recipient=age1b"}, container["args"])
	assert.Equal(t, []any{
		map[string]any{"name": "AWS_ENDPOINT_URL_S3", "value": "http://minio.storage.svc:9000"}, map[string]any{"name": "AWS_REGION", "value": "eu-west-1"},
	}, container["env"])
	assert.Equal(t, []any{map[string]any{"secretRef": map[string]any{"name": "keys"}}}, container["envFrom"])
	assert.NotContains(t, pod, "volumes")
	assert.Equal(t, map[string]string{"eks.amazonaws.com/role-arn": "arn"}, render.Find(objects, "ServiceAccount", "runtime-backup").GetAnnotations())

	_, pod, container = cronJob(t, umbrella("tunnel", map[string]string{"backup.enabled": "true", "backup.recipients": "{age1a}", "backup.volume.existingClaim": "claim"}).Objects(t), "runtime-backup")
	assert.Contains(t, container["args"], "--file=/backups/")
	assert.Equal(t, []any{map[string]any{"name": "backups", "persistentVolumeClaim": map[string]any{"claimName": "claim"}}}, pod["volumes"])

	single := umbrella("single-namespace", map[string]string{"doctor.enabled": "true", "backup.enabled": "true", "backup.recipients": "{age1a}", "backup.s3.bucket": "b", "backup.s3.prefix": ""}).Objects(t)
	_, _, container = cronJob(t, single, "runtime-doctor")
	assert.Contains(t, container["args"], "--skip=CLU500")
	_, _, container = cronJob(t, single, "runtime-backup")
	assert.Contains(t, container["args"], "--file=s3://b/")
	for _, object := range single {
		assert.NotEqual(t, "ClusterRole", object.GetKind(), object.GetName())
	}
}

func TestDayTwoRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"backup.s3.bucket": "b"}, "backup.recipients is empty, so nobody could read the archives."},
		{map[string]string{"backup.recipients": "{age1a}"}, "backup needs one place for the archives: backup.s3.bucket or backup.volume.existingClaim."},
		{map[string]string{"backup.recipients": "{age1a}", "backup.s3.bucket": "b", "backup.volume.existingClaim": "c"}, "backup needs one place for the archives"},
		{map[string]string{"doctor.pushgateway": "https://user:canary@push.example.com", "doctor.enabled": "true", "backup.recipients": "{age1a}", "backup.s3.bucket": "b"}, "doctor.pushgateway contains a user or a password."},
		{map[string]string{"backup.s3.endpoint": "https://user:canary@s3.example.com", "backup.recipients": "{age1a}", "backup.s3.bucket": "b"}, "backup.s3.endpoint contains a user or a password."},
	} {
		test.set["backup.enabled"] = "true"
		_, err := umbrella("tunnel", test.set).Text(t)
		assert.ErrorContains(t, err, test.want)
		assert.NotContains(t, err.Error(), "canary")
	}
}
