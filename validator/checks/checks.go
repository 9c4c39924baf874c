package checks

import (
	"context"
	"slices"
	"time"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/engine"
)

// Deadlines of a check: a check of values takes almost no time; a network request may need a DNS lookup, a connection, a handshake and a response.
const (
	local  = 5 * time.Second
	remote = 15 * time.Second
)

// row is a check before it is bound to a subject.
type row struct {
	code, title, group string
	needs              []string
	deadline           time.Duration
	run                func(ctx context.Context, d *state) engine.Outcome
}

// rows returns the table of checks, in the order of the report.
func rows() []row {
	return []row{
		{"SCH100", "The values fit the chart's schema", "schema", nil, local, checkSchema},
		{filesCode, "The values files have no duplicate keys or further documents", "schema", nil, local, checkFiles},
		{"SCH300", "The values are consistent with each other", "schema", nil, local, checkTogether},

		{"RUN100", "The runtime has a well-formed name", "runtime", nil, local, checkName},
		{"RUN200", "The runtime name is unique in the account", "runtime", []string{"RUN100", "CRT100"}, remote, checkUnique},
		{"RUN300", "The runtime's own token is valid", "runtime", []string{"RUN100", "CRT100"}, remote, checkOwnToken},

		{"TOK100", "The user token is set", "user token", nil, remote, checkToken},
		{"ACC100", "The platform accepts the user token", "account", []string{"TOK100", "CRT100"}, remote, checkUser},
		{"ACC200", "The user administers the account", "account", []string{"ACC100"}, local, checkAdmin},
		{"ACC300", "The account id is the token's account", "account", []string{"ACC100"}, local, checkAccountID},
		{"ACC400", "The account may have another runtime", "account", []string{"ACC100"}, remote, checkLimits},

		{"MOD100", "One access mode is chosen", "access mode", nil, local, checkMode},
		{"MOD200", "The tunnel settings are complete", "access mode", nil, local, checkTunnel},
		{"MOD300", "The ingress has a host", "access mode", nil, local, checkIngress},
		{"MOD400", "The IngressClass exists", "access mode", nil, remote, checkIngressClass},
		{"MOD500", "The ingress URL answers", "access mode", []string{"MOD300", "CRT100"}, remote, checkIngressURL},
		{"MOD600", "The HTTPRoute has its host names and parents", "access mode", nil, local, checkRoute},
		{"MOD700", "The parent Gateways exist", "access mode", []string{"MOD600"}, remote, checkGateways},
		{"MOD800", "The service mesh URL is valid", "access mode", nil, local, checkMesh},

		{"GIT100", "The Git password can be read", "git", nil, remote, checkGitPassword},
		{"GIT200", "The account's Git provider is known", "git", []string{"ACC100", "GIT100"}, local, checkGitProvider},
		{"GIT300", "The Git token is valid and has the required scopes", "git", []string{"GIT100", "GIT200", "CRT100"}, remote, checkGitToken},

		{"CRT100", "The CA bundle is valid", "certificates", nil, remote, checkAuthorities},
		{"CRT200", "The certificates for Git webhooks can be read", "certificates", nil, local, checkWebhookCertificates},

		{"CLU100", "The cluster is new enough", "cluster", nil, remote, checkVersion},
		{"CLU200", "A node is large enough, and an upgrade has room", "cluster", nil, remote, checkNodes},
		{"CLU300", "The installer has the permissions to create what the chart renders", "cluster", nil, remote, checkRights},
		{"CLU400", "Argo CRDs are unowned or belong to this release", "cluster", nil, remote, checkDefinitions},
		{"CLU500", "No other controller acts on the same objects", "cluster", nil, remote, checkNeighbors},
		{"CLU600", "No other runtime is on the cluster", "cluster", nil, remote, checkRuntimes},
		{"CLU700", "The external Argo CD exists and has a supported version", "cluster", []string{"CRT100"}, remote, checkExternalArgo},
		{"CLU800", "The installed release can be upgraded with these values", "cluster", nil, remote, checkRelease},
		{"CLU900", "The credentials for Argo CD can be read", "cluster", nil, remote, checkArgoCredentials},
		{"MCL100", "Argo CD can deploy to its managed clusters", "cluster", nil, remote, checkManaged},
	}
}

// essential are the checks that an install depends on: the runtime registers itself with this token, in this account, under this name.
var essential = []string{"TOK100", "ACC100", "ACC200", "RUN200"}

// after contains the checks that another one waits for, whatever their status: a registered runtime has its own token, and does not need the user's.
var after = map[string][]string{"RUN200": {"ACC100", "RUN300"}}

// about returns the place of the value that a check connects to or reads first, for the finding that its deadline has passed. Checks that query only
// the cluster have none.
var about = map[string]func(*state) helmvalues.Place{
	"RUN100": at(namePath),
	"RUN200": at(namePath),
	"RUN300": at(urlPath),
	"TOK100": (*state).tokenPlace,
	"ACC100": at(urlPath),
	"ACC400": at(urlPath),
	"MOD400": at(classPath),
	"MOD500": at(ingressPath + ".hosts[0]"),
	"MOD700": at(parentsPath + "[0].name"),
	"GIT100": (*state).gitPlace,
	"GIT300": (*state).gitPlace,
	"CRT100": at(caRefPath),
	"CLU700": at(externalArgoPath + ".svc"),
	"CLU900": at(argoAuthPath),
}

func at(path string) func(*state) helmvalues.Place {
	return func(d *state) helmvalues.Place { return d.place(path) }
}

// Table returns all checks, bound to a subject.
func Table(subject Subject) []engine.Check {
	shared := &state{Subject: subject}
	var table []engine.Check
	for _, row := range rows() {
		check := engine.Check{
			Essential: slices.Contains(essential, row.code),
			Code:      row.code, Title: row.title, Group: row.group, Needs: row.needs, After: after[row.code], Deadline: row.deadline,
			Run: func(ctx context.Context) engine.Outcome { return shared.mask(row.run(ctx, shared)) },
		}
		if place := about[row.code]; place != nil {
			check.About = func() helmvalues.Place { return place(shared) }
		}
		table = append(table, check)
	}
	return table
}
