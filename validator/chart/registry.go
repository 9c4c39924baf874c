package chart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/docker/cli/cli/config"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

const (
	// scheme begins the reference of a chart in a registry.
	scheme = "oci://"
	// layerType is the media type under which Helm stores a packaged chart.
	layerType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	// pullTime bounds the download of a chart.
	pullTime = time.Minute
)

// Registry says how registries are asked.
type Registry struct {
	// HelmConfig is the file that `helm registry login` writes; Docker's own
	// is read as well.
	HelmConfig string
	// PlainHTTP asks without TLS; loopback is asked so in any case.
	PlainHTTP bool
}

// IsReference tells whether a name means a chart in a registry.
func IsReference(name string) bool { return strings.HasPrefix(name, scheme) }

// Pull reads a chart from a registry: oci://host/path:version, or without the
// version when that is given beside it. Without any the newest release is taken.
func (r Registry) Pull(ctx context.Context, reference, version string) (*Chart, error) {
	ctx, cancel := context.WithTimeout(ctx, pullTime)
	defer cancel()
	options := []remote.Option{
		remote.WithContext(ctx), remote.WithAuthFromKeychain(r.keychain()),
		remote.WithRetryStatusCodes(), remote.WithRetryBackoff(remote.Backoff{Steps: 1}),
	}
	target, err := r.target(reference, version, options)
	if err != nil {
		return nil, err
	}
	archive, err := download(target, options)
	if err != nil {
		return nil, refused(reference, target.Context().RegistryStr(), err)
	}
	files, err := untar(archive)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", reference, err)
	}
	return read(source{files: files, place: target.String()})
}

// target is the exact thing to pull.
func (r Registry) target(reference, version string, options []remote.Option) (name.Reference, error) {
	how := []name.Option{name.StrictValidation}
	if r.PlainHTTP {
		how = append(how, name.Insecure)
	}
	text := strings.TrimPrefix(reference, scheme)
	if target, err := name.ParseReference(text, how...); err == nil {
		return target, nil
	}
	repository, err := name.NewRepository(text, how...)
	if err != nil {
		return nil, fmt.Errorf("chart %s: write it as oci://host/path or oci://host/path:version", reference)
	}
	if version != "" {
		// A tag holds no "+"; Helm writes "_" in its place.
		return repository.Tag(strings.ReplaceAll(version, "+", "_")), nil
	}
	tags, err := remote.List(repository, options...)
	if err != nil {
		return nil, refused(reference, repository.RegistryStr(), err)
	}
	newest := newestRelease(tags)
	if newest == "" {
		return nil, fmt.Errorf("chart %s has no released version; name one with --version", reference)
	}
	return repository.Tag(newest), nil
}

// download fetches the layer that holds the packaged chart; its digest is
// checked while it is read.
func download(target name.Reference, options []remote.Option) ([]byte, error) {
	image, err := remote.Image(target, options...)
	if err != nil {
		return nil, err
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		if kind, err := layer.MediaType(); err != nil || string(kind) != layerType {
			continue
		}
		packed, err := layer.Compressed()
		if err != nil {
			return nil, err
		}
		archive, err := io.ReadAll(io.LimitReader(packed, maxArchive))
		return archive, errors.Join(err, packed.Close())
	}
	return nil, errNoChart
}

var errNoChart = errors.New("it is no Helm chart (an image, perhaps)")

// refused words what a registry answered.
func refused(reference, host string, err error) error {
	var answer *transport.Error
	switch {
	case errors.Is(err, errNoChart):
		return fmt.Errorf("chart %s: %w", reference, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("chart %s: %s gave no answer within %s", reference, host, pullTime)
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden):
		return fmt.Errorf("chart %s: %s refuses to give it (HTTP %d); sign in with `helm registry login %s`", reference, host, answer.StatusCode, host)
	case errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound:
		return fmt.Errorf("chart %s: %s has no such chart or version", reference, host)
	case errors.As(err, &answer):
		return fmt.Errorf("chart %s: %s answers HTTP %d", reference, host, answer.StatusCode)
	}
	return fmt.Errorf("chart %s cannot be pulled: %w", reference, err)
}

// keychain looks for a login in Helm's file first, and in Docker's then.
func (r Registry) keychain() authn.Keychain {
	return authn.NewMultiKeychain(helmKeychain(r.HelmConfig), authn.DefaultKeychain)
}

// helmKeychain is the file of `helm registry login`, which has Docker's form.
type helmKeychain string

// Resolve gives the login for a registry, or that of nobody.
func (k helmKeychain) Resolve(target authn.Resource) (authn.Authenticator, error) {
	file, err := os.Open(string(k))
	if err != nil {
		return authn.Anonymous, nil
	}
	defer file.Close()
	logins, err := config.LoadFromReader(file)
	if err != nil {
		return nil, fmt.Errorf("logins of registries in %s: %w", string(k), err)
	}
	login, err := logins.GetAuthConfig(target.RegistryStr())
	if err != nil {
		return nil, fmt.Errorf("login for %s by %s: %w", target.RegistryStr(), string(k), err)
	}
	if login.Username == "" && login.IdentityToken == "" && login.RegistryToken == "" {
		return authn.Anonymous, nil
	}
	return authn.FromConfig(authn.AuthConfig{
		Username: login.Username, Password: login.Password, IdentityToken: login.IdentityToken, RegistryToken: login.RegistryToken,
	}), nil
}
