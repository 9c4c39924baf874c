#!/bin/sh
# Called with "-pid FILE -config FILE", as Argo Events does: sends SIGHUP to the
# NATS server when a file next to its configuration changes.
pid=$2
folder=$(dirname "$4")
sum() { find -L "$folder" -maxdepth 1 -type f -exec cat {} + | sha256sum; }
seen=$(sum)
while sleep 2; do
    now=$(sum)
    [ "$now" != "$seen" ] && kill -HUP "$(cat "$pid")" && echo "the server was told to reload" && seen=$now
done
