#!/usr/bin/env bash
# Builds a tool into bin/<name>: hack/tools/build.sh NAME
# hack/tools/go.mod lists most tools; one whose libraries conflict with theirs has a module in hack/tools/<name>.
set -euo pipefail

name=$1
root=$(cd "$(dirname "$0")/.." && cd .. && pwd)
folder=$root/hack/tools
target=
if [ -f "$folder/$name/go.mod" ]; then
	folder=$folder/$name
	target=tool
	[ -f "$folder/main.go" ] && target=.
elif [ "$name" = kubectl ]; then # that of the local cluster's Kubernetes
	folder=$root/tests/e2e/programs/kubernetes
	target=k8s.io/kubernetes/cmd/kubectl
elif [ -d "$folder/$name" ]; then
	target=./$name
else
	target=$(sed -n "s|^tool \(.*/$name\(/v[0-9]*\)\{0,1\}\)\$|\1|p" "$folder/go.mod")
fi
cd "$folder"
export CGO_ENABLED=0 GOWORK=off GOGC=400 GOFLAGS=-buildvcs=false
version() { go list -m -f '{{.Version}}' "$1"; }

flags=""
case $name in
helm-4) flags="-X helm.sh/helm/v4/internal/version.version=$(version helm.sh/helm/v4)" ;; # takes Kubernetes' version from its client-go
helm | helm-[0-9]*)
	# As upstream's Makefile does: the Kubernetes version that `helm template` assumes without a cluster.
	minor=$(version k8s.io/client-go | cut -d. -f2)
	flags="-X helm.sh/helm/v3/internal/version.version=$(version helm.sh/helm/v3)"
	for package in chartutil lint/rules; do
		flags+=" -X helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$package.k8sVersionMinor=$minor"
	done
	;;
kubectl) flags="-X k8s.io/component-base/version.gitVersion=$(version k8s.io/kubernetes)" ;;
helm-docs) flags="-X main.version=$(version github.com/norwoodj/helm-docs | cut -c2-)" ;;
ct) flags="-X github.com/helm/chart-testing/v3/ct/cmd.Version=$(version github.com/helm/chart-testing/v3)" ;;
esac

fresh=$root/bin/.$name.$$
mkdir -p "$fresh"
trap 'rm -rf "$fresh"' EXIT
nice go build -trimpath -gcflags=all=-dwarf=false -ldflags "-s -w $flags" -o "$fresh/" "$target"
mv -f "$fresh"/* "$root/bin/$name"
