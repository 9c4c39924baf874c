package settings_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/settings"
)

type shared struct {
	Token settings.Secret `env:"TOKEN,required"`
}

type program struct {
	shared
	URL      string        `env:"URL,required"`
	RootPath string        `env:"ROOT_PATH,required,empty"`
	Insecure bool          `env:"INSECURE"`
	Workers  int           `env:"WORKERS"`
	Interval time.Duration `env:"INTERVAL,required"`
	CA       string        `file:"/certs/ca.crt"`
	HTTP     int           `port:"8080"`
}

func lookup(environment map[string]string) settings.Lookup {
	return func(name string) (string, bool) {
		value, set := environment[name]
		return value, set
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	const missing = "set the environment variable %s: it is required and has no value"
	tests := map[string]struct {
		environment map[string]string
		read        program
		reason      string
	}{
		"all": {
			map[string]string{"TOKEN": "t", "URL": "u", "ROOT_PATH": "/a", "INSECURE": "true", "WORKERS": "3", "INTERVAL": "10s", "OTHER": "x"},
			program{shared{"t"}, "u", "/a", true, 3, 10 * time.Second, "/certs/ca.crt", 8080}, "",
		},
		"required ones": {
			map[string]string{"TOKEN": "t", "URL": "u", "ROOT_PATH": "", "INTERVAL": "1s"},
			program{shared{"t"}, "u", "", false, 0, time.Second, "/certs/ca.crt", 8080}, "",
		},
		"none": {nil, program{}, fmt.Sprintf(missing+"\n"+missing+"\n"+missing+"\n"+missing, "TOKEN", "URL", "ROOT_PATH", "INTERVAL")},
		"empty": {
			map[string]string{"TOKEN": "", "URL": "u", "ROOT_PATH": "", "INTERVAL": "1s"}, program{}, fmt.Sprintf(missing, "TOKEN"),
		},
		"malformed": {
			map[string]string{"TOKEN": "t", "URL": "u", "ROOT_PATH": "", "INSECURE": "secret", "WORKERS": "secret", "INTERVAL": "secret"}, program{},
			"set the environment variable INSECURE to true or false\nset the environment variable WORKERS to a whole number\nset the environment variable INTERVAL to a duration such as 10s",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var read program
			err := settings.Read(&read, lookup(test.environment))
			if test.reason != "" {
				require.EqualError(t, err, test.reason)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.read, read)
		})
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	require.Equal(t, settings.Declaration{
		Variables: []settings.Variable{
			{Name: "TOKEN", Required: true}, {Name: "URL", Required: true}, {Name: "ROOT_PATH", Required: true, Empty: true},
			{Name: "INSECURE"}, {Name: "WORKERS"}, {Name: "INTERVAL", Required: true},
		},
		Files: []string{"/certs/ca.crt"},
		Ports: []int{8080},
	}, settings.Declared(program{}))
}

func TestDeclaredWrongly(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "the field Name has no tag: declare it with env, file or port", func() {
		settings.Declared(struct{ Name string }{})
	})
	require.PanicsWithValue(t, `the tag of the field Name has the option "must"; use required and empty`, func() {
		settings.Declared(struct {
			Name string `env:"NAME,must"`
		}{})
	})
	require.PanicsWithValue(t, `the tag of the field Name has the port "http", which is not a number`, func() {
		settings.Declared(struct {
			Name int `port:"http"`
		}{})
	})
	require.PanicsWithValue(t, "the variable NAME has a field of the type []string, which cannot be read", func() {
		_ = settings.Read(&struct {
			Name []string `env:"NAME"`
		}{}, lookup(map[string]string{"NAME": "a"}))
	})
}

func TestSecretIsHidden(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).InfoContext(t.Context(), "read", "token", settings.Secret("hidden"))
	require.NotContains(t, log.String()+fmt.Sprintf("%v %+v %s", settings.Secret("hidden"), shared{"hidden"}, settings.Secret("hidden")), "hidden")
}

func TestProxies(t *testing.T) {
	t.Parallel()
	var proxies settings.Proxies
	require.NoError(t, settings.Read(&proxies, lookup(map[string]string{"HTTP_PROXY": "http://a:1", "HTTPS_PROXY": "http://b:2", "NO_PROXY": ".svc"})))
	for address, want := range map[string]string{"http://x.example.com": "http://a:1", "https://x.example.com": "http://b:2", "https://x.svc": ""} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		require.NoError(t, err)
		proxy, err := proxies.For(request)
		require.NoError(t, err)
		got := ""
		if proxy != nil {
			got = proxy.String()
		}
		require.Equal(t, want, got, address)
	}
}
