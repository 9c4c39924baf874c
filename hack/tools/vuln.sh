#!/usr/bin/env bash
# Checks for known vulnerabilities: the pins against the committed list, and the two programs against the Go
# vulnerability database. GOVULNDB names another database, such as file:///srv/vulndb for a copy.
set -euo pipefail

cd "$(dirname "$0")/../.."
database=${GOVULNDB:-https://vuln.go.dev}
list=internal/vulnerable/known.yaml
date=$(sed -n 's/^date: "\(.*\)"$/\1/p' "$list")

go test -count=1 ./tests/pins
echo "pins: none is on the list of known vulnerabilities of $date ($list), except for those it accepts"

status=0
output=$(bin/govulncheck -db "$database" ./validator/cmd/validate-values ./validator/cmd/validate-hook ./imageoverride/cmd/image-override 2>&1) || status=$?
printf '%s\n' "$output"
case $status in
0) echo "programs: no known vulnerability is reachable, by $database" ;;
3) echo "programs: fix what is above: move the module to the version under \"Fixed in\"" >&2 ;;
*)
	cat >&2 <<-MESSAGE
		programs: NOT CHECKED. govulncheck could not read the Go vulnerability database $database.
		What is missing: whether validate-values and image-override reach vulnerable code of their modules or of Go itself.
		Run make vuln where $database answers, or set GOVULNDB to a copy of the database.
	MESSAGE
	;;
esac
exit "$status"
