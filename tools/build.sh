#!/usr/bin/env bash
# Builds a tool of tools/<name>/go.mod into bin/<name>: tools/build.sh NAME
set -euo pipefail

name=$1
root=$(cd "$(dirname "$0")/.." && pwd)
# required MODULE: the version of it in the tool's go.mod
required() {
	awk -v module="$1" '$1 == module { print $2 } $1 == "require" && $2 == module { print $3 }' "$root/tools/$name/go.mod"
}

flags=""
case $name in
helm-4) flags="-X helm.sh/helm/v4/internal/version.version=$(required helm.sh/helm/v4)" ;; # takes Kubernetes' version from its client-go
helm | helm-[0-9]*)
	# As upstream's Makefile does: the Kubernetes version that `helm template` assumes without a cluster.
	minor=$(required k8s.io/client-go | cut -d. -f2)
	flags="-X helm.sh/helm/v3/internal/version.version=$(required helm.sh/helm/v3)"
	for package in chartutil lint/rules; do
		flags+=" -X helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$package.k8sVersionMinor=$minor"
	done
	;;
kubectl) flags="-X k8s.io/component-base/version.gitVersion=v1.$(required k8s.io/kubectl | cut -d. -f2-)" ;;
helm-docs) flags="-X main.version=$(required github.com/norwoodj/helm-docs | cut -c2-)" ;;
ct) flags="-X github.com/helm/chart-testing/v3/ct/cmd.Version=$(required github.com/helm/chart-testing/v3)" ;;
esac

cd "$root/tools/$name"
fresh=$root/bin/.$name.$$
mkdir -p "$fresh"
trap 'rm -rf "$fresh"' EXIT
target=tool
[ -f main.go ] && target=.
CGO_ENABLED=0 GOWORK=off GOGC=400 GOFLAGS=-buildvcs=false nice go build -trimpath -gcflags=all=-dwarf=false \
	-ldflags "-s -w $flags" -o "$fresh/" "$target"
mv -f "$fresh"/* "$root/bin/$name"
