package checks

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/git"
	"gitops-runtime/validator/netstage"
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

// checkGitPassword finds the Git password and keeps it.
func checkGitPassword(ctx context.Context, d *desk) engine.Outcome {
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
	d.learn(func(d *desk) { d.gitPassword = password })
	return found()
}

// checkGitProvider looks at the account's provider and the address of its API.
func checkGitProvider(_ context.Context, d *desk) engine.Outcome {
	if d.user == nil {
		return lacks("ACC100")
	}
	account := d.user.ActiveAccount
	switch {
	case account == nil:
		return nothing("the user has no active account")
	case account.GitProvider == "" && d.gitPassword == "":
		return nothing("the account has no Git provider yet")
	}
	if _, known := git.ByName(account.GitProvider); !known {
		return found(findings.New("GIT201", findings.Place{}, account.GitProvider))
	}
	if flaw := notURL(d.gitURL()); flaw != "" {
		return found(findings.New("GIT202", findings.Place{}, flaw))
	}
	return found()
}

// gitURL is the API of the account's provider.
func (d *desk) gitURL() string {
	account := d.user.ActiveAccount
	if account.GitAPIURL != "" {
		return account.GitAPIURL
	}
	return git.DefaultURL(account.GitProvider)
}

// checkGitToken asks the provider what the token is worth.
func checkGitToken(ctx context.Context, d *desk) engine.Outcome {
	switch {
	case d.Values.Bool(skipGitPath, false):
		return nothing(skipGitPath + " is set")
	case d.gitPassword == "":
		return nothing(noGitPassword)
	case d.user.ActiveAccount == nil:
		return nothing("the user has no active account")
	}
	account := d.user.ActiveAccount
	ask, _ := git.ByName(account.GitProvider)
	token, err := ask(ctx, git.Server{URL: d.gitURL(), Repository: account.SharedConfigRepo, HTTP: d.client()},
		git.Credentials{User: d.Values.String(gitPath+".username", gitUserDefault), Token: d.gitPassword})
	if err != nil {
		return found(d.noGitToken(err))
	}
	return found(d.gitToken(token)...)
}

// gitPlace is where the password in use was written.
func (d *desk) gitPlace() findings.Place {
	if d.Values.String(gitPlainPath, "") != "" {
		return d.place(gitPlainPath)
	}
	return d.place(gitRefPath)
}

func (d *desk) noGitToken(err error) findings.Finding {
	var status *git.StatusError
	var failure *netstage.Failure
	host := d.gitURL()
	if parsed, err := url.Parse(host); err == nil {
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

// gitToken words what a provider told about a token.
func (d *desk) gitToken(token git.Token) []findings.Finding {
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
