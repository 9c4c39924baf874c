package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/image"
	"gitops-runtime/hack/release/imagelock"
	"gitops-runtime/hack/release/plugin"
	"gitops-runtime/hack/release/publish"
	"gitops-runtime/hack/release/sign"
	"gitops-runtime/hack/release/source"
	"gitops-runtime/hack/release/statement"
	"gitops-runtime/hack/release/verify"
	"gitops-runtime/hack/release/version"
	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/registry"
)

// common contains the flags of publish and verify.
type common struct {
	registries registry.Flags
	identity   sign.Identity
}

func (c *common) register(flags *pflag.FlagSet) {
	c.registries.Register(flags)
	c.identify(flags)
}

// identify registers the flags for valid signers.
func (c *common) identify(flags *pflag.FlagSet) {
	flags.StringVar(&c.identity.Key, "public-key", os.Getenv("COSIGN_PUBLIC_KEY"), "public key that signatures are valid by: a file or an address of a KMS (COSIGN_PUBLIC_KEY)")
	flags.StringVar(&c.identity.Subject, "identity", os.Getenv("COSIGN_IDENTITY"), "without a key: whose certificate signatures are valid by (COSIGN_IDENTITY)")
	flags.StringVar(&c.identity.Issuer, "issuer", os.Getenv("COSIGN_ISSUER"), "without a key: who vouched for the identity (COSIGN_ISSUER)")
	flags.BoolVar(&c.identity.Offline, "offline", os.Getenv("OFFLINE") != "", "do without transparency log and timestamps; needs a key (OFFLINE=1)")
}

// access returns the registry settings; waits are reported on standard error.
func (c *common) access() (registry.Access, error) {
	access, err := c.registries.Access(os.Getenv)
	access.Waiting = func(wait registry.Wait) {
		fmt.Fprintf(os.Stderr, "%s: the registry requests a pause; continuing in %s\n", wait.Host, wait.For.Round(time.Second))
	}
	return access, err
}

// place returns the registry of the command line as host/path; without one, that of the product's address.
func place(arguments []string, product address.Address) (string, error) {
	if len(arguments) > 0 {
		return address.Place(arguments[0])
	}
	if product.Registry == "" {
		return "", errors.New("name a place in a registry, host/path (REGISTRY in make), or set one for all releases with `make address`")
	}
	return product.Registry, nil
}

func publishCommand() *cobra.Command {
	var flags common
	var key, url, builder, cosign string
	var pgp openPGP
	var dirty, replace, byTag bool
	command := &cobra.Command{
		Use:   "publish [HOST/PATH]",
		Short: "Publish images and charts, signed, with SBOM and provenance",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			ctx := command.Context()
			publisher, err := newPublisher(ctx, &flags, arguments, url, dirty)
			if err != nil {
				return err
			}
			if publisher.Locked, err = locked(publisher, byTag); err != nil {
				return err
			}
			folder, err := os.MkdirTemp("", "release")
			if err != nil {
				return err
			}
			defer os.RemoveAll(folder)
			signer, err := newSigner(ctx, cosign, key, flags.identity, folder)
			if err != nil {
				return err
			}
			if publisher.Source.Dirty && key == "" {
				return errors.New("--dirty publishes content that no commit has, which only a key of yours may sign: commit the changes, or give --key (COSIGN_KEY) instead of an identity")
			}
			publisher.Signer, publisher.Builder, publisher.Replace = signer, builder, replace
			if publisher.Clearsigner, err = pgp.signer(); err != nil {
				return err
			}
			return publisher.Publish(ctx)
		},
	}
	flags.register(command.Flags())
	registerSigner(command.Flags(), &key, &cosign)
	pgp.register(command.Flags())
	command.Flags().StringVar(&url, "source-url", os.Getenv("SOURCE_URL"), "repository of the sources, https://host/path (SOURCE_URL; default: that of address.yaml, then the origin of the clone)")
	command.Flags().StringVar(&builder, "builder", cmp.Or(workflow(), statement.LocalBuilder), "identity of what builds, for the provenance (default in CI: the workflow)")
	command.Flags().BoolVar(&dirty, "dirty", false, "publish uncommitted changes")
	command.Flags().BoolVar(&byTag, "by-tag", os.Getenv("BY_TAG") != "", "publish charts that name images of other projects by tag, as far as no digest is locked (BY_TAG=1)")
	command.Flags().BoolVar(&replace, "replace", false, "overwrite a version that was published with other content")
	return command
}

// locked returns the digests of the checkout's images of other projects. Images without a digest, and digests of other images or of long ago, are an error
// unless charts may name images by tag.
func locked(publisher publish.Publisher, byTag bool) (map[string]string, error) {
	lock, err := imagelock.Read(publisher.Root)
	if err != nil || byTag {
		return lock.Images, err
	}
	listed, err := imagelock.Listed(publisher.Root, publisher.Address.Images())
	if err != nil {
		return nil, err
	}
	if problems := lock.Problems(listed, time.Now()); len(problems) > 0 {
		return nil, fmt.Errorf("charts cannot name every image by digest: %s: %s and %d more; run `make images-lock` and commit the file, or publish by tag with --by-tag (BY_TAG=1)",
			imagelock.File, problems[0], len(problems)-1)
	}
	return lock.Images, nil
}

// registerSigner registers the flags for the signer.
func registerSigner(flags *pflag.FlagSet, key, cosign *string) {
	flags.StringVar(key, "key", os.Getenv("COSIGN_KEY"), "private key to sign with: a file or an address of a KMS; without it cosign asks for an identity (COSIGN_KEY)")
	flags.StringVar(cosign, "cosign", "bin/cosign", "the program cosign")
}

// workflow returns the workflow of GitHub Actions that runs this program, the builder's identity in GitHub's own attestations; "" elsewhere.
// https://docs.github.com/en/actions/reference/workflows-and-actions/variables
func workflow() string {
	if reference := os.Getenv("GITHUB_WORKFLOW_REF"); reference != "" {
		return os.Getenv("GITHUB_SERVER_URL") + "/" + reference
	}
	return ""
}

func newPublisher(ctx context.Context, flags *common, arguments []string, url string, dirty bool) (publish.Publisher, error) {
	none := publish.Publisher{}
	root, err := gomodule.Root()
	if err != nil {
		return none, err
	}
	product, err := address.Read(root)
	if err != nil {
		return none, err
	}
	to, err := place(arguments, product)
	if err != nil {
		return none, err
	}
	current, err := version.Read(root)
	if err != nil {
		return none, err
	}
	access, err := flags.access()
	if err != nil {
		return none, err
	}
	from, err := source.Read(ctx, root, cmp.Or(url, product.Repository), dirty)
	if err != nil {
		return none, err
	}
	product.Repository = strings.TrimSuffix(from.URL, "/")
	if err := product.Check(); err != nil {
		return none, fmt.Errorf("--source-url: %w", err)
	}
	charts, err := publish.Charts(root)
	if err != nil {
		return none, err
	}
	fmt.Printf("Publishing %s of commit %s to %s\n", current, from.Name(), to)
	return publish.Publisher{
		Root: root, Registry: to, Version: current, Charts: charts, Plugins: plugin.Plugins(), Access: access, Source: from, Address: product,
		Compile: image.Go(root, filepath.Join(root, ".cache", "release")),
		Report: func(event publish.Event) {
			status := "present  "
			if event.Written {
				status = "published"
			}
			fmt.Printf("  %s %s\n", status, event.Reference)
		},
	}, nil
}

// newSigner returns a signer with a key, whose public key is written to folder unless one is given, or with an identity.
func newSigner(ctx context.Context, program, key string, identity sign.Identity, folder string) (sign.Cosign, error) {
	signer := sign.Cosign{Path: program, Key: key, Identity: identity}
	switch {
	case key == "" && identity.Key != "":
		return signer, errors.New("--public-key requires the private key, --key (COSIGN_KEY)")
	case key != "" && identity.Key == "":
		signer.Identity.Key = filepath.Join(folder, "cosign.pub")
		if err := signer.PublicKey(ctx, signer.Identity.Key); err != nil {
			return signer, fmt.Errorf("read the public key of %s: %w", key, err)
		}
	}
	return signer, signer.Identity.Check()
}

func verifyCommand() *cobra.Command {
	var flags common
	var cosign string
	var verifier verify.Verifier
	command := &cobra.Command{
		Use:   "verify [HOST/PATH]",
		Short: "Verify the images and charts of a release in a registry",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			if err := complete(command.Context(), &verifier, &flags, arguments); err != nil {
				return err
			}
			verifier.Signatures = sign.Cosign{Path: cosign, Identity: flags.identity}
			return verifier.Verify(command.Context())
		},
	}
	flags.register(command.Flags())
	command.Flags().StringVar(&cosign, "cosign", "bin/cosign", "the program cosign")
	command.Flags().StringVar(&verifier.Version, "version", "", "version to verify (default: that of the file VERSION)")
	command.Flags().StringVar(&verifier.From, "from", "", "HOST/PATH that the release was published to, if it was copied from there (default: the place that is verified)")
	command.Flags().StringVar(&verifier.Commit, "commit", "", "full commit that was released (default: that of the checkout)")
	command.Flags().StringVar(&verifier.Builder, "builder", "", "who has to have built it, as --builder of publish (default: the identity, if one is given)")
	command.Flags().BoolVar(&verifier.Dirty, "allow-dirty", false, "accept what was published with --dirty")
	return command
}

// complete fills the fields of a verifier that flags do not set.
func complete(ctx context.Context, verifier *verify.Verifier, flags *common, arguments []string) error {
	if err := flags.identity.Check(); err != nil {
		return err
	}
	root, err := gomodule.Root()
	if err != nil {
		return err
	}
	product, err := address.Read(root)
	if err != nil {
		return err
	}
	if verifier.Registry, err = place(arguments, product); err != nil {
		return err
	}
	if verifier.From != "" {
		if verifier.From, err = address.Place(verifier.From); err != nil {
			return err
		}
	}
	if verifier.Version == "" {
		if verifier.Version, err = version.Read(root); err != nil {
			return err
		}
	}
	if verifier.Commit == "" {
		from, err := source.Read(ctx, root, "", true)
		if err != nil {
			return fmt.Errorf("the commit that was released is not known: run this in a checkout of it, or name it with --commit: %w", err)
		}
		verifier.Commit = from.Revision
	}
	verifier.Builder, verifier.Report = cmp.Or(verifier.Builder, flags.identity.Subject), show
	for _, program := range image.Programs() {
		verifier.Images = append(verifier.Images, program.Name)
	}
	for _, one := range plugin.Plugins() {
		verifier.Plugins = append(verifier.Plugins, one.Name)
	}
	if verifier.Charts, err = publish.Charts(root); err != nil {
		return err
	}
	verifier.Access, err = flags.access()
	return err
}

// show prints the result of an artifact.
func show(result verify.Result) {
	if len(result.Defects) == 0 {
		more := ""
		if len(result.ByTag) > 0 {
			more = fmt.Sprintf("; %d images by tag, not by digest", len(result.ByTag))
		}
		fmt.Printf("  ok   %s@%s: signature, SBOM of %d packages, provenance (commit %.12s, %s)%s\n", result.Reference, result.Digest, result.Packages,
			cleantext.Line(result.Revision), cleantext.Line(cleantext.Short(result.Builder)), more)
		return
	}
	for _, defect := range result.Defects {
		fmt.Printf("  FAIL %s: %s\n", result.Reference, cleantext.Line(cleantext.Cut(defect, longest)))
	}
}
