package checks

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"unicode"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/platform"
)

const (
	urlPath      = "global.codefresh.url"
	insecurePath = "global.codefresh.allowInsecureHTTP"
	accountPath  = "global.codefresh.accountId"
	tokenPath    = "global.codefresh.userToken.token"
	tokenRefPath = "global.codefresh.userToken.secretKeyRef"
	// platformURL is the default of global.codefresh.url.
	platformURL = "https://g.codefresh.io"
)

// checkToken reads the user token and stores it for the requests to the platform.
func checkToken(ctx context.Context, d *state) engine.Outcome {
	plain, referred := d.Values.String(tokenPath, ""), len(d.Values.Map(tokenRefPath)) > 0
	place, outcome := d.place(tokenPath), engine.Outcome{}
	switch {
	case plain == "" && !referred:
		return found(findings.New("TOK101", d.place("global.codefresh.userToken")))
	case plain == "" && d.Values.String(tokenRefPath+".name", "") == ownSecret:
		return found(findings.New("TOK108", d.place(tokenRefPath+".name"), ownSecret))
	case plain == "":
		entry, refused, ok := d.follow(ctx, reference{
			path: tokenRefPath, check: "TOK100", noField: "TOK103", noSecret: "TOK104", noKey: "TOK105", empty: "TOK106", what: "user token",
		})
		if !ok {
			return refused
		}
		plain, place = entry, d.place(tokenRefPath)
	case referred:
		outcome = found(findings.New("TOK102", d.place(tokenRefPath)))
	}
	if flaw := unsendable(plain); flaw != "" {
		return found(append(outcome.Findings, findings.New("TOK107", place, flaw))...)
	}
	d.update(ctx, func(f *facts) { f.token = plain })
	return outcome
}

// unsendable describes why a token cannot be sent in an HTTP header, "" if it can.
func unsendable(token string) string {
	for i, letter := range token {
		switch {
		case letter == '\n' || letter == '\r':
			return "a line break in it"
		case unicode.IsSpace(letter) && (i == 0 || strings.TrimSpace(token[i:]) == ""):
			return "white space around it"
		case unicode.IsControl(letter):
			return "a control character in it"
		}
	}
	return ""
}

func (d *state) platform() *platform.Client {
	return &platform.Client{URL: d.Values.String(urlPath, platformURL), Token: d.facts().token, HTTP: d.client()}
}

// insecure reports whether requests to a URL, and the tokens in them, would be sent unencrypted although the values do not allow it.
func (d *state) insecure(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && parsed.Scheme == "http" && !d.Values.Bool(insecurePath, false)
}

// checkUser requests the owner of the token and stores the response.
func checkUser(ctx context.Context, d *state) engine.Outcome {
	address, place := d.Values.String(urlPath, platformURL), d.place(urlPath)
	if flaw := notURL(address); flaw != "" {
		return found(findings.New("ACC102", place, flaw))
	}
	if d.insecure(address) {
		return found(findings.New("ACC105", place, address))
	}
	user, err := d.platform().Me(ctx)
	if err != nil {
		refused := d.warnIfRegistered(ctx, d.noUser(err, place))
		return engine.Outcome{Findings: []findings.Finding{refused}, Lacks: "a user token that the platform knows"}
	}
	d.update(ctx, func(f *facts) { f.user = user })
	return found()
}

func (d *state) noUser(err error, place helmvalues.Place) findings.Finding {
	var answer *platform.Error
	var failure *netfail.Failure
	switch {
	case errors.As(err, &failure) && failure.Untrusted:
		return findings.New("ACC103", place, failure.Host, failure.Reason())
	case errors.As(err, &answer) && answer.Kind == platform.Refused:
		return findings.New("ACC101", d.tokenPlace(), answer.Host, refusal(answer))
	case errors.As(err, &answer) && answer.Kind == platform.Foreign:
		return findings.New("ACC104", place, answer.Host, answer.Error())
	}
	return unknown("ACC100", place, "The owner of the user token", missing(err))
}

func refusal(answer *platform.Error) string {
	if answer.Err != nil {
		return answer.Err.Error()
	}
	return statusText(answer.Status)
}

// tokenPlace returns the place in the values of the token in use.
func (d *state) tokenPlace() helmvalues.Place {
	if d.Values.String(tokenPath, "") != "" {
		return d.place(tokenPath)
	}
	return d.place(tokenRefPath)
}

// notURL describes why a text is not an http or https URL, "" if it is one.
func notURL(text string) string {
	parsed, err := url.Parse(text)
	switch {
	case err != nil:
		return "it cannot be parsed"
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return "it has to start with https:// or http://"
	case parsed.Hostname() == "":
		return "it names no host"
	case parsed.User != nil:
		return "it must hold no user or password"
	}
	return ""
}

func checkAdmin(ctx context.Context, d *state) engine.Outcome {
	user := d.facts().user
	switch {
	case user == nil:
		return lacks("ACC100")
	case user.ActiveAccount == nil:
		return found(d.warnIfRegistered(ctx, findings.New("ACC202", d.tokenPlace(), user.Name)))
	case !user.Administers():
		return found(d.warnIfRegistered(ctx, findings.New("ACC201", d.tokenPlace(), user.Name, user.ActiveAccount.Name)))
	}
	return found()
}

func checkAccountID(_ context.Context, d *state) engine.Outcome {
	user := d.facts().user
	if user == nil {
		return lacks("ACC100")
	}
	given, active := d.Values.String(accountPath, ""), user.ActiveAccount
	switch {
	case given == "":
		return nothing("no account id is given")
	case active == nil:
		return nothing("the user has no active account")
	case given != active.ID:
		return found(findings.New("ACC301", d.place(accountPath), given, active.ID, active.Name).
			WithFix("--set %s", cleantext.Argument(accountPath+"="+active.ID)))
	}
	return found()
}
