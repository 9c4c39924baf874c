package platformapi_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/platformapi"
)

func TestParseSeed(t *testing.T) {
	t.Parallel()
	seed, err := platformapi.ParseSeed([]byte(`
accounts: [{id: a, name: A, gitProvider: GITLAB, admins: [u]}]
users: [{id: u, name: U, token: t, account: a}, {id: v, name: V, token: w}]
runtimes: [{account: a, name: r}]
`))
	require.NoError(t, err)
	require.Equal(t, platformapi.Seed{
		Accounts: []platformapi.Account{{ID: "a", Name: "A", GitProvider: "GITLAB", Admins: []string{"u"}}},
		Users:    []platformapi.User{{ID: "u", Name: "U", Token: "t", Account: "a"}, {ID: "v", Name: "V", Token: "w"}},
		Runtimes: []platformapi.Runtime{{Account: "a", Name: "r"}},
	}, seed)
	made, err := platformapi.New(platformapi.Options{Seed: &seed})
	require.NoError(t, err)
	require.Equal(t, []platformapi.Runtime{{Account: "a", Name: "r", Status: "COMPLETED"}}, made.Runtimes())
	require.Regexp(t, generated, made.Token("a", "r"))
	graphQL("w", meQuery, `{"data":{"me":{"id":"v","name":"V","activeAccount":null}}}`).play(t, made)
}

func TestRefusedSeeds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ document, reason string }{
		"unknown field":      {"acounts: []", `reading the seed: error unmarshaling JSON: while decoding JSON: json: unknown field "acounts"`},
		"account twice":      {"accounts: [{id: a}, {id: a}]", `the seed's account id "a" is empty or a duplicate`},
		"user without id":    {"users: [{token: t}]", `the seed's user id "" is empty or a duplicate`},
		"user without token": {"users: [{id: u}]", `the token of the seed's user "u" is empty or used twice`},
		"user's account":     {"users: [{id: u, token: t, account: a}]", `the seed's user "u" has the account "a", which is not among the accounts`},
		"unknown admin":      {"accounts: [{id: a, admins: [u]}]", `the seed's account "a" has the admin "u", who is not among the users`},
		"runtime's account":  {"runtimes: [{name: r, account: a}]", `the seed's runtime "r" has the account "a", which is not among the accounts`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := platformapi.ParseSeed([]byte(test.document))
			require.EqualError(t, err, test.reason)
		})
	}
}

func TestBadStateFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "runtimes.json")
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	_, err := platformapi.New(platformapi.Options{StateFile: file})
	require.EqualError(t, err, `reading the platform's state from "`+file+`": unexpected end of JSON input`)
}
