package checks

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/git"
)

const (
	gitPath        = "global.runtime.gitCredentials"
	gitPlainPath   = gitPath + ".password.value"
	gitRefPath     = gitPath + ".password.secretKeyRef"
	skipGitPath    = "app-proxy.config.skipGitPermissionValidation"
	gitSoon        = 14 * 24 * time.Hour
	noGitPassword  = "no Git password is given"
	gitUserDefault = "username"
)

// checkGitPassword reads the Git password and stores it.
func checkGitPassword(ctx context.Context, d *state) engine.Outcome {
	password := d.Values.String(gitPlainPath, "")
	if password == "" {
		if len(d.Values.Map(gitRefPath)) == 0 {
			return nothing(noGitPassword)
		}
		entry, refused, ok := d.follow(ctx, reference{
			path: gitRefPath, check: "GIT100", noField: "GIT101", noSecret: "GIT102", noKey: "GIT103", empty: "GIT104", what: "Git password",
		})
		if !ok {
			return refused
		}
		password = strings.TrimSpace(entry)
	}
	d.update(ctx, func(f *facts) { f.gitPassword = password })
	return found()
}

// checkGitProvider checks the account's provider and the URL of its API.
func checkGitProvider(_ context.Context, d *state) engine.Outcome {
	known := d.facts()
	if known.user == nil {
		return lacks("ACC100")
	}
	account := known.user.ActiveAccount
	switch {
	case account == nil:
		return nothing("the user has no active account")
	case account.GitProvider == "" && known.gitPassword == "":
		return nothing("the account has no Git provider yet")
	}
	if _, known := git.ByName(account.GitProvider); !known {
		return found(findings.New("GIT201", helmvalues.Place{}, account.GitProvider))
	}
	address := git.APIURL(account.GitProvider, account.GitAPIURL)
	if flaw := notURL(address); flaw != "" {
		return found(findings.New("GIT202", helmvalues.Place{}, flaw))
	}
	if d.insecure(address) && known.gitPassword != "" && !d.Values.Bool(skipGitPath, false) {
		return found(findings.New("GIT203", helmvalues.Place{}, address))
	}
	return found()
}

// checkGitToken queries the provider for the permissions of the token.
func checkGitToken(ctx context.Context, d *state) engine.Outcome {
	known := d.facts()
	switch {
	case d.Values.Bool(skipGitPath, false):
		return nothing(skipGitPath + " is set")
	case known.gitPassword == "":
		return nothing(noGitPassword)
	case known.user == nil:
		return lacks("ACC100")
	case known.user.ActiveAccount == nil:
		return nothing("the user has no active account")
	}
	account := known.user.ActiveAccount
	provider, supported := git.ByName(account.GitProvider)
	if !supported {
		return lacks("GIT200")
	}
	address := git.APIURL(account.GitProvider, account.GitAPIURL)
	token, err := provider(ctx, git.Server{URL: address, Repository: account.SharedConfigRepo, HTTP: d.client()},
		git.Credentials{User: d.Values.String(gitPath+".username", gitUserDefault), Token: known.gitPassword})
	if err != nil {
		return found(d.noGitToken(err, address))
	}
	return found(d.gitToken(token)...)
}

// gitPlace returns the place in the values of the password in use.
func (d *state) gitPlace() helmvalues.Place {
	if d.Values.String(gitPlainPath, "") != "" {
		return d.place(gitPlainPath)
	}
	return d.place(gitRefPath)
}

func (d *state) noGitToken(err error, address string) findings.Finding {
	var status *git.StatusError
	var failure *netfail.Failure
	host := address
	if parsed, err := url.Parse(address); err == nil {
		host = parsed.Host
	}
	switch {
	case errors.As(err, &failure) && failure.Untrusted:
		return findings.New("GIT306", d.gitPlace(), failure.Host, failure.Reason())
	case errors.As(err, &status) && status.Refused():
		return findings.New("GIT301", d.gitPlace(), host, status.Status)
	case errors.Is(err, git.ErrAnonymous):
		return findings.New("GIT301", d.gitPlace(), host, http.StatusOK)
	}
	return unknown("GIT300", d.gitPlace(), "What the Git token may do", missing(err))
}

// gitToken returns the findings for a provider's description of a token.
func (d *state) gitToken(token git.Token) []findings.Finding {
	var list []findings.Finding
	place, ends := d.gitPlace(), token.Expires.UTC().Format(day)
	switch {
	case token.Expires.IsZero():
	case !d.Now.Before(token.Expires):
		list = append(list, findings.New("GIT303", place, ends))
	case d.Now.Add(gitSoon).After(token.Expires):
		list = append(list, findings.New("GIT304", place, ends))
	}
	if token.Project {
		list = append(list, findings.New("GIT305", place))
	}
	if len(token.Lacks) > 0 {
		list = append(list, findings.New("GIT302", place, strings.Join(token.Lacks, ", ")))
	}
	if token.Unsure != "" {
		list = append(list, unknown("GIT300", place, "What the Git token may do", token.Unsure))
	}
	return list
}
