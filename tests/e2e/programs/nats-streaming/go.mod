module gitops-runtime/programs/nats-streaming

go 1.24.0

require github.com/nats-io/nats-streaming-server v0.25.6
