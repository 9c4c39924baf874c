#!/bin/sh
# Process 1 has to collect orphans, which Argo CD leaves to tini.
[ $$ -ne 1 ] || exec tini -- "$@"
exec "$@"
