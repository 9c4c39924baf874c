package registry

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"helm.sh/helm/v3/pkg/helmpath"
)

// Flags are the flags for registries, which all programs share.
type Flags struct {
	access Access
	reach  []string
}

// Register adds the flags.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&f.access.CAFile, "ca-file", "", "certificate authorities of registries in PEM format, in addition to the system's")
	flags.StringArrayVar(&f.access.PlainHTTP, "plain-http", nil, "registry host[:port] to contact without TLS (may be repeated)")
	flags.StringArrayVar(&f.reach, "reach", nil, "contact a registry under another host name, host=host (may be repeated)")
	flags.StringVar(&f.access.Logins, "registry-config", "", "logins for registries (default: Helm's file, then Docker's)")
}

// Access returns the settings of the flags; the environment locates Helm's logins.
func (f *Flags) Access(getenv func(string) string) (Access, error) {
	access := f.access
	access.Logins = cmp.Or(access.Logins, getenv("HELM_REGISTRY_CONFIG"), helmpath.ConfigPath("registry/config.json"))
	access.Rewrite = map[string]string{}
	for _, host := range access.PlainHTTP {
		if strings.Contains(host, "/") || host == "" {
			return access, fmt.Errorf("--plain-http %q: write host[:port] alone", host)
		}
	}
	for _, text := range f.reach {
		from, to, found := strings.Cut(text, "=")
		if !found || from == "" || to == "" {
			return access, fmt.Errorf("--reach %q: write host=host", text)
		}
		access.Rewrite[from] = to
	}
	return access, nil
}
