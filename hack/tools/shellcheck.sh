#!/usr/bin/env bash
# Runs shellcheck over the repository's shell scripts; installs it on Debian when run as root.
set -euo pipefail

cd "$(dirname "$0")/../.."
if ! command -v shellcheck >/dev/null; then
	if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
		echo "shellcheck is not installed; install the package shellcheck" >&2
		exit 1
	fi
	apt-get -qq update
	DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends --yes shellcheck >/dev/null
fi
{
	git ls-files --cached --others --exclude-standard -- '*.sh'
	git grep --untracked -lE '^#!.*\b(ba)?sh$' -- ':!*.go' ':!*.md' ':!*.sh'
} | sort -u | xargs --no-run-if-empty shellcheck
