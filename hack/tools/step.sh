#!/usr/bin/env bash
# Runs a command under a line that says what it does and one that says how long it took: hack/tools/step.sh "WHAT" COMMAND [ARGUMENT...]
# The hundreds of lines that go prints while it downloads modules are left out.
set -uo pipefail

what=$1
shift
started=$SECONDS
printf '==> %s\n' "$what"
# The command gets the filter as its standard error alone: a daemon that it leaves behind would keep any other copy open.
exec 3> >(exec grep --line-buffered -v '^go: downloading ' >&2)
filter=$!
"$@" 2>&3 3>&-
status=$?
exec 3>&-
wait "$filter"
if [ "$status" -eq 0 ]; then
	printf '    %s: %d s\n' "$what" "$((SECONDS - started))"
else
	printf '    %s: failed after %d s\n' "$what" "$((SECONDS - started))" >&2
fi
exit "$status"
