#!/usr/bin/env bash
# Compares the benchmarks of this checkout with those of another revision, and fails when one uses over 20 % more
# CPU time: hack/tools/bench-compare.sh [REVISION]
#
#   BENCH   which benchmarks, a regular expression (default: all that report cpu-s/op)
#   COUNT   rounds; in each one both revisions run, in turn (default: 6, the minimum with which benchstat can detect noise)
#   MOST    maximum increase in percent (default: 20)
set -euo pipefail

cd "$(dirname "$0")/../.."
base=${1:-main} bench=${BENCH:-.} count=${COUNT:-6} most=${MOST:-20}
revision=$(git rev-parse --verify --quiet "$base^{commit}") || { echo "bench-compare: $base is no revision of this repository; give one as BASE=main" >&2; exit 2; }

out=$PWD/.cache/bench
rm -rf "$out"
mkdir -p "$out/old" "$out/new"
git worktree prune
git worktree add --quiet --detach "$out/base" "$revision"
trap 'git worktree remove --force "$out/base"' EXIT
ln -s "$PWD/bin" "$out/base/bin"
(cd "$out/base" && hack/tools/chart-deps.sh)

# compile CHECKOUT INTO: the tests of each package that reports its cost, as programs
compile() {
	local package
	git -C "$1" grep -l 'processor\.\(Report\|Unit\)' -- '*_test.go' | xargs -n1 dirname | sort -u | while read -r package; do
		(cd "$1" && go test -c -o "$2/${package//\//_}.test" "./$package")
		printf '%s\t%s\n' "$package" "$2/${package//\//_}.test"
	done >"$2/programs"
}
compile "$PWD" "$out/new"
compile "$out/base" "$out/old"

# measure CHECKOUT PROGRAMS RESULTS
measure() {
	local package program
	while IFS=$'\t' read -r package program; do
		(cd "$1/$package" && "$program" -test.run '^$' -test.bench "$bench" -test.benchtime 1x -test.timeout 30m)
	done <"$2" >>"$3"
}
for ((round = 1; round <= count; round++)); do
	echo "    round $round of $count" >&2
	measure "$out/base" "$out/old/programs" "$out/old.txt" </dev/null
	measure "$PWD" "$out/new/programs" "$out/new.txt" </dev/null
done

bin/benchstat "$base=$out/old.txt" "here=$out/new.txt"
hack/tools/bench-gate.sh "$out/old.txt" "$out/new.txt" "$most"
