#!/usr/bin/env bash
# Pushes packaged charts to an OCI registry and signs each by digest with cosign: tools/publish.sh REGISTRY/PATH FOLDER
# The environment has USER and TOKEN for the registry.
set -euo pipefail

registry=$1
folder=$2
: "${USER:?}" "${TOKEN:?}"
printf '%s' "$TOKEN" | bin/helm registry login "${registry%%/*}" --username "$USER" --password-stdin
printf '%s' "$TOKEN" | cosign login "${registry%%/*}" --username "$USER" --password-stdin
for package in "$folder"/*.tgz; do
	name=$(bin/helm show chart "$package" | sed -n 's/^name: //p')
	digest=$(bin/helm push "$package" "oci://$registry" 2>&1 | sed -n 's/^Digest: //p')
	if [ -z "$digest" ]; then
		echo "$package: the registry gave no digest; see the output of helm push" >&2
		exit 1
	fi
	cosign sign --yes "$registry/$name@$digest"
done
