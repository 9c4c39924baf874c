module gitops-runtime/programs/nats

go 1.25.0

require github.com/nats-io/nats-server/v2 v2.11.17
