#!/usr/bin/env bash
# Fails when a benchmark uses over MOST percent more CPU time than before, and the difference is not noise:
# hack/tools/bench-gate.sh OLD NEW MOST, two outputs of go test -bench with several rounds each.
set -euo pipefail

bin=$(cd "$(dirname "$0")/../../bin" && pwd)
table=$("$bin/benchstat" -format csv "$1" "$2" 2>/dev/null)
# A section of the table begins with a line of units and ends with an empty one; its columns: name, old, ±, new, ±, change, p.
awk -F, -v most="$3" '
	/^,/ { cost = ($2 == "cpu-s/op"); next }
	/^$/ { cost = 0 }
	!cost || $1 == "" || $1 == "geomean" || $4 == "" { next }
	{ compared++; change = $6; sub(/%/, "", change); sub(/^\+/, "", change) }
	$6 != "~" && change + 0 > most { printf "%s takes %s more of the processors: %s s before, %s s now\n", $1, $6, $2, $4; failed = 1 }
	END {
		if (!compared) { print "nothing to compare: no benchmark reports cpu-s/op in both" ; exit 2 }
		if (!failed) printf "none of %d benchmarks takes over %d %% more of the processors\n", compared, most
		exit failed
	}' <<<"$table"
