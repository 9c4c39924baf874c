package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"gitops-runtime/validator/cluster"
)

// Target contains the requests of a restore.
type Target interface {
	Get(ctx context.Context, path string, into any) error
	List(ctx context.Context, collection string, query url.Values) ([]json.RawMessage, error)
	Metadata(ctx context.Context, collection, selector string) ([]cluster.Meta, error)
	Create(ctx context.Context, collection string, object any) error
	Merge(ctx context.Context, path string, patch any) error
	Delete(ctx context.Context, path string) (gone bool, err error)
}

// Installer installs the chart of a backup, as helm upgrade --install --wait does, and removes an install that was interrupted, without its hooks: those would
// remove the runtime from the account.
type Installer interface {
	Install(ctx context.Context, of *Archive) error
	Abandon(ctx context.Context, of *Archive) error
}

// Restore is one run of a restore.
type Restore struct {
	Archive   *Archive
	Target    Target
	Installer Installer
	// Patience limits how long Applications may take to be compared with Git, and Pause is the time between two looks at them.
	Patience, Pause time.Duration
	// Report is told each step.
	Report func(step string)

	kinds *cluster.Kinds
}

// Phases of a restore, in order. The last one that began is in the journal; a run begins with it again, since each can be repeated.
const (
	phaseSecrets = "secrets"
	phaseInstall = "install"
	phaseObjects = "objects"
	phaseRelease = "release"
)

const (
	// journal is the ConfigMap, in the namespace of the release, that tells an interrupted restore from a runtime.
	journal = "gitops-runtime-restore"
	// held is the annotation that keeps the automated sync of an Application until all objects are there.
	held = "restore.gitops-runtime/automated"
	// appProxy is the Deployment that each runtime has.
	appProxy = "cap-app-proxy"
)

// ErrRuntime means that the cluster has a runtime, or a restore of another backup.
var ErrRuntime = errors.New("a backup is restored onto a cluster without a runtime; nothing was changed")

// Run restores the archive, or continues with the phase in which a run was interrupted. It fails without a change if the cluster has a runtime.
func (r *Restore) Run(ctx context.Context) error {
	r.kinds = cluster.NewKinds(r.Target)
	phase, err := r.begin(ctx)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		phase string
		run   func(context.Context) error
	}{{phaseSecrets, r.secrets}, {phaseInstall, r.install}, {phaseObjects, r.objects}, {phaseRelease, r.release}} {
		if phase != "" && phase != step.phase {
			continue
		}
		phase = ""
		if err := r.note(ctx, step.phase); err != nil {
			return err
		}
		if err := step.run(ctx); err != nil {
			return fmt.Errorf("%w; run the same command again to continue", err)
		}
	}
	if _, err := r.Target.Delete(ctx, r.core("configmaps", journal)); err != nil {
		return fmt.Errorf("everything is restored, but the ConfigMap %s remains: %w", journal, err)
	}
	return nil
}

func (r *Restore) core(resource, name string) string {
	return strings.TrimSuffix("/api/v1/namespaces/"+r.Archive.Namespace+"/"+resource+"/"+name, "/")
}

// begin returns the phase in which a restore of this archive was interrupted, phaseSecrets on an empty cluster, and an error if there is a runtime.
func (r *Restore) begin(ctx context.Context) (string, error) {
	var known struct{ Data map[string]string }
	err := r.Target.Get(ctx, r.core("configmaps", journal), &known)
	switch {
	case err == nil && known.Data["archive"] != r.Archive.Digest:
		return "", fmt.Errorf("a restore of another backup was interrupted here: continue that one, or delete the ConfigMap %s in namespace %s and what it has created: %w", journal, r.Archive.Namespace, ErrRuntime)
	case err == nil:
		r.Report("continuing with the phase " + known.Data["phase"])
		return known.Data["phase"], nil
	case !cluster.NotFound(err):
		return "", fmt.Errorf("whether a restore was interrupted: %w", err)
	}
	return phaseSecrets, r.empty(ctx)
}

// empty returns an error if the cluster has a runtime.
func (r *Restore) empty(ctx context.Context) error {
	refuse := func(what string) error {
		return fmt.Errorf("%s: %w", what, ErrRuntime)
	}
	releases, err := r.Target.Metadata(ctx, r.core("secrets", ""), "owner=helm,name="+r.Archive.Release)
	if err != nil {
		return fmt.Errorf("whether there is a release %s: %w", r.Archive.Release, err)
	}
	if len(releases) > 0 {
		return refuse(fmt.Sprintf("the namespace %s has a release %s", r.Archive.Namespace, r.Archive.Release))
	}
	proxies, err := r.Target.List(ctx, "/apis/apps/v1/deployments", url.Values{"fieldSelector": {"metadata.name=" + appProxy}})
	if err != nil {
		return fmt.Errorf("whether there is a runtime on the cluster: %w", err)
	}
	if len(proxies) > 0 {
		return refuse("the cluster has a runtime, a Deployment " + appProxy)
	}
	err = r.Target.Get(ctx, r.core("secrets", runtimeToken), &Object{})
	if err == nil {
		return refuse(fmt.Sprintf("the namespace %s has the Secret %s of a runtime", r.Archive.Namespace, runtimeToken))
	}
	if !cluster.NotFound(err) {
		return fmt.Errorf("whether there is a runtime in the namespace %s: %w", r.Archive.Namespace, err)
	}
	return nil
}

// note writes the phase that begins into the journal. The first one creates the namespace of the release.
func (r *Restore) note(ctx context.Context, phase string) error {
	r.Report(phase)
	if phase == phaseSecrets {
		if err := r.create(ctx, "Namespace"); err != nil {
			return err
		}
	}
	return r.apply(ctx, Object{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": journal, "namespace": r.Archive.Namespace},
		"data": map[string]any{"archive": r.Archive.Digest, "phase": phase},
	})
}

// create applies the objects of the archive that are of some kinds, in its order.
func (r *Restore) create(ctx context.Context, kinds ...string) error {
	for _, each := range r.Archive.Objects {
		if slices.Contains(kinds, each.text("kind")) {
			if err := r.apply(ctx, each); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply creates an object, or merges it into the one that a program, or an interrupted run, has created.
func (r *Restore) apply(ctx context.Context, object Object) error {
	collection, err := r.kinds.Collection(ctx, object.text("apiVersion"), object.text("kind"), object.text("metadata", "namespace"))
	if err != nil {
		return fmt.Errorf("%s: %w", object.Name(), err)
	}
	err = r.Target.Create(ctx, collection, object)
	var answer *cluster.Error
	if errors.As(err, &answer) && answer.Status == http.StatusConflict {
		err = r.Target.Merge(ctx, collection+"/"+url.PathEscape(object.text("metadata", "name")), object)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", object.Name(), err)
	}
	return nil
}

// secrets restores Secrets before the programs start: app-proxy finds the token of the runtime and registers no second one, sealed-secrets finds its keys
// and creates no others, and Argo CD keeps its password and sessions. Helm adopts those of the release, which have its labels and annotations.
func (r *Restore) secrets(ctx context.Context) error { return r.create(ctx, "Secret") }

// install installs the chart. An install that was interrupted is removed first, since Helm refuses to continue it, with the Secrets of the release.
func (r *Restore) install(ctx context.Context) error {
	releases, err := r.Target.Metadata(ctx, r.core("secrets", ""), "owner=helm,name="+r.Archive.Release)
	if err != nil {
		return fmt.Errorf("the state of the release: %w", err)
	}
	deployed := false
	for _, one := range releases {
		deployed = deployed || one.Labels["status"] == "deployed"
	}
	if len(releases) > 0 && !deployed {
		if err := r.Installer.Abandon(ctx, r.Archive); err != nil {
			return err
		}
		if err := r.secrets(ctx); err != nil {
			return err
		}
	}
	return r.Installer.Install(ctx, r.Archive)
}

// objects restores the objects of Argo. Applications get theirs without automated sync, which would prune and heal while others are missing.
func (r *Restore) objects(ctx context.Context) error {
	for _, each := range kinds[:len(kinds)-2] {
		if err := r.create(ctx, each.kind); err != nil {
			return err
		}
	}
	for _, each := range r.Archive.Objects {
		if each.text("kind") != "Application" {
			continue
		}
		application, err := hold(each)
		if err != nil {
			return err
		}
		if err := r.apply(ctx, application); err != nil {
			return err
		}
	}
	return nil
}

// hold returns an Application without automated sync, which an annotation keeps.
func hold(application Object) (Object, error) {
	policy := application.sub("spec", "syncPolicy")
	if policy["automated"] == nil {
		return application, nil
	}
	automated, err := json.Marshal(policy["automated"])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", application.Name(), err)
	}
	text, err := json.Marshal(application)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", application.Name(), err)
	}
	var made Object
	if err := json.Unmarshal(text, &made); err != nil {
		return nil, fmt.Errorf("%s: %w", application.Name(), err)
	}
	made.sub("spec", "syncPolicy")["automated"] = nil // also removes it from one that exists
	made.annotate(held, string(automated))
	return made, nil
}

// release waits until Argo CD has compared all Applications with Git, returns their automated sync, and restores ApplicationSets, which adopt theirs.
func (r *Restore) release(ctx context.Context) error {
	deadline := time.Now().Add(r.Patience)
	for {
		waiting, err := r.uncompared(ctx)
		switch {
		case err != nil:
			return err
		case len(waiting) == 0:
			return r.unhold(ctx)
		case time.Now().After(deadline):
			return fmt.Errorf("all objects are there, but Argo CD has not compared %d Applications with Git within %s (%s): validate-values doctor says why; their automated sync is held until then",
				len(waiting), r.Patience, strings.Join(waiting[:min(len(waiting), 5)], ", "))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(r.Pause):
		}
	}
}

// each calls a function with the API path of each Application of the archive, and with the live Application.
func (r *Restore) each(ctx context.Context, do func(path string, live Object) error) error {
	for _, application := range r.Archive.Objects {
		if application.text("kind") != "Application" {
			continue
		}
		collection, err := r.kinds.Collection(ctx, argo, "Application", application.text("metadata", "namespace"))
		if err != nil {
			return err
		}
		at := path.Join(collection, url.PathEscape(application.text("metadata", "name")))
		var live Object
		if err := r.Target.Get(ctx, at, &live); err != nil {
			return fmt.Errorf("%s: %w", application.Name(), err)
		}
		if err := do(at, live); err != nil {
			return fmt.Errorf("%s: %w", application.Name(), err)
		}
	}
	return nil
}

// uncompared returns the held Applications whose state Argo CD does not know.
func (r *Restore) uncompared(ctx context.Context) ([]string, error) {
	var waiting []string
	err := r.each(ctx, func(_ string, live Object) error {
		state := live.text("status", "sync", "status")
		if live.text("metadata", "annotations", held) != "" && state != "Synced" && state != "OutOfSync" {
			waiting = append(waiting, live.text("metadata", "name"))
		}
		return nil
	})
	return waiting, err
}

func (r *Restore) unhold(ctx context.Context) error {
	err := r.each(ctx, func(at string, live Object) error {
		kept := live.text("metadata", "annotations", held)
		if kept == "" {
			return nil
		}
		return r.Target.Merge(ctx, at, map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{held: nil}},
			"spec":     map[string]any{"syncPolicy": map[string]any{"automated": json.RawMessage(kept)}},
		})
	})
	if err != nil {
		return err
	}
	return r.create(ctx, "ApplicationSet")
}
