#!/bin/sh
# gpg for Argo CD, which reads the text on one stream and takes any exit code
# but 0 for a broken gpg; "No secret key" is an answer, though.
gpg "$@" 2>&1 || true
