//go:build e2e && faults

package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	return strings.NewReplacer(
		`    streamConfig: "replicas: SERVERS\n"`,
		`    streamConfig: "replicas: SERVERS\nmaxBytes: 16777216\n"`+"\n    persistence: {storageClassName: e2e-bus, volumeSize: 32Mi}",
		"SERVERS", fmt.Sprint(busServers),
	).Replace(hookThatRepeats(hook))
}

// fullDisks are the faults of the event bus' disks. Each server has one of its own, on which the test writes until it is full.
func (a access) fullDisks(t *testing.T) {
	var disks []kindcluster.Disk
	for number := range busServers {
		disk, err := a.local.Cluster.AddDisk(t.Context(), fmt.Sprintf("/mnt/e2e-bus-%d", number), "32m")
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, disk.Remove(context.WithoutCancel(t.Context()))) })
		a.applyHere(t, strings.NewReplacer("NUMBER", fmt.Sprint(number), "PATH", disk.Path).Replace(busVolume))
		disks = append(disks, disk)
	}
	f := a.underLoad(t, hookOnDisks(), 2*firstWebhook)
	f.meet(t,
		f.diskFull("the disk of one server of the event bus is full for 30 s", disks[:1], 30*time.Second),
		f.diskFull("the disks of the event bus are full for 30 s", disks, 30*time.Second),
	)
}

// diskFull is the fault that disks of the event bus are full for a while.
func (f *traffic) diskFull(name string, disks []kindcluster.Disk, duration time.Duration) fault {
	return fault{
		name: name,
		strike: func(t *testing.T) {
			for _, disk := range disks {
				require.NoError(t, disk.Fill(t.Context()))
				defer func() { assert.NoError(t, disk.Free(context.WithoutCancel(t.Context()))) }()
			}
			time.Sleep(duration) // not for a condition: this is the fault
		},
		recovered: func(ctx context.Context) error {
			if err := f.allReady(ctx); err != nil {
				return err
			}
			got, err := f.ask(ctx, pushed(-3))
			if err == nil && got.status != 200 {
				err = fmt.Errorf("a webhook gets the answer %d: %s", got.status, got.body)
			}
			return err
		},
	}
}
