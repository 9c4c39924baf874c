//go:build e2e && nightly

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/e2e/kindcluster"
)

// busServers is the number of servers of the event bus.
const busServers = 3

// busVolume is a volume of the event bus on a disk of the node.
var busVolume = objects("bus-volume")

// hookOnDisks returns a hook whose event bus keeps events on small volumes.
func hookOnDisks() string {
	return strings.Replace(hookThatRepeats(hookOn(busServers)),
		`    streamConfig: "replicas: 3\n"`,
		`    streamConfig: "replicas: 3\nmaxBytes: 16777216\n"`+"\n    persistence: {storageClassName: e2e-bus, volumeSize: 32Mi}", 1)
}

// fullDisks tests the faults of the event bus's disks. Each server has a separate disk, which the test fills.
func (a access) fullDisks(t *testing.T) {
	var disks []kindcluster.Disk
	for number := range busServers {
		disk, err := a.local.Cluster.AddDisk(t.Context(), fmt.Sprintf("/mnt/e2e-bus-%d", number), "32m")
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, disk.Remove(context.WithoutCancel(t.Context()))) })
		volume := strings.NewReplacer("NUMBER", fmt.Sprint(number), "PATH", disk.Path).Replace(busVolume)
		require.NoError(t, a.local.Kubectl.Delete(t.Context(), documents(t, volume), time.Minute)) // left by a killed run
		a.applyHere(t, volume)
		disks = append(disks, disk)
	}
	f := a.underLoad(t, hookOnDisks(), 2*firstWebhook)
	f.inject(t,
		f.diskFull("the disk of one server of the event bus is full for 30 s", disks[:1], 30*time.Second),
		f.diskFull("the disks of the event bus are full for 30 s", disks, 30*time.Second),
	)
}

// diskFull returns the fault in which disks of the event bus are full for a while; then the bus is repaired as documented in docs/reliability.md.
func (f *traffic) diskFull(name string, disks []kindcluster.Disk, duration time.Duration) fault {
	return fault{
		name:     name,
		patience: 6 * time.Minute,
		strike: func(t *testing.T) {
			for _, disk := range disks {
				require.NoError(t, disk.Fill(t.Context()))
				defer func() { assert.NoError(t, disk.Free(context.WithoutCancel(t.Context()))) }() // even if the next one cannot be filled
			}
			time.Sleep(duration) // a fixed time: the duration of the fault
			for _, disk := range disks {
				require.NoError(t, disk.Free(t.Context()))
			}
			f.repairBus(t)
		},
		recovered: func(ctx context.Context) error {
			if err := f.allReady(ctx); err != nil {
				return err
			}
			for number := range busServers {
				if err := f.jetStream(ctx, busServer(number)); err != nil {
					return err
				}
			}
			got, err := f.ask(ctx, pushed(-3))
			if err == nil && got.status != 200 {
				err = fmt.Errorf("a webhook gets the status %d: %s", got.status, got.body)
			}
			return err
		},
	}
}

// repairBus restarts the servers of the event bus that have disabled JetStream. If all of them have, the streams are lost: then it also restarts
// the Sensor, which creates them again, and subscribes before the bus accepts events of the EventSource.
func (e *environment) repairBus(t *testing.T) {
	t.Helper()
	disabled := 0
	for number := range busServers {
		if server := busServer(number); e.jetStream(t.Context(), server) != nil {
			t.Logf("%s has disabled JetStream, and is restarted", server)
			e.kubectlOut(t, "delete", "pod", server, "-n", install.Namespace)
			disabled++
		}
	}
	if disabled < busServers {
		return
	}
	for number := range busServers {
		eventually(t, "JetStream is back", 3*time.Minute, func(ctx context.Context) error { return e.jetStream(ctx, busServer(number)) })
	}
	e.kubectlOut(t, "delete", "pod", "-n", install.Namespace, "-l", "sensor-name=e2e-hook")
	e.subscribed(t, install.Namespace, "e2e-hook")
}

func busServer(number int) string { return fmt.Sprintf("eventbus-e2e-hook-js-%d", number) }

// jetStream returns an error if a server of the event bus does not store events.
func (e *environment) jetStream(ctx context.Context, pod string) error {
	text, err := e.client.CoreV1().RESTClient().Get().Namespace(install.Namespace).Resource("pods").Name(pod + ":8222").
		SubResource("proxy").Suffix("jsz").DoRaw(ctx)
	if err != nil {
		return err
	}
	var report struct{ Disabled bool }
	if err := json.Unmarshal(text, &report); err != nil {
		return err
	}
	if report.Disabled {
		return fmt.Errorf("%s has disabled JetStream", pod)
	}
	return nil
}
