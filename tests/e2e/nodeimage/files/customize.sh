#!/bin/sh
# Turns a fresh Debian tree into the base of a kind node; mmdebstrap calls it with the tree's path when all packages
# are installed. What needs no Debian program is in the image's second layer instead.
set -eu
root=$1

# A container has no hardware to set up and nobody to log in: start only what a node needs.
rm -f "$root"/etc/systemd/system/*.wants/* \
  "$root"/lib/systemd/system/multi-user.target.wants/* \
  "$root"/lib/systemd/system/local-fs.target.wants/* \
  "$root"/lib/systemd/system/basic.target.wants/* \
  "$root"/lib/systemd/system/sockets.target.wants/*udev* \
  "$root"/lib/systemd/system/sockets.target.wants/*initctl* \
  "$root"/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service
ln -sf /dev/null "$root/etc/systemd/system/systemd-binfmt.service"
ln -sf /lib/systemd/systemd "$root/sbin/init"
echo "ReadKMsg=no" >>"$root/etc/systemd/journald.conf"

# kind's units call containerd in /usr/local/bin, and its kubelet looks for CNI plugins in /opt/cni/bin.
mkdir -p "$root/opt/cni/bin" "$root/etc/containerd"
for program in containerd ctr containerd-shim-runc-v2; do ln -sf "/usr/bin/$program" "$root/usr/local/bin/$program"; done
for plugin in host-local loopback ptp portmap; do ln -sf "/usr/lib/cni/$plugin" "$root/opt/cni/bin/$plugin"; done

# The base OCI spec of all pods: containerd's default with kind's hook, and no resource limits, which a node
# without CAP_SYS_RESOURCE could not raise.
# shellcheck disable=SC2016 # $hook is jq's
chroot "$root" sh -c 'ctr oci spec | jq --arg hook /kind/bin/mount-product-files.sh \
  ".hooks.createContainer += [{path: \$hook}] | del(.process.rlimits)"' >"$root/etc/containerd/cri-base.json"

rm -rf "$root"/usr/share/doc "$root"/usr/share/man "$root"/usr/share/locale "$root"/usr/share/info \
  "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*
