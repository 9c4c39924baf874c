#!/usr/bin/env bash
# Runs every fuzz target of the repository, one after the other: hack/tools/fuzz.sh TIME
set -euo pipefail

cd "$(dirname "$0")/../.."
grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' . | while IFS=: read -r file name; do
	target=${name#func }
	echo "==> $(dirname "$file") $target"
	(cd "$(dirname "$file")" && nice go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" .)
done
