package platformapi

import (
	_ "embed"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

//go:embed seed.yaml
var defaultSeed []byte

// Seed is the initial data of the platform.
type Seed struct {
	Accounts []Account `json:"accounts"`
	Users    []User    `json:"users"`
	Runtimes []Runtime `json:"runtimes,omitempty"`
}

// Account is a customer's account.
type Account struct {
	ID               string   `json:"id"`
	Name             string   `json:"name"`
	GitProvider      string   `json:"gitProvider,omitempty"` // GitProvider is BITBUCKET, BITBUCKET_SERVER, GERRIT, GITHUB or GITLAB.
	GitAPIURL        string   `json:"gitApiUrl,omitempty"`
	SharedConfigRepo string   `json:"sharedConfigRepo,omitempty"`
	Admins           []string `json:"admins,omitempty"` // Admins are user ids.
	Limits           *Limits  `json:"limits,omitempty"` // Limits of the account; nil for none.
}

// User is a person with a token. Account is the id of the active account; empty if the user has none.
type User struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Token   string `json:"token"`
	Account string `json:"account,omitempty"`
}

// Runtime is a registered runtime. Its token is accepted for events and tunnels; the test API never returns it.
type Runtime struct {
	Account     string `json:"account"`
	Name        string `json:"name"`
	Namespace   string `json:"namespace,omitempty"`
	Cluster     string `json:"cluster,omitempty"`
	IngressHost string `json:"ingressHost,omitempty"`
	Version     string `json:"version,omitempty"`
	Status      string `json:"status,omitempty"` // Status is IN_PROGRESS, COMPLETED (the default) or FAILED.
	Token       string `json:"token,omitempty"`

	InstallationType  string `json:"installationType,omitempty"` // InstallationType is HELM (the default) or HELM_HOSTED.
	ChartVersion      string `json:"chartVersion,omitempty"`
	IngressClass      string `json:"ingressClass,omitempty"`
	IngressController string `json:"ingressController,omitempty"`
	AccessMode        string `json:"accessMode,omitempty"` // AccessMode is INGRESS, TUNNEL, or empty if the runtime does not specify it.
	Managed           bool   `json:"managed,omitempty"`
	ExternalArgoCD    bool   `json:"isExternalArgoCd,omitempty"`
}

// DefaultSeed returns a seed with account acc1 (admin token user-token-admin, member token user-token-member, a runtime named taken) and
// account acc2 (admin token user-token-acc2).
func DefaultSeed() Seed {
	seed, err := ParseSeed(defaultSeed)
	if err != nil {
		panic(fmt.Sprintf("the embedded seed.yaml: %v", err))
	}
	return seed
}

// DefaultSeedDocument returns DefaultSeed as YAML.
func DefaultSeedDocument() []byte { return slices.Clone(defaultSeed) }

// ParseSeed parses a seed in YAML or JSON. Unknown fields and references to missing accounts or users are errors.
func ParseSeed(document []byte) (Seed, error) {
	var seed Seed
	if err := yaml.UnmarshalStrict(document, &seed); err != nil {
		return Seed{}, fmt.Errorf("reading the seed: %w", err)
	}
	return seed, seed.check()
}

func (s Seed) check() error {
	accounts, users, tokens := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, account := range s.Accounts {
		if account.ID == "" || accounts[account.ID] {
			return fmt.Errorf("the seed's account id %q is empty or a duplicate", account.ID)
		}
		accounts[account.ID] = true
	}
	for _, user := range s.Users {
		if user.ID == "" || users[user.ID] {
			return fmt.Errorf("the seed's user id %q is empty or a duplicate", user.ID)
		}
		if user.Token == "" || tokens[user.Token] {
			return fmt.Errorf("the token of the seed's user %q is empty or used twice", user.ID)
		}
		if user.Account != "" && !accounts[user.Account] {
			return fmt.Errorf("the seed's user %q has the account %q, which is not among the accounts", user.ID, user.Account)
		}
		users[user.ID], tokens[user.Token] = true, true
	}
	for _, account := range s.Accounts {
		for _, admin := range account.Admins {
			if !users[admin] {
				return fmt.Errorf("the seed's account %q has the admin %q, who is not among the users", account.ID, admin)
			}
		}
	}
	for _, runtime := range s.Runtimes {
		if runtime.Name == "" || !accounts[runtime.Account] {
			return fmt.Errorf("the seed's runtime %q has the account %q, which is not among the accounts", runtime.Name, runtime.Account)
		}
	}
	return nil
}
