#!/usr/bin/env bash
# Writes the page of all checks of validate-values: hack/tools/checks-page.sh FILE
set -euo pipefail

cd "$(dirname "$0")/../.."
page=$(go run ./validator/cmd/validate-values checks-page)
printf '%s\n' "$page" >"$1"
