#!/bin/sh
# Arguments that are options, or a configuration file, are the server's.
case "$1" in
-* | *.conf) set -- redis-server "$@" ;;
esac
exec "$@"
