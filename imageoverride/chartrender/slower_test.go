package chartrender_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/imageoverride/chartrender"
)

// TestTimeForHelm: what takes only Helm's engine long, as keys and copies of files do, extends the time while it renders; what is left is taken back.
func TestTimeForHelm(t *testing.T) {
	for name, one := range map[string]struct {
		template string
		want     time.Duration
	}{
		"nothing":      {`a: 1`, 0},
		"certificates": {`{{ $ca := genCA "a" 1 }}{{ $cert := genSignedCert "b" nil nil 1 $ca }}a: {{ $cert.Cert | quote }}`, 2 * time.Second},
		"keys":         {`{{ range until 2 }}{{ $_ := genPrivateKey "ecdsa" }}{{ end }}a: 1`, 10 * time.Second},
		"many keys":    {`{{ range until 9 }}{{ $_ := genPrivateKey "ecdsa" }}{{ end }}a: 1`, 15 * time.Second},
		"copies":       {`{{ range until 4 }}{{ $copy := deepCopy $ }}{{ end }}a: 1`, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			c := small(one.template)
			c.Files = []*chart.File{{Name: "README.md", Data: make([]byte, 1_000_000)}}
			var most, left time.Duration
			made, err := chartrender.NewRenderer(c, chartrender.Settings{Extend: func(more time.Duration) {
				left += more
				most = max(most, left)
			}})
			require.NoError(t, err)
			_, err = made.Render(context.Background(), nil)
			require.NoError(t, err)
			_, err = made.RenderWithHelm(context.Background(), nil)
			require.NoError(t, err)
			assert.Equal(t, one.want, most)
			assert.Less(t, left, one.want+1)
		})
	}
}
