package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gitops-runtime/tests/e2e/internal/process"
	"gitops-runtime/tests/hostlock"
)

// debian creates Debian file systems with mmdebstrap.
type debian struct {
	run process.Runner
}

// prepare installs mmdebstrap if it is missing and returns the URL of the Debian mirror that apt uses on this machine.
func (d debian) prepare(ctx context.Context) (mirror string, err error) {
	list := process.Command{
		Name: "apt-get",
		Args: []string{"indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(REPO_URI)", "Created-By: Packages"},
	}
	targets, err := d.run(ctx, list)
	if err != nil {
		return "", fmt.Errorf("a node image can only be built on Debian, from the packages of its mirror: %w", err)
	}
	if mirror, err = debianMirror(targets); err != nil {
		return "", err
	}
	installed := func() bool { _, err := exec.LookPath("mmdebstrap"); return err == nil }
	if err := hostlock.Install(ctx, d.run.Program, installed, "mmdebstrap"); err != nil {
		return "", fmt.Errorf("install mmdebstrap, which builds node images: %w", err)
	}
	return mirror, nil
}

// debianMirror returns the URL of Debian's main archive, without a final slash, from lines "origin|label|URL".
func debianMirror(targets string) (string, error) {
	for line := range strings.Lines(targets) {
		if mirror, found := strings.CutPrefix(strings.TrimSpace(line), "Debian|Debian|"); found {
			return strings.TrimSuffix(mirror, "/"), nil
		}
	}
	return "", errors.New("apt on this machine has no Debian archive among its sources; " +
		"add one and run apt-get update, or run on a machine that can pull " + Upstream)
}

// node writes the lower layer of a node image.
func (d debian) node(ctx context.Context, mirror, out string) error {
	hook, err := os.CreateTemp(filepath.Dir(out), "customize-*.sh")
	if err != nil {
		return err
	}
	defer os.Remove(hook.Name())
	_, err = hook.WriteString(file("customize.sh"))
	if err := errors.Join(err, hook.Chmod(0o700), hook.Close()); err != nil {
		return err
	}
	return d.mmdebstrap(ctx, mirror, out, "minbase", nodePackages, "--customize-hook="+hook.Name())
}

// proxy writes the layer with the tools of kube-proxy's image. Its packages are unpacked, not installed.
func (d debian) proxy(ctx context.Context, mirror, out string) error {
	return d.mmdebstrap(ctx, mirror, out, "extract", proxyPackages)
}

func (d debian) mmdebstrap(ctx context.Context, mirror, out, variant string, packages []string, more ...string) error {
	args := append([]string{
		"--variant=" + variant, "--format=tar", "--include=" + strings.Join(packages, ","),
		"--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
	}, more...)
	unfinished := out + ".unfinished"
	_, err := d.run(ctx, process.Command{
		Name: "mmdebstrap",
		Args: append(args, suite, unfinished, "deb "+mirror+" "+suite+" main"),
		Env:  []string{"SOURCE_DATE_EPOCH=0"},
	})
	if err != nil {
		return err
	}
	return os.Rename(unfinished, out)
}
