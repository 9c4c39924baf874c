#!/usr/bin/env bash
# Packages every chart with its dependencies: hack/tools/package.sh FOLDER
set -euo pipefail

cd "$(dirname "$0")/../.."
mkdir -p "$1"
rm -f "$1"/*.tgz
for chart in charts/*/Chart.yaml; do
	bin/helm package "$(dirname "$chart")" --destination "$1" | sed 's/^Successfully packaged chart and saved it to: /    /'
done
