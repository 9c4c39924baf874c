package preview

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/validator/cluster"
)

// ReleaseReader reads what Helm stored.
type ReleaseReader interface {
	Metadata(ctx context.Context, collection, selector string) ([]cluster.Meta, error)
	Secret(ctx context.Context, namespace, name string) (map[string][]byte, error)
}

// maxRelease is the maximum size of an unpacked release in bytes; etcd stores at most 1.5 MiB of it packed.
const maxRelease = 64 << 20

// Stored reads a release from its Secret, whose name contains the revision. For revision 0, the metadata of the release's Secrets names the one that
// `helm upgrade` replaces. An error says what is missing, and never quotes content.
//
// Helm's package for this, pkg/storage/driver, would link drivers of databases; the format is that of
// https://github.com/helm/helm/blob/v3.22.0/pkg/storage/driver/util.go and secrets.go.
func Stored(ctx context.Context, from ReleaseReader, namespace, name string, revision int) (*release.Release, error) {
	if revision == 0 {
		var err error
		if revision, err = current(ctx, from, namespace, name); err != nil {
			return nil, err
		}
	}
	secret := fmt.Sprintf("sh.helm.release.v1.%s.v%d", name, revision)
	content, err := from.Secret(ctx, namespace, secret)
	switch {
	case cluster.NotFound(err):
		return nil, fmt.Errorf("release %s has no revision %d in the namespace %s; `helm history %s --namespace %s` lists them", name, revision, namespace, name, namespace)
	case err != nil:
		return nil, unreadable("read the Secret "+secret, err)
	}
	stored, err := unpack(content["release"])
	if err != nil {
		return nil, fmt.Errorf("the Secret %s in the namespace %s is not a release of Helm 3: %w", secret, namespace, err)
	}
	stored.Hooks = slices.DeleteFunc(stored.Hooks, func(hook *release.Hook) bool { return hook == nil })
	if stored.Info == nil || stored.Chart == nil || stored.Chart.Metadata == nil {
		return nil, fmt.Errorf("the Secret %s in the namespace %s is not a complete release: it has no chart or no status", secret, namespace)
	}
	empty := func(file *chart.File) bool { return file == nil }
	stored.Chart.Templates, stored.Chart.Files = slices.DeleteFunc(stored.Chart.Templates, empty), slices.DeleteFunc(stored.Chart.Files, empty)
	return stored, nil
}

// current returns the revision that an upgrade replaces, as https://github.com/helm/helm/blob/v3.22.0/pkg/action/upgrade.go chooses it: the deployed one, or
// the last one if none is deployed.
func current(ctx context.Context, from ReleaseReader, namespace, name string) (int, error) {
	found, err := from.Metadata(ctx, "/api/v1/namespaces/"+namespace+"/secrets", "owner=helm,name="+name)
	if err != nil {
		return 0, fmt.Errorf("%w; or name its revision with --revision, which needs only the permission to get one Secret", unreadable("list the metadata of Secrets in the namespace "+namespace, err))
	}
	last, deployed, status := 0, 0, ""
	for _, one := range found {
		revision, err := strconv.Atoi(one.Labels["version"])
		if err != nil {
			continue
		}
		if one.Labels["status"] == string(release.StatusDeployed) {
			deployed = max(deployed, revision)
		}
		if revision > last {
			last, status = revision, one.Labels["status"]
		}
	}
	switch {
	case last == 0:
		return 0, fmt.Errorf("there is no release %s in the namespace %s; `helm list --namespace %s` names the releases, and --release chooses one", name, namespace, namespace)
	case release.Status(status).IsPending():
		return 0, fmt.Errorf("release %s is stuck in %s at revision %d, and Helm refuses to upgrade it until no other operation runs; `helm rollback %s --namespace %s` ends this, and --revision previews another revision", name, status, last, name, namespace)
	case deployed > 0:
		return deployed, nil
	case status == string(release.StatusUninstalled) || status == string(release.StatusUninstalling):
		return 0, fmt.Errorf("release %s is %s; an upgrade needs a release that is deployed", name, status)
	}
	return last, nil
}

func unreadable(what string, err error) error {
	if cluster.Forbidden(err) {
		return fmt.Errorf("no permission to %s", what)
	}
	return fmt.Errorf("cannot %s: %w", what, err)
}

// unpack decodes base64, gzip and JSON.
func unpack(packed []byte) (*release.Release, error) {
	decoded := make([]byte, base64.StdEncoding.DecodedLen(len(packed)))
	size, err := base64.StdEncoding.Decode(decoded, packed)
	if err != nil || size < 4 {
		return nil, errors.New("its entry release is not base64")
	}
	decoded = decoded[:size]
	if bytes.HasPrefix(decoded, []byte{0x1f, 0x8b, 0x08}) {
		unzipped, err := gzip.NewReader(bytes.NewReader(decoded))
		if err != nil {
			return nil, errors.New("its entry release is not packed with gzip")
		}
		if decoded, err = io.ReadAll(io.LimitReader(unzipped, maxRelease+1)); err != nil || len(decoded) > maxRelease {
			return nil, fmt.Errorf("its entry release cannot be unpacked, or has more than %d MiB", maxRelease>>20)
		}
	}
	var stored release.Release
	if err := json.Unmarshal(decoded, &stored); err != nil {
		return nil, errors.New("its entry release is not JSON")
	}
	return &stored, nil
}
