package mirror_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/imageoverride/mirror/mirrortest"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

func TestCheck(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 4, 0)
	ctx, access := context.Background(), registry.Access{Pause: pause}
	_, err := copyAll(t, ctx, "", pairs)
	require.NoError(t, err)
	locked, err := mirror.Lock(ctx, access, pairs, 2, false)
	require.NoError(t, err)
	defects, err := mirror.Check(ctx, access, locked, 2, false)
	require.NoError(t, err)
	require.Empty(t, defects)

	pairs[0].Target = to.Name + "/mirror/absent:v1"
	registrytest.Push(t, pairs[1].Target, registrytest.List(t, "somebody else's", 0))
	registrytest.Push(t, pairs[2].Target, registrytest.Image(t, "image 2 arm64", 0))
	registrytest.Push(t, pairs[3].Target, registrytest.Image(t, "unrelated", 0))
	for i := range locked {
		locked[i].Target = pairs[i].Target
	}
	defects, err = mirror.Check(ctx, access, locked, 2, false)
	require.NoError(t, err)
	require.Equal(t, []mirror.Defect{
		{Pair: pairs[0], Reason: "the image is missing"},
		{Pair: pairs[1], Reason: "the digest is " + registrytest.DigestAt(t, pairs[1].Target) + " instead of " + locked[1].Digest + ": another image has this tag"},
		{Pair: pairs[2], Reason: "only platform linux/arm64 is there, 2 are expected"},
		{Pair: pairs[3], Reason: "the digest is " + registrytest.DigestAt(t, pairs[3].Target) + ", one platform only, instead of the list " + locked[3].Digest},
	}, defects)
}

func TestLockFormat(t *testing.T) {
	from := registrytest.Start(t)
	registrytest.Push(t, from.Name+"/app:v1", registrytest.List(t, "locked", 0))
	pair := mapping.Pair{Source: from.Name + "/app:v1", Target: "reg.corp/app:v1"}
	locked, err := mirror.Lock(context.Background(), registry.Access{}, []mapping.Pair{pair}, 1, false)
	require.NoError(t, err)
	require.Len(t, locked, 1)
	require.Equal(t, []string{"linux/amd64", "linux/arm64"}, keys(locked[0].Platforms))
	data, err := json.Marshal(locked)
	require.NoError(t, err)
	var back []mirror.Locked
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, locked, back)
}

func keys(m map[string]string) []string {
	var all []string
	for _, key := range []string{"linux/amd64", "linux/arm64", "linux/s390x"} {
		if _, ok := m[key]; ok {
			all = append(all, key)
		}
	}
	return all
}

func TestRewrittenHost(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	registrytest.Push(t, from.Name+"/app:v1", registrytest.List(t, "by another name", 0))
	journal, err := mirror.OpenJournal("")
	require.NoError(t, err)
	copier := mirror.Copier{Access: registry.Access{Rewrite: map[string]string{"registry.corp:5000": to.Name}}, Journal: journal}
	require.NoError(t, copier.Copy(context.Background(), []mapping.Pair{{Source: from.Name + "/app:v1", Target: "registry.corp:5000/app:v1"}}))
	require.Equal(t, registrytest.DigestAt(t, from.Name+"/app:v1"), registrytest.DigestAt(t, to.Name+"/app:v1"))
}
