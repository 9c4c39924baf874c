//go:build e2e && faults

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

	"gitops-runtime/localcluster/install"
	"gitops-runtime/localcluster/kindcluster"
)

// busServers is how many servers the event bus has.
const busServers = 3

// busVolume is a volume of the event bus on a disk of the node.
const busVolume = `apiVersion: v1
kind: PersistentVolume
metadata: {name: e2e-bus-NUMBER}
spec:
  capacity: {storage: 32Mi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: e2e-bus
  hostPath: {path: PATH}`

// hookOnDisks is a hook whose event bus keeps events on small volumes.
func hookOnDisks() string {
	return strings.Replace(hookThatRepeats(hookOn(busServers)),
		`    streamConfig: "replicas: 3\n"`,
		`    streamConfig: "replicas: 3\nmaxBytes: 16777216\n"`+"\n    persistence: {storageClassName: e2e-bus, volumeSize: 32Mi}", 1)
}

// fullDisks are the faults of the event bus' disks. Each server has one of its own, on which the test writes until it is full.
func (a access) fullDisks(t *testing.T) {
	var disks []kindcluster.Disk
	for number := range busServers {
		disk, err := a.local.Cluster.AddDisk(t.Context(), fmt.Sprintf("/mnt/e2e-bus-%d", number), "32m")
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, disk.Remove(context.WithoutCancel(t.Context()))) })
		volume := strings.NewReplacer("NUMBER", fmt.Sprint(number), "PATH", disk.Path).Replace(busVolume)
		require.NoError(t, a.local.Kubectl.Delete(t.Context(), documents(t, volume), time.Minute)) // that of a run that was killed
		a.applyHere(t, volume)
		disks = append(disks, disk)
	}
	f := a.underLoad(t, hookOnDisks(), 2*firstWebhook)
	f.meet(t,
		f.diskFull("the disk of one server of the event bus is full for 30 s", disks[:1], 30*time.Second),
		f.diskFull("the disks of the event bus are full for 30 s", disks, 30*time.Second),
	)
}

// diskFull is the fault that disks of the event bus are full for a while; then it is repaired as docs/reliability.md says.
func (f *traffic) diskFull(name string, disks []kindcluster.Disk, duration time.Duration) fault {
	return fault{
		name:     name,
		patience: 6 * time.Minute,
		strike: func(t *testing.T) {
			for _, disk := range disks {
				require.NoError(t, disk.Fill(t.Context()))
				defer func() { assert.NoError(t, disk.Free(context.WithoutCancel(t.Context()))) }() // also when the next one cannot be filled
			}
			time.Sleep(duration) // not for a condition: this is the fault
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
				err = fmt.Errorf("a webhook gets the answer %d: %s", got.status, got.body)
			}
			return err
		},
	}
}

// repairBus restarts the servers of the event bus that have disabled JetStream. When all of them have, they have forgotten their streams: then it
// restarts the Sensor too, which makes them again, and listens before the EventSource gets anything accepted.
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

// jetStream says whether a server of the event bus keeps events.
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
