#!/usr/bin/env bash
# Packages each chart's file:// dependencies into its charts/ folder, if a chart has changed since the last run.
set -euo pipefail

cd "$(dirname "$0")/../.."
mkdir -p .cache
stamp=.cache/chart-deps
exec 9>"$stamp.lock"
flock 9

sum() {
	find charts -type f -not -path 'charts/*/charts/*' -not -name Chart.lock -print0 | sort -z | xargs -0 sha256sum | sha256sum
	ls charts/*/charts 2>/dev/null || true
}
if [ -f "$stamp" ] && [ "$(sum)" = "$(cat "$stamp")" ]; then
	exit 0
fi

# A chart is packaged with its dependencies, so they come first.
pack() {
	local chart=$1 dependency
	case " $packed " in *" $chart "*) return ;; esac
	packed+=" $chart"
	while read -r dependency; do
		pack "$dependency"
	done < <(sed -n 's|^ *repository: *"\{0,1\}file://\.\./\([a-z0-9-]*\).*|\1|p' "charts/$chart/Chart.yaml")
	grep -q '^dependencies:' "charts/$chart/Chart.yaml" || return 0
	rm -rf "charts/$chart/charts" "charts/$chart/Chart.lock"
	bin/helm dependency update "charts/$chart" --skip-refresh >/dev/null
}
packed=""
for chart in charts/*/Chart.yaml; do
	pack "$(basename "$(dirname "$chart")")"
done
sum >"$stamp"
