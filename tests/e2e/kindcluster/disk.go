package kindcluster

import (
	"context"
	"fmt"
)

// Disk is a separate file system in the node, so that it can be full while others are not. It is in memory, and lost when the node restarts.
type Disk struct {
	cluster *Cluster
	// Path is the mount point in the node.
	Path string
}

// addDisk replaces a disk that is already mounted at the path.
const addDisk = `mkdir --parents "$0" && { ! mountpoint --quiet "$0" || umount --lazy "$0"; } && mount --types tmpfs --options "mode=0777,size=$1" tmpfs "$0"`

// AddDisk mounts an empty disk of a size, such as 32m, at a path of the node; every user may write to it.
func (c *Cluster) AddDisk(ctx context.Context, path, size string) (Disk, error) {
	disk := Disk{c, path}
	if _, err := c.inNode(ctx, "sh", "-c", addDisk, path, size); err != nil {
		return disk, fmt.Errorf("mount the disk %s in the node: %w", path, err)
	}
	return disk, nil
}

// Fill writes until the disk has no space left.
func (d Disk) Fill(ctx context.Context) error {
	// cat ends with an error, since the disk is full
	if _, err := d.cluster.inNode(ctx, "sh", "-c", `! cat /dev/zero > "$0/filling" 2> /dev/null`, d.Path); err != nil {
		return fmt.Errorf("fill the disk %s in the node: %w", d.Path, err)
	}
	return nil
}

// Free deletes the file that Fill has written.
func (d Disk) Free(ctx context.Context) error {
	if _, err := d.cluster.inNode(ctx, "rm", "--force", d.Path+"/filling"); err != nil {
		return fmt.Errorf("free the disk %s in the node: %w", d.Path, err)
	}
	return nil
}

// Remove unmounts the disk and deletes its content, also while it is in use.
func (d Disk) Remove(ctx context.Context) error {
	if _, err := d.cluster.inNode(ctx, "umount", "--lazy", d.Path); err != nil {
		return fmt.Errorf("unmount the disk %s in the node: %w", d.Path, err)
	}
	return nil
}
