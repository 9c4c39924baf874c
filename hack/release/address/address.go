// Package address reads and sets the address of the product: its Git repository, registry, contacts, maintainers and Go module path, which only the
// file address.yaml states. Everything that is published gets them from here.
package address

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"text/template"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/module"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/checkout"
	"gitops-runtime/internal/cleantext"
)

// File is the file with the address, below the root of the checkout.
const File = "address.yaml"

// What stands for a registry and a repository that are not set. The host of images has the top-level domain that nobody can own (RFC 6761), so that a
// chart which was not published can never pull the image of somebody else.
const (
	ExampleRegistry   = "registry.example.com/gitops"
	ExampleRepository = "github.com/<owner>/<repository>"
	NoRegistry        = "address-not-set.invalid"
)

// Address is the content of the file.
type Address struct {
	// Module is the Go module path of the programs.
	Module string `json:"module"`
	// Repository is the Git repository, https://host/path; may be empty, as the fields below.
	Repository string `json:"repository"`
	// Registry is the registry of the published charts and images, host/path.
	Registry string `json:"registry"`
	// Support and Security are URLs or e-mail addresses.
	Support  string `json:"support"`
	Security string `json:"security"`
	// Maintainers are those of the charts.
	Maintainers []Maintainer `json:"maintainers"`
	// Icon is the URL of the charts' icon.
	Icon string `json:"icon"`
}

// Maintainer is a maintainer of the charts.
type Maintainer struct {
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
	URL   string `json:"url,omitempty"`
}

// Read reads the address of a checkout.
func Read(root string) (Address, error) {
	var read Address
	if err := checkout.YAML(root, File, &read); err != nil {
		return Address{}, fmt.Errorf("read the address: %w", err)
	}
	if err := read.Check(); err != nil {
		return Address{}, fmt.Errorf("%s: %w", File, err)
	}
	return read, nil
}

// Check returns an error that names every field with an invalid value.
func (a Address) Check() error {
	var problems []error
	if err := module.CheckImportPath(a.Module); err != nil {
		problems = append(problems, fmt.Errorf("module: %w", err))
	}
	for field, value := range map[string]string{"repository": a.Repository, "icon": a.Icon} {
		if value != "" && !isPage(value) {
			problems = append(problems, fmt.Errorf("%s: %q is not a URL: write https://host/path", field, shown(value)))
		}
	}
	if a.Registry != "" {
		if _, err := Place(a.Registry); err != nil {
			problems = append(problems, fmt.Errorf("registry: %w", err))
		}
	}
	for field, value := range map[string]string{"support": a.Support, "security": a.Security} {
		if value != "" && !isPage(value) && !isMail(value) {
			problems = append(problems, fmt.Errorf("%s: %q is neither a URL nor an e-mail address", field, shown(value)))
		}
	}
	for _, maintainer := range a.Maintainers {
		switch {
		case maintainer.Name == "":
			problems = append(problems, errors.New("maintainers: one has no name"))
		case maintainer.Email != "" && !isMail(maintainer.Email), maintainer.URL != "" && !isPage(maintainer.URL):
			problems = append(problems, fmt.Errorf("maintainers: the email or url of %q is invalid", maintainer.Name))
		}
	}
	return errors.Join(problems...)
}

// shown returns a value for messages, without a password and not at any length.
func shown(value string) string {
	if at := strings.LastIndex(value, "@"); at >= 0 && strings.Contains(value[:at], ":") { // not git@host:path
		value = cleantext.URL(value)
	}
	return cleantext.Short(value)
}

func isPage(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && parsed.Scheme == "https" && strings.Contains(parsed.Host, ".") && parsed.User == nil && !strings.HasSuffix(text, "/")
}

func isMail(text string) bool {
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text
}

// Place returns the place in a registry that a text names, with or without oci://, as host/path.
func Place(text string) (string, error) {
	trimmed := strings.TrimSuffix(strings.TrimPrefix(text, "oci://"), "/")
	host, _, found := strings.Cut(trimmed, "/")
	if _, err := name.NewRepository(trimmed, name.StrictValidation); err != nil || !found || strings.Contains(trimmed, "://") || !strings.ContainsAny(host, ".:") && host != "localhost" {
		return "", fmt.Errorf("%q is not a place in a registry: write host/path, such as ghcr.io/my-team or localhost:5000/runtime", shown(text))
	}
	return trimmed, nil
}

// ShownRegistry returns the registry that pages show: an example if none is set.
func (a Address) ShownRegistry() string { return cmp.Or(a.Registry, ExampleRegistry) }

// ShownRepository returns host/path of the repository that pages show: an example if none is set.
func (a Address) ShownRepository() string {
	return cmp.Or(strings.TrimPrefix(a.Repository, "https://"), ExampleRepository)
}

// Images returns the registry of the product's images in the values of the charts: one that does not exist if none is set.
func (a Address) Images() string { return cmp.Or(a.Registry, NoRegistry) }

// SupportLink returns the URL where users get help, "" if there is none.
func (a Address) SupportLink() string { return a.contact(a.Support, "/issues") }

// SecurityLink returns the URL for reports of vulnerabilities, "" if there is none.
func (a Address) SecurityLink() string { return a.contact(a.Security, "/security/advisories/new") }

// Supplier returns who publishes the product: the first maintainer or, without one, the place of the repository or registry.
func (a Address) Supplier() string {
	if len(a.Maintainers) > 0 {
		return a.Maintainers[0].Name
	}
	return cmp.Or(strings.TrimPrefix(a.Repository, "https://"), a.Registry)
}

// contact returns a contact as a URL; without one, a page of the repository.
func (a Address) contact(set, page string) string {
	switch {
	case isMail(set):
		return "mailto:" + set
	case set != "" || a.Repository == "":
		return set
	}
	return a.Repository + page
}

// Page returns the URL of a file or folder at a revision of the repository, in the form of GitHub, which GitLab redirects; "" if no repository is set.
func (a Address) Page(revision, path string) string {
	if a.Repository == "" {
		return ""
	}
	return a.Repository + "/blob/" + revision + "/" + path
}

//go:embed address.yaml.tmpl
var written string

// text returns the content of the file.
func (a Address) text() ([]byte, error) {
	page, err := template.New(File).Parse(written)
	if err != nil {
		return nil, err
	}
	maintainers, err := yaml.Marshal(map[string]any{"maintainers": append([]Maintainer{}, a.Maintainers...)})
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = page.Execute(&text, struct {
		Address
		People string
	}{a, strings.TrimSpace(string(maintainers))})
	return text.Bytes(), err
}
