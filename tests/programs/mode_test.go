package programs_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/mode"
	validate "gitops-runtime/validator/validatecmd"
)

// accessed are values that determine the access mode, in the format of --set-json.
var accessed = map[string][]string{
	"tunnel":                   {},
	"tunnel, another domain":   {`tunnel-client.tunnelServer.subdomainHost="t.example.com"`},
	"tunnel without account":   {`global.codefresh.accountId=""`},
	"account with underscore":  {`global.codefresh.accountId="acc_1"`},
	"tunnel host with scheme":  {`tunnel-client.tunnelServer.host="https://a.example.com"`},
	"domain with a dash":       {`tunnel-client.tunnelServer.subdomainHost="-a.example.com"`},
	"ingress":                  {`global.runtime.ingress={"enabled":true,"hosts":["a.example.com"],"skipValidation":true}`},
	"ingress by http":          {`global.runtime.ingress={"enabled":true,"hosts":["a.example.com"],"protocol":"http","skipValidation":true}`},
	"ingress by ftp":           {`global.runtime.ingress={"enabled":true,"hosts":["a.example.com"],"protocol":"ftp"}`},
	"ingress without hosts":    {`global.runtime.ingress={"enabled":true}`},
	"ingress, second wildcard": {`global.runtime.ingress={"enabled":true,"hosts":["a.example.com","*.example.com"],"skipValidation":true}`},
	"ingress, first wildcard":  {`global.runtime.ingress={"enabled":true,"hosts":["*.example.com"]}`},
	"host in capitals":         {`global.runtime.ingress={"enabled":true,"hosts":["A.example.com"]}`},
	"host with a URL":          {`global.runtime.ingress={"enabled":true,"hosts":["https://a.example.com"]}`},
	"host with a user":         {`global.runtime.ingress={"enabled":true,"hosts":["u:p@a.example.com"]}`},
	"host with a port":         {`global.runtime.ingress={"enabled":true,"hosts":["a.example.com:8443"]}`},
	"host with an empty label": {`global.runtime.ingress={"enabled":true,"hosts":["a..example.com"]}`},
	"gateway":                  {`global.runtime.httpRoute={"enabled":true,"hostnames":["a.example.com"],"parentRefs":[{"name":"g"}]}`},
	"gateway without hosts":    {`global.runtime.httpRoute={"enabled":true,"parentRefs":[{"name":"g"}]}`},
	"gateway without parent":   {`global.runtime.httpRoute={"enabled":true,"hostnames":["a.example.com"]}`},
	"gateway, a URL":           {`global.runtime.httpRoute={"enabled":true,"hostnames":["https://a.example.com"],"parentRefs":[{"name":"g"}]}`},
	"ingress and gateway": {
		`global.runtime.ingress={"enabled":true,"hosts":["a.example.com"]}`,
		`global.runtime.httpRoute={"enabled":true,"hostnames":["a.example.com"],"parentRefs":[{"name":"g"}]}`,
	},
	"mesh":               {`tunnel-client.enabled=false`, `global.runtime.ingressUrl="https://a.example.com/"`},
	"mesh with a user":   {`tunnel-client.enabled=false`, `global.runtime.ingressUrl="https://u:p@a.example.com"`},
	"mesh by ftp":        {`tunnel-client.enabled=false`, `global.runtime.ingressUrl="ftp://a.example.com"`},
	"mesh, a host alone": {`tunnel-client.enabled=false`, `global.runtime.ingressUrl="a.example.com"`},
	"none":               {`tunnel-client.enabled=false`},
}

var (
	refusal = regexp.MustCompile(`\n([A-Z]{3}[0-9]{3}): `)
	failure = regexp.MustCompile(`: fail: ((?:MOD|SCH)[0-9]{3}) `)
	noted   = regexp.MustCompile(`Access mode: (\S+)\n +Public URL: +(\S+)`)
)

// The templates and validate-values agree on access modes and hosts: what the chart rejects, validate-values reports with the same code, and what
// it renders has the mode and the public URL that validate-values checks.
func TestAccessModesAgree(t *testing.T) {
	const folder = "../../charts/gitops-runtime"
	whole, err := helmchart.Load(t.Context(), helmchart.Source{Name: folder})
	require.NoError(t, err)
	umbrella, err := filepath.Abs(folder)
	require.NoError(t, err)
	rendered := helmrender.New(whole)
	for name, set := range accessed {
		t.Run(name, func(t *testing.T) {
			set := append([]string{`global.codefresh={"accountId":"acc1","userToken":{"secretKeyRef":{"name":"s","key":"k"}}}`, `global.runtime.name="local"`}, set...)
			values, err := helmvalues.Load(t.Context(), helmvalues.Options{JSON: set})
			require.NoError(t, err)
			args := []string{"--chart", umbrella, "--no-cluster", "-n", "ns", "-o", "short"}
			for _, one := range set {
				args = append(args, "--set-json", one)
			}
			var out bytes.Buffer
			validate.Main(t.Context(), args, validate.System{Out: &out, Err: &out, Now: time.Now, Getenv: func(string) string { return "" }})
			var found []string
			for _, each := range failure.FindAllStringSubmatch(out.String(), -1) {
				found = append(found, each[1])
			}

			made, err := rendered.Release(values.Tree, helmrender.Options{Name: "cf", Namespace: "ns"})
			if err != nil {
				code := "SCH" // the schema rejects values without a code
				if coded := refusal.FindStringSubmatch(err.Error()); coded != nil {
					code = coded[1]
				}
				assert.Regexp(t, code, found, "%v\n%s", err, out.String())
				return
			}
			assert.Empty(t, found, out.String())
			notes := noted.FindStringSubmatch(made.Info.Notes)
			require.NotNil(t, notes, made.Info.Notes)
			values.WithDefaults(helmchart.Of(whole))
			assert.Equal(t, notes[1:], []string{string(mode.Choose(values)), mode.URL(values)})
		})
	}
}
