package validatecmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/platformapi"
	"gitops-runtime/validator/validatecmd"
)

const tunnelValues = `global:
  codefresh:
    url: "{platform}"
    allowInsecureHTTP: true
    accountId: acc1
    userToken: {token: user-token-admin}
  runtime: {name: local}
`

// runAgainst runs the tunnel case with these faults of the platform.
func runAgainst(ctx context.Context, t *testing.T, faults []platformapi.Fault, args ...string) (int, string, time.Duration) {
	t.Helper()
	t.Chdir(t.TempDir())
	text, err := json.Marshal(map[string]any{"faults": faults})
	require.NoError(t, err)
	world := startWorld(t, string(text))
	var out bytes.Buffer
	start := time.Now()
	code := validatecmd.Main(ctx, append([]string{"-f", "-", "-n", "codefresh", "-o", "short"}, args...), validatecmd.System{
		In: strings.NewReader(world.replace(tunnelValues)), Out: &out, Err: &out,
		Version: "0.1.0", Now: time.Now, Getenv: world.getenv, Connect: world.connect,
	})
	return code, world.mask(out.String()), time.Since(start)
}

// Independent requests are sent in parallel: two responses of 300 ms each are the longest chain (the owner of the token, then the runtime's name).
func TestASlowPlatformCostsOneChain(t *testing.T) {
	code, out, took := runAgainst(context.Background(), t, []platformapi.Fault{{Delay: platformapi.Duration(300 * time.Millisecond)}})
	assert.Equal(t, validatecmd.ExitOK, code, out)
	assert.GreaterOrEqual(t, took, 600*time.Millisecond, out)
	t.Logf("took %s", took)
}

func TestASilentPlatformEndsWithTheDeadline(t *testing.T) {
	code, out, took := runAgainst(context.Background(), t, []platformapi.Fault{{Delay: platformapi.Duration(time.Minute)}}, "--timeout", "500ms")
	want := "-:3:5: inconclusive: ACC100 The platform accepts the user token? Unknown: the time for the whole run was over.\n"
	assert.Equal(t, validatecmd.ExitInconclusive, code, out)
	assert.Equal(t, want, out, out)
	assert.LessOrEqual(t, took, 5*time.Second, out)
}

// SIGTERM cancels the context of the program.
func TestAnInterruptedRunIsReported(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	interrupted, stop := context.WithCancel(context.Background())
	defer stop()
	go func() { <-ctx.Done(); stop() }()
	code, out, took := runAgainst(interrupted, t, []platformapi.Fault{{Delay: platformapi.Duration(time.Minute)}}, "--set", "global.runtime.name=Local")
	want := "--set global.runtime.name: fail: RUN102 The runtime name \"Local\" is not allowed: it has to start with a lower-case letter.\n" +
		"-:3:5: inconclusive: ACC100 The platform accepts the user token? Unknown: the run was interrupted.\n"
	assert.Equal(t, validatecmd.ExitFailed, code, out)
	assert.Equal(t, want, out, out)
	assert.LessOrEqual(t, took, 5*time.Second, out)
}
