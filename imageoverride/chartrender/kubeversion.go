package chartrender

import (
	"fmt"

	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/helmchart"
)

// DefaultKubeVersion is the Kubernetes version that templates see by default, as with `helm template`.
const DefaultKubeVersion = helmchart.AssumedKubernetes

// Minor versions that are tried, newest first, for charts that do not allow the
// default version.
const newestMinor, oldestMinor = 45, 10

// Check returns the error of invalid settings.
func (s Settings) Check() error {
	if s.KubeVersion == "" {
		return nil
	}
	if _, err := chartutil.ParseKubeVersion(s.KubeVersion); err != nil {
		return fmt.Errorf("--kube-version %q is not a version; write one such as 1.33", s.KubeVersion)
	}
	return nil
}

// WrongKubeVersion is the error for a Kubernetes version that a chart does not allow.
type WrongKubeVersion struct{ Wanted, Constraint string }

func (w *WrongKubeVersion) Error() string {
	return fmt.Sprintf("its kubeVersion %q does not allow Kubernetes %s; give another with --kube-version", w.Constraint, w.Wanted)
}

// kubeVersion returns the version to render for, given a chart's constraint.
func (s Settings) kubeVersion(constraint string) (*chartutil.KubeVersion, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	text := s.KubeVersion
	if text == "" {
		text = DefaultKubeVersion
	}
	version, err := chartutil.ParseKubeVersion(text)
	if err != nil {
		return nil, fmt.Errorf("version %s of Kubernetes: %w", text, err)
	}
	if constraint == "" || chartutil.IsCompatibleRange(constraint, version.String()) {
		return version, nil
	}
	if s.KubeVersion != "" {
		return nil, &WrongKubeVersion{version.String(), constraint}
	}
	for minor := newestMinor; minor >= oldestMinor; minor-- {
		other, err := chartutil.ParseKubeVersion(fmt.Sprintf("v1.%d.0", minor))
		if err == nil && chartutil.IsCompatibleRange(constraint, other.String()) {
			return other, nil
		}
	}
	return nil, &WrongKubeVersion{version.String(), constraint}
}
